import { ElastiService } from '@elasti/api';
import type { RequestPredicate } from '@elasti/kube-sim';
import { EndpointSlice, Service } from '@elasti/operator-kit';
import { proxySliceName, standbySliceName } from '../../apps/operator/src/controller/resources/child-names';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import { StubResolver } from '../fixtures/stub-resolver/stub-resolver';
import { eventually } from '../eventually';

jest.setTimeout(180_000);

const undecided = NaN;
const lastResort = { ready: false, serving: true, terminating: true };
const taking = { ready: true, serving: true, terminating: false };

describe('the modes', () => {
  let world: ElastiWorld;

  beforeAll(async () => {
    world = await ElastiWorld.start({ addresses: 'dual' });
    await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  const sliceNamed = (name: string) => world.client.find(EndpointSlice, { namespace: shop, name });

  it('route every TCP port of a Service to a port of its own, and leave UDP alone', async () => {
    await world.deploy('ports', 1, {
      ports: [
        { name: 'http', port: 80, targetPort: 8080, appProtocol: 'http' },
        { name: 'grpc', port: 9090, targetPort: 8080 },
        { name: 'voice', port: 5060, targetPort: 8080, protocol: 'UDP' },
      ],
    });
    await world.manage('ports');
    await world.asleep('ports');

    const slice = await sliceNamed(proxySliceName('ports', 'IPv4'));
    const { routes = [] } = (await world.get('ports')).status ?? {};
    expect(routes).toEqual([
      { service: 'ports', port: 80, name: 'http', resolverPort: expect.any(Number) },
      { service: 'ports', port: 9090, name: 'grpc', resolverPort: expect.any(Number) },
    ]);
    expect(slice?.ports).toEqual([
      { name: 'http', port: routes[0]?.resolverPort, protocol: 'TCP', appProtocol: 'http' },
      { name: 'grpc', port: routes[1]?.resolverPort, protocol: 'TCP' },
    ]);
    await world.condition('ports', 'ServiceFound', 'True', 'UdpPorts');
  });

  it('name the resolvers with their node and zone: ready while it sleeps, as a last resort while it is awake, and never in both slices', async () => {
    world.prometheus.say('roles', undecided);
    await world.deploy('roles');
    await world.manage('roles');
    await world.awake('roles');
    const endpoint = { addresses: ['127.0.0.1'], nodeName: 'node-1', zone: 'a' };
    expect((await sliceNamed(standbySliceName('roles', 'IPv4')))?.endpoints).toEqual([{ ...endpoint, conditions: lastResort }]);
    expect(await sliceNamed(proxySliceName('roles', 'IPv4'))).toBeUndefined();

    world.prometheus.say('roles', 0);
    await world.asleep('roles');
    expect((await sliceNamed(proxySliceName('roles', 'IPv4')))?.endpoints).toEqual([{ ...endpoint, conditions: taking }]);
    await eventually('the standby slice is gone', async () => ((await sliceNamed(standbySliceName('roles', 'IPv4'))) ? undefined : true));
    expect(world.log.emptyMoments('roles')).toEqual([]);
  });

  it('have no standby slice where that is switched off for a service', async () => {
    world.prometheus.say('bare', undecided);
    await world.deploy('bare');
    await world.manage('bare', { standby: false });
    await world.awake('bare');
    expect(await world.slicesOf('bare', 'standby')).toEqual([]);

    world.prometheus.say('bare', 0);
    await world.asleep('bare');
    expect(await world.slicesOf('bare', 'proxy')).toEqual(['127.0.0.1']);
    expect(world.log.emptyMoments('bare')).toEqual([]);
  });

  it('cover both address families of a dual-stack Service, each in a slice of its own', async () => {
    await world.deploy('dual', 1, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' });
    const sixth = await StubResolver.start({ host: '::1', port: world.resolvers[0]?.port ?? 0 });
    await world.listResolvers({ ipv6: true });
    await world.manage('dual');
    await world.asleep('dual');

    const addressesOf = async (family: 'IPv4' | 'IPv6') => {
      const slice = await sliceNamed(proxySliceName('dual', family));
      return [slice?.addressType, ...(slice?.endpoints ?? []).flatMap(({ addresses }) => addresses)];
    };
    expect([await addressesOf('IPv4'), await addressesOf('IPv6')]).toEqual([
      ['IPv4', '127.0.0.1'],
      ['IPv6', '::1'],
    ]);
    await world.listResolvers();
    await sixth.stop();
  });

  it('take additional Services along: they sleep and wake together', async () => {
    await world.deploy('main');
    await world.expose('admin', { app: 'main' });
    await world.manage('main', { additionalServices: ['admin'] });
    await world.asleep('main');
    expect([await world.slicesOf('main', 'proxy'), await world.slicesOf('admin', 'proxy')]).toEqual([['127.0.0.1'], ['127.0.0.1']]);

    world.prometheus.say('main', undecided);
    const [operator] = world.replicas;
    if (!operator) throw new Error('there is no operator');
    expect((await world.wake(operator, 'admin')).status).toBe(200);
    await world.awake('main');
    expect([await world.slicesOf('main', 'standby'), await world.slicesOf('admin', 'standby')]).toEqual([['127.0.0.1'], ['127.0.0.1']]);

    await world.client.patch(
      ElastiService,
      { namespace: shop, name: 'main' },
      { type: 'merge', body: { spec: { additionalServices: null } } },
    );
    await eventually('the former additional Service has nothing of ours', async () =>
      Object.keys(await world.slices('admin')).join() === 'pods' ? true : undefined,
    );
    expect([world.log.emptyMoments('main'), world.log.emptyMoments('admin')]).toEqual([[], []]);
  });

  it('keep the private Service in step with the public one', async () => {
    world.prometheus.say('kept', undecided);
    await world.deploy('kept');
    await world.manage('kept');
    await world.awake('kept');
    const privateOf = async () => {
      const { items } = await world.client.list(Service, { namespace: shop });
      return items.find(({ metadata }) => metadata.name?.startsWith('elasti-kept-pvt-'));
    };
    expect((await privateOf())?.spec).toMatchObject({
      type: 'ClusterIP',
      selector: { app: 'kept' },
      ports: [{ name: 'http', port: 80, targetPort: 8080 }],
    });

    const body = { spec: { selector: { tier: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8081, protocol: 'TCP' }] } };
    await world.client.patch(Service, { namespace: shop, name: 'kept' }, { type: 'merge', body });
    await eventually('the private Service follows', async () => ((await privateOf())?.spec?.selector?.tier === 'web' ? true : undefined));

    expect((await privateOf())?.spec).toMatchObject({ selector: { app: 'kept', tier: 'web' }, ports: [{ targetPort: 8081 }] });
  });
});

describe('the waits between the modes', () => {
  let world: ElastiWorld;

  beforeEach(async () => {
    world = await ElastiWorld.start();
  });

  afterEach(async () => {
    await world.stop();
  });

  /** When the first request came that this is true of. */
  function timeOf(when: RequestPredicate): () => number | undefined {
    let atMs: number | undefined;
    world.sim.faults.inject({
      effect: { kind: 'latency', delayMs: 0 },
      when: (request) => {
        if (request.user.startsWith('operator-') && when(request)) atMs ??= performance.now();
        return false;
      },
    });
    return () => atMs;
  }

  it('the resolvers are in the Service for the settle time before the last pod goes', async () => {
    await world.startOperator({ env: { ELASTI_SETTLE_TIME: '2s' } });
    const publishedAtMs = timeOf(({ verb, name }) => verb === 'patch' && name === proxySliceName('web', 'IPv4'));
    const scaledAtMs = timeOf(({ verb, subresource }) => verb === 'update' && subresource === 'scale');
    await world.deploy('web');
    await world.manage('web', { standby: false });

    await world.asleep('web');

    expect((scaledAtMs() ?? 0) - (publishedAtMs() ?? Infinity)).toBeGreaterThan(1_990);
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('the resolvers stay until the pods have been ready for the grace, without a standby slice too', async () => {
    const operator = await world.startOperator({ env: { ELASTI_HANDOVER_GRACE: '2s' } });
    await world.deploy('web');
    await world.manage('web', { standby: false });
    await world.asleep('web');
    world.prometheus.value = undecided;
    const letStart = world.pods.holdReadiness();
    expect((await world.wake(operator, 'web')).status).toBe(200);
    await world.condition('web', 'ScaledDown', 'False', 'Waking');
    await world.polled(10);
    expect(await world.slicesOf('web', 'proxy')).toEqual(['127.0.0.1']);

    const withdrawnAtMs = timeOf(({ verb, name }) => verb === 'delete' && name === proxySliceName('web', 'IPv4'));
    const readyAtMs = performance.now();
    letStart();
    await world.awake('web');

    expect((withdrawnAtMs() ?? 0) - readyAtMs).toBeGreaterThan(1_990);
    expect(world.log.emptyMoments('web')).toEqual([]);
  });
});
