import { ElastiService } from '@elasti/api';
import { ConfigMap, Service } from '@elasti/operator-kit';
import { finalizerName } from '../../apps/operator/src/names';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import type { OperatorReplica } from '../fixtures/elasti-world/operator-replica';
import { eventually } from '../eventually';

jest.setTimeout(180_000);

describe('an ElastiService that is deleted', () => {
  let world: ElastiWorld;
  let operator: OperatorReplica;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    operator = await world.startOperator();
    world.prometheus.say('neighbour', NaN);
    await world.deploy('neighbour');
    await world.manage('neighbour');
  });

  afterAll(async () => {
    await world.stop();
  });

  async function remove(name: string): Promise<void> {
    await world.client.delete(ElastiService, { namespace: shop, name });
  }

  async function privateServices(name: string): Promise<string[]> {
    const { items } = await world.client.list(Service, { namespace: shop });
    return items.flatMap(({ metadata }) => metadata.name ?? []).filter((service) => service.startsWith(`elasti-${name}-pvt-`));
  }

  it('brings its sleeping target back to minTargetReplicas, keeps the resolvers until the pods have served, and leaves nothing of ours', async () => {
    await world.deploy('asleep');
    await world.manage('asleep', { minTargetReplicas: 3 });
    await world.asleep('asleep');
    const letStart = world.pods.holdReadiness(({ labels }) => labels.app === 'asleep');

    await remove('asleep');
    await eventually('the target is scaled up', async () => ((await world.scaleOf('asleep')) === 3 ? true : undefined));
    await world.polled(10);
    expect((await world.get('asleep')).metadata.finalizers).toEqual([finalizerName]);
    expect(await world.slicesOf('asleep', 'proxy')).toEqual(['127.0.0.1']);

    letStart();
    await world.gone('asleep');
    const { pods, ...ours } = await world.slices('asleep');
    expect([pods?.length, ours, await privateServices('asleep')]).toEqual([3, {}, []]);
    expect(await world.scaleOf('asleep')).toBe(3);
    expect(world.log.emptyMoments('asleep')).toEqual([]);
  });

  it('leaves an awake target as it is', async () => {
    world.prometheus.say('awake', NaN);
    await world.deploy('awake', 2);
    await world.manage('awake', { minTargetReplicas: 5 });
    await world.awake('awake');

    await remove('awake');
    await world.gone('awake');

    expect(await world.scaleOf('awake')).toBe(2);
    const { pods, ...ours } = await world.slices('awake');
    expect([pods?.length, ours, await privateServices('awake')]).toEqual([2, {}, []]);
    expect(world.log.emptyMoments('awake')).toEqual([]);
  });

  it('frees its resolver ports', async () => {
    world.prometheus.say('routed', NaN);
    await world.deploy('routed');
    await world.manage('routed');
    await world.awake('routed');
    const routesOf = async () => {
      const { items } = await world.client.list(ConfigMap, { namespace: 'elasti' });
      return items.flatMap(({ data = {} }) => Object.entries(data)).filter((entry) => entry.join().includes('routed'));
    };
    expect(await routesOf()).not.toEqual([]);
    const { routes = [] } = (await world.get('routed')).status ?? {};

    await remove('routed');
    await world.gone('routed');

    world.prometheus.say('next', NaN);
    await world.deploy('next');
    await world.manage('next');
    await world.awake('next');
    const next = (await world.get('next')).status?.routes ?? [];
    // A freed port rests before somebody else gets it.
    expect(next.map(({ resolverPort }) => resolverPort)).not.toEqual(routes.map(({ resolverPort }) => resolverPort));
  });

  it('while nobody was there to see it is finished by the operator that comes', async () => {
    await world.deploy('unseen');
    await world.manage('unseen', { minTargetReplicas: 2 });
    await world.asleep('unseen');
    await operator.kill();

    await remove('unseen');
    expect((await world.get('unseen')).metadata.deletionTimestamp).toBeDefined();
    expect(await world.scaleOf('unseen')).toBe(0);
    await world.expireLease();
    operator = await world.startOperator();
    await world.gone('unseen');

    const { pods, ...ours } = await world.slices('unseen');
    expect([await world.scaleOf('unseen'), pods?.length, ours]).toEqual([2, 2, {}]);
    expect(world.log.emptyMoments('unseen')).toEqual([]);
  });
});
