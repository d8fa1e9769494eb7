import { EndpointSlice } from '@elasti/operator-kit';
import { FakeCaches } from '@elasti/operator-kit/testing';
import { OwnMentions } from './own-mentions';

const ip = '10.0.0.1';
const ipv6 = 'fd00::1';

function slice(name: string, address: string, ready?: boolean): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'shop', name },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready } }],
  };
}

function setup(...slices: EndpointSlice[]) {
  const caches = new FakeCaches();
  const cache = caches.of(EndpointSlice);
  for (const one of slices) cache.put(one);
  cache.sync();
  const stop = new AbortController();
  let state: 'named' | 'gone' | 'given up' = 'named';
  const gone = new OwnMentions(caches, [ip, ipv6]).gone(stop.signal);
  const settled = gone.then(
    () => (state = 'gone'),
    () => (state = 'given up'),
  );
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    return state;
  };
  return { cache, stop, gone, settled, settle };
}

describe('OwnMentions', () => {
  it('watches the slices that the operator writes, and no others', async () => {
    const { cache, settled } = setup();
    await settled;

    expect(cache.options?.labelSelector).toBe('endpointslice.kubernetes.io/managed-by=elasti');
  });

  it('is gone when no slice names the pod as ready, whoever else is named', async () => {
    const { settle } = setup(slice('a', ip, false), slice('b', '10.0.0.2', true));

    expect(await settle()).toBe('gone');
  });

  it('takes null for nobody, which an API server says of a slice without endpoints', async () => {
    const { settle } = setup(Object.assign(slice('a', ip), { endpoints: null }));

    expect(await settle()).toBe('gone');
  });

  it('waits for the last slice that names it, also where ready is left out', async () => {
    const { cache, settle } = setup(slice('a', ip, true), slice('b', ip));
    const first = await settle();

    cache.put(slice('a', ip, false));
    const second = await settle();
    cache.remove({ namespace: 'shop', name: 'b' });

    expect([first, second, await settle()]).toEqual(['named', 'named', 'gone']);
  });

  it('waits for slices that name it by its other address', async () => {
    const { cache, settle } = setup(slice('a', ipv6, true));
    const first = await settle();

    cache.put(slice('a', ipv6, false));

    expect([first, await settle()]).toEqual(['named', 'gone']);
  });

  it.each([
    ['load balancer', slice('a', ip, false)],
    ['data plane', slice('a', '10.0.0.2', true)],
  ])('tells of a %s where a slice for one names the pod, be it as one that goes, or another', async (reader, own) => {
    const { gone } = setup({ ...own, metadata: { ...own.metadata, labels: { 'elasti.truefoundry.com/load-balancer': 'true' } } });

    await expect(gone).resolves.toBe(reader);
  });

  it('watches no more once it is over, however it ends', async () => {
    const { cache, stop, settled, settle } = setup(slice('a', ip, true));

    stop.abort(new Error('the grace is over'));
    await settled;

    expect([await settle(), cache.handlerCount, cache.users]).toEqual(['given up', 0, 0]);
  });
});
