import { StoredObject } from '../store';
import { type EndpointGroup, planSlices } from './slice-plan';

const ports = [{ name: 'web', port: 8080, protocol: 'TCP' }];
const endpoint = (uid: string) => ({ addresses: ['10.0.0.1'], targetRef: { uid } });
const uids = (count: number) => Array.from({ length: count }, (_none, index) => `pod-${index}`);
const group = (pods: readonly string[]): EndpointGroup => ({ family: 'IPv4', ports, endpoints: pods.map(endpoint) });
const slice = (name: string, pods: readonly string[]) =>
  new StoredObject({ metadata: { name }, addressType: 'IPv4', ports, endpoints: pods.map(endpoint) }, 1);

describe('planSlices', () => {
  it('puts at most a hundred endpoints into a slice', () => {
    const { wanted } = planSlices(['IPv4'], [group(uids(250))], []);

    expect(wanted.map(({ endpoints }) => endpoints.length)).toEqual([100, 100, 50]);
  });

  it('leaves endpoints where they are and fills what has room', () => {
    const existing = [slice('a', ['pod-0', 'gone']), slice('b', ['pod-1'])];

    const { wanted, spare } = planSlices(['IPv4'], [group(uids(3))], existing);

    const placed = wanted.map(({ slice: found, endpoints }) => [found?.name, endpoints.map(({ targetRef }) => targetRef)]);
    expect(placed).toEqual([
      ['a', [{ uid: 'pod-0' }, { uid: 'pod-2' }]],
      ['b', [{ uid: 'pod-1' }]],
    ]);
    expect(spare).toEqual([]);
  });

  it('keeps one slice, emptied, when the last endpoint goes, and gives up the others', () => {
    const { wanted, spare } = planSlices(['IPv4'], [], [slice('a', ['x']), slice('b', ['y'])]);

    expect(wanted.map(({ slice: found, endpoints }) => [found?.name, endpoints])).toEqual([['a', []]]);
    expect(spare.map(({ name }) => name)).toEqual(['b']);
  });
});
