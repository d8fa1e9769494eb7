import { ElastiService, routesLabel } from '@elasti/api';
import { ConfigMap, EndpointSlice, Service } from '@elasti/operator-kit';
import { proxySliceName } from '../../apps/operator/src/controller/resources/child-names';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import type { OperatorReplica } from '../fixtures/elasti-world/operator-replica';

jest.setTimeout(180_000);

describe('a Service that changes while it sleeps', () => {
  let world: ElastiWorld;
  let operator: OperatorReplica;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    operator = await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  const portsOf = async (name: string) =>
    (await world.client.find(EndpointSlice, { namespace: shop, name: proxySliceName(name, 'IPv4') }))?.ports ?? [];
  const change = (name: string, spec: object) => world.client.patch(Service, { namespace: shop, name }, { type: 'merge', body: { spec } });

  it('by a port: the port gets a route and joins the slice, and the others keep theirs', async () => {
    await world.deploy('grown');
    await world.manage('grown');
    await world.asleep('grown');
    const [before] = await portsOf('grown');

    await change('grown', {
      ports: [
        { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' },
        { name: 'admin', port: 81, targetPort: 8080, protocol: 'TCP' },
      ],
    });
    await world.until('the new port is in the slice', async () => (await portsOf('grown')).length === 2);

    const ports = await portsOf('grown');
    expect(ports.map(({ name }) => name)).toEqual(['http', 'admin']);
    expect(ports[0]?.port).toBe(before?.port);
    await world.until('the status tells', async () => (await world.get('grown')).status?.routes?.length === 2);
    expect(await world.scaleOf('grown')).toBe(0);
    expect(world.log.emptyMoments('grown')).toEqual([]);
  });

  it('by a port that no resolver listens on yet: whom it has stays until one does', async () => {
    await world.deploy('eager');
    await world.manage('eager');
    await world.asleep('eager');
    world.resolvers[0]?.tell({ namespace: shop, service: 'eager', listening: false });

    const asked = world.resolvers[0]?.rehearsals.length ?? 0;
    await change('eager', {
      ports: [
        { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' },
        { name: 'admin', port: 81, targetPort: 8080, protocol: 'TCP' },
      ],
    });
    await world.until('the resolver is asked', () => Promise.resolve((world.resolvers[0]?.rehearsals.length ?? 0) > asked + 1));
    expect([(await portsOf('eager')).length, await world.slicesOf('eager', 'proxy')]).toEqual([1, ['127.0.0.1']]);

    world.resolvers[0]?.tell({ namespace: shop, service: 'eager' });
    await world.until('the new port is in the slice', async () => (await portsOf('eager')).length === 2);
    expect(world.log.emptyMoments('eager')).toEqual([]);
  });

  it('into one that cannot sleep: it is woken, given back, and said', async () => {
    await world.deploy('retyped');
    await world.manage('retyped');
    await world.asleep('retyped');

    await change('retyped', { type: 'ExternalName', externalName: 'example.com', clusterIP: null, clusterIPs: null });

    await world.condition('retyped', 'Ready', 'False', 'ExternalNameService');
    await world.until('the target is back', async () => (await world.scaleOf('retyped')) === 1);
    await world.until('nothing of ours is left', async () => (await world.slicesOf('retyped', 'proxy')).length === 0);
  });

  it('by its name: the new Service is slept behind, and the old one has nothing of ours', async () => {
    await world.deploy('old');
    await world.manage('old');
    await world.asleep('old');

    await world.expose('renamed', { app: 'old' });
    await world.client.patch(ElastiService, { namespace: shop, name: 'old' }, { type: 'merge', body: { spec: { service: 'renamed' } } });
    await world.until('the new one is served', async () => (await world.slicesOf('renamed', 'proxy')).length === 1);
    await world.until('the old one is given back', async () => (await world.slicesOf('old', 'proxy')).length === 0);
    world.prometheus.say('old', NaN);

    expect((await world.wake(operator, 'renamed')).status).toBe(200);
    await world.awake('old');
    expect((await world.get('old')).status?.routes?.map(({ service }) => service)).toEqual(['renamed']);
  });

  it('by a ConfigMap of routes that is deleted: it comes back with the same ports', async () => {
    await world.deploy('kept');
    await world.manage('kept');
    await world.asleep('kept');
    const before = await portsOf('kept');

    await world.client.deleteAll(ConfigMap, { namespace: 'elasti', labelSelector: routesLabel });

    await world.until('the routes are written again', async () => {
      const { items } = await world.client.list(ConfigMap, { namespace: 'elasti', labelSelector: routesLabel });
      return items.some(({ data = {} }) => Object.values(data).some((text) => text.includes('"kept"')));
    });
    expect(await portsOf('kept')).toEqual(before);
  });
});

describe('routes that cannot be given', () => {
  let world: ElastiWorld;

  beforeEach(async () => {
    world = await ElastiWorld.start();
  });

  afterEach(async () => {
    await world.stop();
  });

  async function shard(number: number, data: Record<string, string>): Promise<void> {
    const metadata = { namespace: 'elasti', name: `elasti-routes-${number}`, labels: { [routesLabel]: 'true' } };
    await world.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }

  const recordOf = (service: string, port = 80) => JSON.stringify({ namespace: shop, service, port });

  it('because all are taken: the service sleeps behind the shared port, and the condition says so', async () => {
    for (let number = 0; number < 4; number++) {
      const ports = Array.from({ length: 2_500 }, (_, n) => 20_000 + number * 2_500 + n);
      await shard(number, Object.fromEntries(ports.map((port) => [String(port), recordOf(`former-${port}`)])));
    }
    await world.startOperator();
    await world.deploy('late');
    await world.manage('late');

    await world.condition('late', 'ServiceFound', 'True', 'RoutesExhausted');
    await world.asleep('late');

    const slice = await world.client.get(EndpointSlice, { namespace: shop, name: proxySliceName('late', 'IPv4') });
    expect(slice.ports).toEqual([{ name: 'http', port: 8012, protocol: 'TCP' }]);
  });

  it('because two claim one: neither is served by it, nothing sleeps behind it, and it is said', async () => {
    await shard(0, { '20000': recordOf('web') });
    await shard(1, { '20000': recordOf('other') });
    await world.startOperator();
    await world.deploy('web');
    await world.manage('web');

    await world.condition('web', 'ServiceFound', 'True', 'RouteDisputed');
    await world.polled(10);

    expect(await world.scaleOf('web')).toBe(1);
    expect([await world.slicesOf('web', 'proxy'), await world.slicesOf('web', 'standby')]).toEqual([[], []]);
  });

  it('because two claim one of several: nothing sleeps with a port that nobody answers on, and it is said', async () => {
    await shard(0, { '20000': recordOf('web', 81) });
    await shard(1, { '20000': recordOf('other') });
    await world.startOperator();
    const ports = [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'admin', port: 81, targetPort: 8080 },
    ];
    await world.deploy('web', 1, { ports });
    await world.manage('web');

    const { message } = await world.condition('web', 'ScaledDown', 'False', 'RouteDisputed');
    await world.condition('web', 'Ready', 'False', 'RouteDisputed');
    await world.polled(10);

    expect(message).toContain('port 81 of web');
    expect([await world.scaleOf('web'), await world.slicesOf('web', 'proxy')]).toEqual([1, []]);
  });
});
