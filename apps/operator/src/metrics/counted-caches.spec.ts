import { type CacheEvent, Deployment } from '@elasti/operator-kit';
import { FakeCaches } from '@elasti/operator-kit/testing';
import { CountedCaches } from './counted-caches';

function setup(handler: () => Promise<void>) {
  const counted: string[] = [];
  const caches = new FakeCaches();
  const subscribe = jest.spyOn(caches.of(Deployment), 'subscribe');
  const cache = new CountedCaches(caches, { handled: (resource, outcome) => void counted.push(`${resource} ${outcome}`) }).acquire(
    Deployment,
  );
  cache.subscribe(handler);
  const deliver = async () => subscribe.mock.calls[0]?.[0]({ type: 'added' } as CacheEvent<Deployment>);
  return { cache, caches, counted, deliver };
}

describe('CountedCaches', () => {
  it('counts an event once its handler is done', async () => {
    const { counted, deliver } = setup(() => Promise.resolve());

    await deliver();

    expect(counted).toEqual(['deployments.apps success']);
  });

  it('counts a failure and leaves it to the cache', async () => {
    const { counted, deliver } = setup(() => Promise.reject(new Error('no luck')));

    await expect(deliver()).rejects.toThrow('no luck');

    expect(counted).toEqual(['deployments.apps error']);
  });

  it('reads and releases the cache behind', () => {
    const { cache, caches } = setup(() => Promise.resolve());
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'shop', name: 'web' } };
    caches.of(Deployment).put(web);

    const found = cache.get({ namespace: 'shop', name: 'web' });
    cache.release();

    expect(found).toBe(web);
    expect(caches.of(Deployment).users).toBe(0);
  });
});
