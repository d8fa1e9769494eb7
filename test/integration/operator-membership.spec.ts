import { EndpointSlice } from '@elasti/operator-kit';
import { proxySliceName } from '../../apps/operator/src/controller/resources/child-names';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import { eventually } from '../eventually';

jest.setTimeout(180_000);

const undecided = NaN;

describe('the resolvers that a Service may have', () => {
  let world: ElastiWorld;

  beforeEach(async () => {
    world = await ElastiWorld.start();
  });

  afterEach(async () => {
    await world.stop();
  });

  const proxied = async (name: string) =>
    (await world.client.find(EndpointSlice, { namespace: shop, name: proxySliceName(name, 'IPv4') }))?.endpoints ?? [];

  /** Waits until the slices of a service name just these. */
  const names = (name: string, role: 'proxy' | 'standby', addresses: string[]) =>
    eventually(`${name} has ${addresses.join()}`, async () =>
      (await world.slicesOf(name, role)).sort().join() === addresses.join() ? true : undefined,
    );

  it('are those of the configured namespace and Service, and no others', async () => {
    for (const [namespace, service] of [
      ['shop', 'elasti-resolver-service'],
      ['elasti', 'another-service'],
    ] as const) {
      await world.client.create(EndpointSlice, {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { namespace, name: `intruder-${service}`, labels: { 'kubernetes.io/service-name': service } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['127.6.6.6'], conditions: { ready: true } }],
        ports: [{ name: 'http-resolver', port: 8013, protocol: 'TCP' }],
      });
    }
    await world.startOperator();
    await world.deploy('web');
    await world.manage('web');
    await world.asleep('web');

    expect(await world.slicesOf('web', 'proxy')).toEqual(['127.0.0.1']);
  });

  it('are only those that have shown that they can: with none nothing sleeps, and the condition says why', async () => {
    world.resolvers[0]?.tell({ namespace: shop, service: 'web', connects: 'no', problem: 'connection timed out' });
    await world.startOperator();
    await world.deploy('web');
    await world.manage('web');

    const { message } = await world.condition('web', 'ResolverAvailable', 'False', 'RehearsalFailed');
    await world.polled(15);

    expect(message).toContain('connection timed out');
    expect([await world.scaleOf('web'), await world.slices('web')]).toEqual([1, { pods: [expect.any(String)] }]);

    world.resolvers[0]?.tell({ namespace: shop, service: 'web' });
    await world.asleep('web');
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('a new one joins after it has shown that it can, and not before', async () => {
    await world.startOperator();
    await world.deploy('web');
    await world.manage('web');
    await world.asleep('web');

    const deaf = await world.addResolver((resolver) => resolver.tell({ namespace: shop, service: 'web', listening: false }));
    await eventually('the new one is asked', () => Promise.resolve(deaf.rehearsals.length > 1 ? true : undefined));
    expect(await world.slicesOf('web', 'proxy')).toEqual(['127.0.0.1']);

    deaf.tell({ namespace: shop, service: 'web' });
    await names('web', 'proxy', ['127.0.0.1', '127.0.0.2']);
  });

  it('one that drains stays listed as a last resort, joins nothing new, and leaves when it is gone', async () => {
    await world.addResolver();
    await world.startOperator();
    await world.deploy('web');
    await world.manage('web');
    await world.asleep('web');
    await names('web', 'proxy', ['127.0.0.1', '127.0.0.2']);

    await world.listResolvers({ draining: [1] });
    await eventually('the second one is said to be terminating', async () =>
      (await proxied('web')).some(({ addresses, conditions }) => addresses[0] === '127.0.0.2' && conditions?.terminating)
        ? true
        : undefined,
    );
    expect(await proxied('web')).toEqual([
      expect.objectContaining({ addresses: ['127.0.0.1'], conditions: { ready: true, serving: true, terminating: false } }),
      expect.objectContaining({ addresses: ['127.0.0.2'], conditions: { ready: false, serving: true, terminating: true } }),
    ]);

    await world.deploy('new');
    await world.manage('new');
    await world.asleep('new');
    expect(await world.slicesOf('new', 'proxy')).toEqual(['127.0.0.1']);

    await world.listResolvers({ ready: 1 });
    await names('web', 'proxy', ['127.0.0.1']);
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('when they are gone for long, sleeping services come back, ten a second, with a condition and an event; a short absence wakes nobody', async () => {
    await world.startOperator({ env: { ELASTI_RESOLVER_ABSENCE: '3s' } });
    const services = Array.from({ length: 24 }, (_, n) => `svc-${n}`);
    for (const name of services) {
      await world.deploy(name);
      await world.manage(name);
    }
    await Promise.all(services.map((name) => world.asleep(name)));
    world.prometheus.value = undecided;
    await Promise.all(services.map((name) => world.condition(name, 'TriggersHealthy', 'False')));

    await world.listResolvers({ ready: 0 });
    await world.condition('svc-0', 'ResolverAvailable', 'False', 'NoReadyResolver');
    await world.listResolvers();
    await world.condition('svc-0', 'ResolverAvailable', 'True');
    expect(await Promise.all(services.map((name) => world.scaleOf(name)))).toEqual(services.map(() => 0));

    const scaled: number[] = [];
    const remove = world.sim.faults.inject({
      effect: { kind: 'latency', delayMs: 0 },
      when: ({ verb, subresource }) => verb === 'update' && subresource === 'scale' && scaled.push(performance.now()) > 0,
    });
    await world.listResolvers({ ready: 0 });
    await Promise.all(services.map((name) => world.awake(name)));
    remove();

    expect(await Promise.all(services.map((name) => world.scaleOf(name)))).toEqual(services.map(() => 1));
    expect(scaled).toHaveLength(services.length);
    // One every tenth of a second, as far as a busy machine writes them when they are due.
    expect(Math.max(...scaled) - Math.min(...scaled)).toBeGreaterThan((services.length - 1) * 100 * 0.9);
    await world.condition('svc-0', 'ResolverAvailable', 'False', 'NoReadyResolver');
    await eventually('the event is there', async () => ((await world.eventsOf('svc-0')).includes('NoResolver') ? true : undefined));
  });

  it('a hundred slices name a resolver that joins within a second', async () => {
    await world.startOperator();
    world.prometheus.value = undecided;
    const services = Array.from({ length: 100 }, (_, n) => `svc-${n}`);
    for (const name of services) {
      await world.deploy(name);
      await world.manage(name);
    }
    await Promise.all(services.map((name) => world.awake(name)));
    const firstMs = performance.now();
    await world.bareWrites(100);
    const bareMs = performance.now() - firstMs;

    const startMs = performance.now();
    await world.addResolver();
    await eventually('all name it', async () => ((await world.slicesNaming('127.0.0.2')) === services.length ? true : undefined));
    const tookMs = performance.now() - startMs;

    // On a machine with nothing else to do a second is plenty; where bare writes are slow the operator may take as much longer.
    expect(tookMs).toBeLessThan(Math.max(1_000, bareMs * 6));
  });

  it('a hundred slices cease to name a resolver that goes as ready within a second, and then at all', async () => {
    await world.addResolver();
    await world.startOperator();
    const services = Array.from({ length: 100 }, (_, n) => `svc-${n}`);
    for (const name of services) {
      await world.deploy(name);
      await world.manage(name);
    }
    await Promise.all(services.map((name) => world.asleep(name)));
    const naming = (how: 'at all' | 'as ready', count: number) =>
      eventually(`${count} name it ${how}`, async () => ((await world.slicesNaming('127.0.0.2', how)) === count ? true : undefined));
    await naming('as ready', services.length);
    const firstMs = performance.now();
    await world.bareWrites(100);
    const bareMs = performance.now() - firstMs;

    const startMs = performance.now();
    await world.listResolvers({ draining: [1] });
    await naming('as ready', 0);
    const tookMs = performance.now() - startMs;
    expect(await world.slicesNaming('127.0.0.2')).toBe(services.length);
    await world.listResolvers({ ready: 1 });
    await naming('at all', 0);

    expect(tookMs).toBeLessThan(Math.max(1_000, bareMs * 6));
    expect(services.flatMap((name) => world.log.emptyMoments(name))).toEqual([]);
  });
});
