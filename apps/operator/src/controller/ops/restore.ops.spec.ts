import { ElastiService } from '@elasti/api';
import { ConfigMap, Deployment, EndpointSlice, Service } from '@elasti/operator-kit';
import { anElastiService } from '../objects.fixture';
import { privateServiceName, proxySliceName } from '../resources/child-names';
import { Shop, type ShopWish } from '../shop.fixture';

const ref = { namespace: 'shop', name: 'web' };
const graceMs = 5_000;
const settleMs = 5_000;

async function asleep(wish: ShopWish = {}) {
  const shop = new Shop(wish);
  await shop.replica.reconcile();
  await shop.fallAsleep();
  const { cluster, replica, signal } = shop;
  const { restores, scenes } = replica;
  const giveBack = async (elastiService = replica.elastiService()) =>
    restores.giveBack(elastiService, await scenes.observe(elastiService, signal), signal);
  return { shop, cluster, replica, restores, signal, giveBack };
}

describe('RestoreOps', () => {
  it('brings the target back and waits until its pods have been ready for the grace', async () => {
    const { shop, giveBack } = await asleep({ spec: { minTargetReplicas: 2 } });
    expect([shop.scale, shop.roles()]).toEqual([0, ['proxy']]);

    await expect(giveBack()).resolves.toBe('waiting');
    expect(shop.scale).toBe(2);
    shop.setPods({ '10.1.0.2': 'ready' });
    await expect(giveBack()).resolves.toBe('waiting');
    await shop.clock.advance(graceMs);

    expect(shop.roles()).toEqual(['proxy']);
    await expect(giveBack()).resolves.toBe('settling');
    expect(shop.roles()).toEqual([]);
  });

  it('keeps what resolvers find pods by until the data plane has heard that they have left', async () => {
    const { shop, cluster, giveBack } = await asleep();
    const privateService = () => cluster.peek(Service, { namespace: 'shop', name: privateServiceName('web') });
    await giveBack();
    shop.setPods({ '10.1.0.2': 'ready' });
    await giveBack();
    await shop.clock.advance(graceMs);
    await giveBack();

    await shop.clock.advance(settleMs - 1);
    await expect(giveBack()).resolves.toBe('settling');
    expect(privateService()).toBeDefined();
    await shop.clock.advance(1);
    await expect(giveBack()).resolves.toBe('restored');

    expect(privateService()).toBeUndefined();
  });

  it('names the resolvers that are there now while the target is on its way back', async () => {
    const { shop, cluster, giveBack } = await asleep();
    const ports = () => cluster.all(EndpointSlice).find(({ metadata }) => metadata.name === proxySliceName('web', 'IPv4'))?.ports;
    const before = ports();
    // As when the namespace of Elasti was deleted and made anew.
    for (const { metadata } of cluster.all(ConfigMap)) cluster.remove(ConfigMap, { namespace: 'elasti', name: metadata.name ?? '' });
    shop.setResolvers({ '10.0.0.3': 'ready' });

    await expect(giveBack()).resolves.toBe('waiting');

    expect([shop.scale, shop.named()]).toEqual([1, ['proxy: 10.0.0.3 ready']]);
    expect(ports()).toEqual(before);
  });

  it('asks no resolver anything while those are named that are there', async () => {
    const { replica, giveBack } = await asleep();
    const proxied = jest.spyOn(replica.modes, 'proxy');

    await expect(giveBack()).resolves.toBe('waiting');

    expect(proxied).not.toHaveBeenCalled();
  });

  it('names nobody rather than resolvers that are gone', async () => {
    const { shop, giveBack } = await asleep();
    shop.setResolvers({});

    await expect(giveBack()).resolves.toBe('waiting');

    expect([shop.scale, shop.named()]).toEqual([1, []]);
  });

  it('brings the target back also when nothing can be said about the resolvers', async () => {
    const { shop, replica, giveBack } = await asleep();
    shop.setResolvers({ '10.0.0.3': 'ready' });
    jest.spyOn(replica.routes, 'route').mockRejectedValue(new Error('no ConfigMap may be written'));

    // An error would have the next look come later and later.
    await expect(giveBack()).resolves.toBe('waiting');
    shop.setPods({ '10.1.0.2': 'ready' });
    await expect(giveBack()).resolves.toBe('waiting');
    expect(replica.logger.entries.filter(({ level }) => level === 'warn')).toHaveLength(2);
    await shop.clock.advance(graceMs);

    await expect(giveBack()).resolves.toBe('settling');
    expect([shop.scale, shop.named()]).toEqual([1, []]);
  });

  it('gives a target back that is a dry run by now', async () => {
    const { shop, cluster, replica, giveBack } = await asleep();
    cluster.change(ElastiService, ref, ({ spec }) => (spec.mode = 'DryRun'));

    await giveBack(replica.elastiService());

    expect(shop.scale).toBe(1);
  });

  it.each<[string, (shop: Shop) => void]>([
    ['is gone', ({ cluster }) => cluster.remove(Deployment, ref)],
    [
      'is being deleted',
      ({ cluster }) => cluster.change(Deployment, ref, ({ metadata }) => (metadata.deletionTimestamp = '2030-01-01T00:00:00Z')),
    ],
  ])('has nothing to wait for when the target %s', async (_what, happen) => {
    const { shop, giveBack } = await asleep();
    happen(shop);

    await expect(giveBack()).resolves.toBe('settling');
    await shop.clock.advance(settleMs);

    await expect(giveBack()).resolves.toBe('restored');
  });

  it('removes everything of ours, and the private Service last', async () => {
    const { shop, cluster, replica, restores, signal } = await asleep();
    cluster.calls.length = 0;

    await restores.keepOnly(replica.elastiService(), [], signal);

    expect(shop.named()).toEqual([]);
    expect(cluster.peek(Service, { namespace: 'shop', name: privateServiceName('web') })).toBeUndefined();
    expect(cluster.writes.at(-1)).toBe(`delete Service ${privateServiceName('web')}`);
    expect(
      cluster
        .all(ConfigMap)
        .flatMap(({ data }) => Object.values(data ?? {}))
        .join(),
    ).toContain('freed');
  });

  it('leaves the routes to the one who speaks for the Service now', async () => {
    const { cluster, replica, restores, signal } = await asleep();
    cluster.put(ElastiService, anElastiService('older', { spec: { service: 'web' }, createdAt: '2020-01-01T00:00:00Z' }));
    const before = JSON.stringify(cluster.all(ConfigMap));

    await restores.keepOnly(replica.elastiService(), [], signal);

    expect(JSON.stringify(cluster.all(ConfigMap))).toBe(before);
  });

  it('keeps what belongs to the Services it still has', async () => {
    const { shop, cluster, replica, restores, signal } = await asleep();
    cluster.calls.length = 0;

    await restores.keepOnly(replica.elastiService(), ['web'], signal);

    expect(cluster.writes).toEqual([]);
    expect([shop.roles(), cluster.all(EndpointSlice).length]).toEqual([['proxy'], 3]);
  });
});
