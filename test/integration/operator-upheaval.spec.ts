import { ElastiService } from '@elasti/api';
import { Deployment, EndpointSlice, Namespace, Service } from '@elasti/operator-kit';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import type { OperatorReplica } from '../fixtures/elasti-world/operator-replica';
import { eventually } from '../eventually';

jest.setTimeout(300_000);

const parts = ['target', 'service', 'object'] as const;
type Part = (typeof parts)[number];

function ordersOf<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one) => ordersOf(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));
}

describe('whatever is deleted in whatever order', () => {
  let world: ElastiWorld;
  let operator: OperatorReplica;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    operator = await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  const names = ordersOf(parts).map((order) => ({ order, name: order.map((part) => part.slice(0, 1)).join('') }));

  async function remove(name: string, part: Part): Promise<void> {
    const ref = { namespace: shop, name };
    switch (part) {
      case 'target':
        await world.client.delete(Deployment, ref, { propagationPolicy: 'Background' });
        return;
      case 'service':
        await world.client.delete(Service, ref);
        return;
      case 'object':
        await world.client.delete(ElastiService, ref);
        return;
    }
  }

  async function recreate(name: string, part: Part): Promise<void> {
    switch (part) {
      case 'target':
        return world.deployOnly(name);
      case 'service':
        return world.expose(name, { app: name });
      case 'object':
        await world.gone(name);
        return world.manage(name);
    }
  }

  it.each([0, 1, 2, 3])('and with the resolvers gone at step %d, nothing is stuck, and all heals when it is made again', async (step) => {
    const services = names.map(({ order, name }) => ({ order, name: `${name}-${step}` }));
    for (const { name } of services) {
      world.prometheus.say(name, 0);
      await world.deploy(name);
      await world.manage(name);
    }
    await Promise.all(services.map(({ name }) => world.asleep(name)));

    for (let position = 0; position <= parts.length; position++) {
      if (position === step) await world.listResolvers({ ready: 0 });
      for (const { order, name } of services) {
        const part = order[position];
        if (part) await remove(name, part);
      }
    }
    await Promise.all(services.map(({ name }) => world.gone(name)));

    for (let position = 0; position <= parts.length; position++) {
      if (position === step) await world.listResolvers();
      for (const { order, name } of services) {
        const part = order[position];
        if (part) await recreate(name, part);
      }
    }
    await Promise.all(services.map(({ name }) => world.asleep(name)));
    for (const { name } of services) world.prometheus.say(name, NaN);
    const answers = await Promise.all(services.map(({ name }) => world.wake(operator, name)));
    await Promise.all(services.map(({ name }) => world.awake(name)));

    expect(answers.map(({ status }) => status)).toEqual(services.map(() => 200));
    for (const { name } of services) await world.client.delete(ElastiService, { namespace: shop, name });
    await Promise.all(services.map(({ name }) => world.gone(name)));
  });

  it('a target that goes away in its sleep and comes back awake is served by its pods', async () => {
    world.prometheus.say('phoenix', 0);
    await world.deploy('phoenix');
    await world.manage('phoenix');
    await world.asleep('phoenix');
    world.prometheus.say('phoenix', NaN);
    await world.condition('phoenix', 'TriggersHealthy', 'False');

    await remove('phoenix', 'target');
    await world.condition('phoenix', 'TargetFound', 'False');
    await recreate('phoenix', 'target');

    await world.condition('phoenix', 'TargetFound', 'True');
    await world.awake('phoenix');
    expect(world.log.emptyMoments('phoenix')).toEqual([]);
  });

  it('a slice or private Service of ours that someone deletes comes back', async () => {
    world.prometheus.say('robbed', NaN);
    await world.deploy('robbed');
    await world.manage('robbed');
    await world.awake('robbed');
    const { items } = await world.client.list(Service, { namespace: shop });
    const own = items.filter(({ metadata }) => metadata.name?.startsWith('elasti-robbed-pvt-'));

    for (const { metadata } of own) await world.client.delete(Service, { namespace: shop, name: metadata.name ?? '' });
    await world.client.deleteAll(EndpointSlice, {
      namespace: shop,
      labelSelector: 'kubernetes.io/service-name=robbed,endpointslice.kubernetes.io/managed-by=elasti',
    });

    await eventually('the private Service is back', async () =>
      (await world.client.find(Service, { namespace: shop, name: own[0]?.metadata.name ?? '' })) ? true : undefined,
    );
    await eventually('the resolvers stand by', async () => ((await world.slicesOf('robbed', 'standby')).length > 0 ? true : undefined));
    expect(own).toHaveLength(1);
  });

  it('a namespace that is deleted goes, with sleeping services in it, and one of the same name works again', async () => {
    world.prometheus.say('tenant', 0);
    await world.deploy('tenant');
    await world.manage('tenant');
    await world.asleep('tenant');

    await world.client.delete(Namespace, { name: shop });
    await eventually('the namespace is gone', async () =>
      (await world.client.find(Namespace, { name: shop })) === undefined ? true : undefined,
    );

    await world.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: shop } });
    await world.deploy('tenant');
    await world.manage('tenant');
    await world.asleep('tenant');
  });
});
