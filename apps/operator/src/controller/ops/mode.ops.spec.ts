import { ElastiService } from '@elasti/api';
import { EndpointSlice } from '@elasti/operator-kit';
import { aService, resolversOf } from '../objects.fixture';
import { Shop, type ShopWish } from '../shop.fixture';

const services = [{ service: aService(), routes: [{ namespace: 'shop', service: 'web', port: 80, resolverPort: 20_000 }] }];
const proxySlice = 'EndpointSlice elasti-web-endpointslice-to-resolver-4b5e57f6eb';
const standbySlice = 'EndpointSlice elasti-web-standby-4b5e57f6eb';

function setup(wish?: ShopWish) {
  const shop = new Shop(wish);
  const { cluster, replica, signal } = shop;
  const { modes } = replica;
  const elastiService = () => cluster.look(ElastiService, { namespace: 'shop', name: 'web' });
  const serve = (standby: 'on' | 'off' = 'on') => modes.serve(elastiService(), services, standby, signal);
  const proxy = (freshness: 'known' | 'fresh' = 'known') => modes.proxy(elastiService(), services, freshness, signal);
  const written = () => cluster.writes.splice(0);
  const newWrites = () => {
    const writes = written();
    cluster.calls.length = 0;
    return writes;
  };
  return { shop, cluster, replica, serve, proxy, newWrites };
}

describe('ModeOps', () => {
  it('lets resolvers stand by while the pods serve, and writes nothing when they do', async () => {
    const { shop, serve, newWrites } = setup();

    await expect(serve()).resolves.toEqual({ resolver: 'available' });
    expect(shop.named()).toEqual(['standby: 10.0.0.1', 'standby: 10.0.0.2']);
    newWrites();
    await serve();

    expect(newWrites()).toEqual([]);
  });

  it('has nobody stand by where that is switched off, and takes away who did', async () => {
    const { shop, serve } = setup();
    await serve('on');

    await serve('off');

    expect(shop.named()).toEqual([]);
  });

  it('takes the standby slice away only when the watch has shown the proxy slice', async () => {
    const { shop, replica, serve, proxy } = setup();
    await serve();
    replica.caches.holdBack();

    await proxy();
    expect(shop.roles()).toEqual(['proxy', 'standby']);
    replica.caches.letGo();
    await proxy();

    expect(shop.named()).toEqual(['proxy: 10.0.0.1 ready', 'proxy: 10.0.0.2 ready']);
  });

  it('names the standby resolvers before the proxy slice goes', async () => {
    const { shop, serve, proxy, newWrites } = setup();
    await proxy();
    newWrites();

    await serve();

    expect(newWrites()).toEqual([`apply ${standbySlice}`, `delete ${proxySlice}`]);
    expect(shop.roles()).toEqual(['standby']);
  });

  it('hands over by the word of the API server, not by that of a watch which lags', async () => {
    const { shop, replica, serve, proxy } = setup();
    await serve();
    replica.caches.holdBack();
    await proxy();
    replica.caches.letGo();
    replica.caches.holdBack();
    await proxy();
    expect(shop.roles()).toEqual(['proxy']);

    await serve();

    expect(shop.roles()).toEqual(['standby']);
  });

  it('publishes nothing for a sleep that no resolver has just shown it can take over', async () => {
    const { shop, replica, serve, proxy, newWrites } = setup();
    await serve();
    newWrites();
    replica.rehearsals.answer = () => ({ cannot: 'reach a pod on port 80' });

    await expect(proxy('fresh')).resolves.toEqual({ resolver: 'absent', problem: 'resolver pod pod-10.0.0.1 reach a pod on port 80' });

    expect(newWrites()).toEqual([]);
    expect(shop.roles()).toEqual(['standby']);
  });

  it('publishes nothing for the sleep of a Service that has an address family which no resolver has', async () => {
    const { cluster, replica, shop, newWrites } = setup();
    const elastiService = cluster.look(ElastiService, { namespace: 'shop', name: 'web' });
    const both = services.map((one) => ({ ...one, service: aService('web', { ipFamilies: ['IPv4', 'IPv6'] }) }));

    await expect(replica.modes.proxy(elastiService, both, 'fresh', shop.signal)).resolves.toEqual({
      resolver: 'absent',
      problem: 'none has an IPv6 address',
    });

    expect(newWrites()).toEqual([]);
  });

  it('keeps the resolvers of a target that has gone to zero meanwhile, whatever the cache says', async () => {
    const { shop, replica, serve, proxy } = setup();
    await proxy();
    replica.caches.holdBack();
    shop.scaleByHand(0);

    await serve();

    expect(shop.roles()).toEqual(['proxy', 'standby']);
  });

  it('names only those of the resolvers that can', async () => {
    const { shop, replica, proxy } = setup();
    replica.rehearsals.answer = ({ address }) => (address === '10.0.0.1' ? 'can' : { cannot: 'does not listen' });

    await expect(proxy('fresh')).resolves.toMatchObject({ resolver: 'available' });

    expect(shop.named()).toEqual(['proxy: 10.0.0.1 ready']);
  });

  it('says that nobody is there, and begins no empty slice', async () => {
    const { proxy, newWrites } = setup({ resolvers: {} });

    await expect(proxy()).resolves.toEqual({ resolver: 'absent' });

    expect(newWrites()).toEqual([]);
  });
});

describe('ModeOps, where another left a slice that no label of ours is on', () => {
  const left = { namespace: 'shop', name: 'elasti-web-endpointslice-to-resolver-4b5e57f6eb' };

  function leftBehind(mode: 'proxy' | 'serve') {
    const bench = setup();
    const labels = { 'kubernetes.io/service-name': 'web' };
    bench.cluster.put(EndpointSlice, { ...resolversOf({ '10.9.9.9': 'ready' }), metadata: { ...left, labels } });
    bench.cluster.change(ElastiService, { namespace: 'shop', name: 'web' }, (web) => Object.assign(web, { status: { mode } }));
    bench.newWrites();
    return bench;
  }

  it('takes it away when the pods of a Service serve that resolvers had', async () => {
    const { serve, newWrites } = leftBehind('proxy');

    await serve();

    expect(newWrites()).toEqual([`apply ${standbySlice}`, `delete ${proxySlice}`]);
  });

  it('does not look for it where resolvers had nothing', async () => {
    const { serve, newWrites } = leftBehind('serve');

    await serve();

    expect(newWrites()).toEqual([`apply ${standbySlice}`]);
  });
});
