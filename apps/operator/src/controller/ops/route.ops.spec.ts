import type { RouteStatus } from '@elasti/api';
import type { Route, RouteGrant, RouteLedger, WantedPort } from '../../routes';
import { parseOperatorConfig } from '../../operator.config';
import { anElastiService, aService } from '../objects.fixture';
import { RouteOps } from './route.ops';

const signal = new AbortController().signal;
const key = (port: number) => ({ namespace: 'shop', service: 'web', port });

function setup(grant: Partial<RouteGrant> = {}) {
  const asked: { ports: readonly WantedPort[]; remembered?: readonly Route[] }[] = [];
  const released: string[] = [];
  const ledger: Pick<RouteLedger, 'ensure' | 'release'> = {
    ensure: async (_namespace, _service, ports, _signal, remembered) => {
      asked.push({ ports, remembered });
      return { routes: ports.map(({ port }) => ({ ...key(port), resolverPort: 20_000 + port })), without: [], disputed: [], ...grant };
    },
    release: async (namespace, service) => void released.push(`${namespace}/${service}`),
  };
  return { asked, released, routes: new RouteOps(ledger as RouteLedger, parseOperatorConfig({})) };
}

describe('RouteOps', () => {
  it('asks for a way for every TCP port, and for no other', async () => {
    const { asked, routes } = setup();
    const service = aService('web', {
      ports: [
        { name: 'http', port: 80 },
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'grpc', port: 90, protocol: 'TCP' },
      ],
    });

    const routed = await routes.route(anElastiService(), [service], signal);

    expect(asked).toMatchObject([{ ports: [{ port: 80 }, { port: 90 }] }]);
    expect(routed.routes).toEqual<RouteStatus[]>([
      { service: 'web', name: 'http', port: 80, resolverPort: 20_080 },
      { service: 'web', name: 'grpc', port: 90, resolverPort: 20_090 },
    ]);
    expect(routed.remarks).toEqual([]);
  });

  it('reminds the ledger of the ports that the status knows and the Service has', async () => {
    const { asked, routes } = setup();
    const status = {
      routes: [
        { service: 'web', port: 80, resolverPort: 20_007 },
        { service: 'api', port: 80, resolverPort: 20_008 },
        { service: 'web', port: 81, resolverPort: 20_009 },
      ],
    };

    await routes.route(anElastiService('web', { status }), [aService()], signal);

    expect(asked[0]?.remembered).toEqual([{ ...key(80), resolverPort: 20_007 }]);
  });

  it('lets a port without a way of its own use the shared one, and says so', async () => {
    const { routes } = setup({ routes: [], without: [key(80)] });

    const { services, remarks } = await routes.route(anElastiService(), [aService()], signal);

    expect(services[0]?.routes).toEqual([{ ...key(80), resolverPort: 8012 }]);
    expect(remarks).toMatchObject([{ reason: 'RoutesExhausted', message: expect.stringContaining('port 80 of web') }]);
  });

  it('serves no port that is claimed twice, and says so', async () => {
    const { routes } = setup({ routes: [], disputed: [key(80)] });

    const { services, remarks, disputes } = await routes.route(anElastiService(), [aService()], signal);

    expect(services[0]?.routes).toEqual([]);
    expect([remarks, disputes]).toMatchObject([[{ reason: 'RouteDisputed' }], [{ reason: 'RouteDisputed' }]]);
  });

  it('tells on which ports the server speaks first, and what it does not understand of that', async () => {
    const { asked, routes } = setup();
    const mail = aService('mail', { ports: [{ name: 'smtp', port: 25, appProtocol: 'smtp' }, { port: 80 }] });
    const sql = aService('sql', { ports: [{ port: 5432 }] });
    sql.metadata.annotations = { 'elasti.truefoundry.com/protocol': '5433=tcp-server-first' };

    const { remarks } = await routes.route(anElastiService(), [mail, sql], signal);

    expect(asked.map(({ ports }) => ports)).toEqual([[{ port: 25, speaksFirst: 'server' }, { port: 80 }], [{ port: 5432 }]]);
    expect(remarks).toMatchObject([{ reason: 'ProtocolNotUnderstood' }]);
  });

  it('releases', async () => {
    const { released, routes } = setup();

    await routes.release('shop', 'web', signal);

    expect(released).toEqual(['shop/web']);
  });
});
