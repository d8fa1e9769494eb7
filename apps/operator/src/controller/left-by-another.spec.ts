import { EndpointSlice } from '@elasti/operator-kit';
import { resolversOf } from './objects.fixture';
import { proxySliceName } from './resources/child-names';
import { Shop, type ShopWish } from './shop.fixture';

const left = { namespace: 'shop', name: proxySliceName('web', 'IPv4') };

/** As KubeElasti leaves it: a status without a generation, and a slice without a label of ours. */
function leftByAnother(wish: ShopWish): Shop {
  const shop = new Shop({ ...wish, status: { mode: 'proxy' } });
  const labels = { 'kubernetes.io/service-name': 'web' };
  shop.cluster.put(EndpointSlice, { ...resolversOf({ '10.9.9.9': 'ready' }), metadata: { ...left, labels } });
  return shop;
}

describe('a Service that the resolvers of another take', () => {
  it('is taken by ours while its target wakes, and then by its pods', async () => {
    const shop = leftByAnother({ pods: {} });

    await shop.replica.reconcile();
    const waking = shop.named();
    shop.setPods({ '10.1.0.2': 'ready' });
    await shop.replica.reconcile();
    await shop.clock.advance(5_000);
    await shop.replica.reconcile();

    expect(waking).toEqual(['proxy: 10.0.0.1 ready', 'proxy: 10.0.0.2 ready']);
    expect([shop.roles(), shop.cluster.peek(EndpointSlice, left)]).toEqual([['standby'], undefined]);
  });

  it('keeps nothing of the other when its ElastiService goes before we have looked after it', async () => {
    const shop = leftByAnother({});
    const { restores, scenes } = shop.replica;
    const elastiService = shop.replica.elastiService();

    await restores.giveBack(elastiService, await scenes.observe(elastiService, shop.signal), shop.signal);
    await shop.clock.advance(5_000);
    await restores.giveBack(elastiService, await scenes.observe(elastiService, shop.signal), shop.signal);

    expect(shop.cluster.peek(EndpointSlice, left)).toBeUndefined();
  });
});
