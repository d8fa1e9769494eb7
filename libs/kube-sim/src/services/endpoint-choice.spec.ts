import { type JsonObject, StoredObject } from '../store';
import { backendsOf } from './endpoint-choice';

const endpoint = (address: string, conditions?: JsonObject): JsonObject => ({
  addresses: [address],
  ...(conditions ? { conditions } : {}),
});
const slice = (endpoints: JsonObject[], ports: JsonObject[] = [{ name: 'web', port: 8080, protocol: 'TCP' }], addressType = 'IPv4') =>
  new StoredObject({ metadata: { name: 'slice' }, addressType, ports, endpoints }, 1);
const hosts = (slices: StoredObject[]) => backendsOf(slices, 'web').map(({ host }) => host);

describe('backendsOf', () => {
  it('takes the ready endpoints of all slices, each once and at its slice’s port', () => {
    const other = slice([endpoint('10.0.0.2', { ready: true })], [{ name: 'web', port: 9090, protocol: 'TCP' }]);

    const backends = backendsOf([slice([endpoint('10.0.0.1'), endpoint('10.0.0.2', {})]), slice([endpoint('10.0.0.1')]), other], 'web');

    expect(backends).toEqual([
      { host: '10.0.0.1', port: 8080 },
      { host: '10.0.0.2', port: 8080 },
      { host: '10.0.0.2', port: 9090 },
    ]);
  });

  it.each<[string, JsonObject, boolean]>([
    ['serving and terminating', { ready: false, serving: true, terminating: true }, true],
    ['terminating and no longer serving', { ready: false, serving: false, terminating: true }, false],
    ['serving but not terminating', { ready: false, serving: true, terminating: false }, false],
    ['not ready, and nothing more is known', { ready: false }, false],
    ['not ready and terminating, and nothing is known of its serving', { ready: false, terminating: true }, false],
  ])('without a ready one: is one that is %s a backend', (_state, conditions, isBackend) => {
    expect(hosts([slice([endpoint('10.0.0.1', conditions)])])).toEqual(isBackend ? ['10.0.0.1'] : []);
    expect(hosts([slice([endpoint('10.0.0.1', conditions), endpoint('10.0.0.2')])])).toEqual(['10.0.0.2']);
  });

  it('looks only at the asked port, and only at TCP', () => {
    const slices = [
      slice([endpoint('10.0.0.1')], [{ name: 'admin', port: 1, protocol: 'TCP' }]),
      slice([endpoint('10.0.0.2')], [{ name: 'web', port: 1, protocol: 'UDP' }]),
      slice([endpoint('example.com')], undefined, 'FQDN'),
    ];

    expect(hosts(slices)).toEqual([]);
  });
});
