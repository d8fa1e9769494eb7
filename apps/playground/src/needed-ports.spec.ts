import { Service } from '@elasti/operator-kit';
import { buildDemo, buildInstallation, planNetwork } from './manifests';
import { listNeededPorts } from './needed-ports';
import { type ClusterOptions, parseOptions, type SimulatorOptions } from './options';

function needed(...args: string[]) {
  const options = parseOptions(args, 'linux') as SimulatorOptions | ClusterOptions;
  const plan = planNetwork(options.port, options.network);
  const ports = listNeededPorts(options, plan);
  const placed = [...buildInstallation({ root: '', kubeconfig: '', plan, pace: 'quick' }), ...buildDemo('', plan)];
  const services = placed.flatMap(([resource, object]) => {
    const { clusterIP = '', ports: served = [] } = (resource === Service ? (object as Service).spec : undefined) ?? {};
    return served.map(({ port }) => `${clusterIP}:${port}`);
  });
  return { ports, addresses: ports.map(({ host, port }) => `${host}:${port}`), services };
}

describe('listNeededPorts', () => {
  it('has every port of every Service on the address that the Service asks for', () => {
    const { addresses, services } = needed();

    expect(services).toHaveLength(6);
    expect(addresses).toEqual(expect.arrayContaining(services));
  });

  it('has the same addresses for ports that are 32 apart, and advises a port that has others', () => {
    const [first, second, advised] = [needed('--port', '6464'), needed('--port', '6496'), needed('--port', '6506')];

    expect(second.services).toEqual(first.services);
    expect(second.ports.find(({ host }) => host === first.services[0]?.split(':')[0])?.wayOut).toContain('npm start -- --port 6506');
    expect(advised.services.filter((address) => first.services.includes(address))).toEqual([]);
  });

  it('advises the other network for a port that somebody has on every address', () => {
    const everywhere = needed().ports.filter(({ scope }) => scope === 'everywhere');

    expect(everywhere.filter(({ wayOut }) => wayOut === 'use `npm start -- --network ports`').map(({ port }) => port)).toEqual([
      8013, 8012, 8081, 6480,
    ]);
  });

  it.each(['addresses', 'ports'])(
    "has the ports of the resolver's routes with pods that have %s of their own, which nothing else can replace",
    (network) => {
      const routes = needed('--network', network).ports.filter(({ port }) => port >= 20_000);

      expect(routes.map(({ port, wayOut }) => [port, wayOut])).toEqual([20_000, 20_001, 20_002].map((port) => [port, undefined]));
    },
  );

  it('has the API server and its neighbours, where all share one address', () => {
    expect(needed('--network', 'ports').addresses).toEqual([6464, 6465, 6466, 20_000, 20_001, 20_002].map((port) => `127.0.0.1:${port}`));
  });

  it('has nothing of the demonstration beside a cluster, and advises what may be said beside --kubeconfig', () => {
    const { ports } = needed('--kubeconfig', 'here');

    expect([...new Set(ports.map(({ port }) => port))]).toEqual([6464, 8013, 8012, 8081]);
    expect([...new Set(ports.map(({ wayOut }) => wayOut))]).toEqual([
      'choose another with `npm start -- --kubeconfig here --port 6474`',
      'use `npm start -- --kubeconfig here --network ports`',
    ]);
  });
});
