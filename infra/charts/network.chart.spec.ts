import { synthesizeChart } from './manifest.fixture';
import { operatorLabels, resolverLabels } from './names';
import { type End, type Flow, PolicyEvaluator } from './network-policy.fixture';

const ends = {
  operator: { namespace: 'elasti', labels: operatorLabels },
  resolver: { namespace: 'elasti', labels: resolverLabels },
  /** Of the same labels, and not ours. */
  impostor: { namespace: 'shop', labels: { ...operatorLabels, ...resolverLabels } },
  target: { namespace: 'shop', labels: { app: 'web' } },
  neighbour: { namespace: 'elasti', labels: { app: 'something-else' } },
  prometheus: { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'prometheus' } },
  dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  apiServer: { ip: '192.0.2.10' },
  outside: { ip: '203.0.113.7' },
} as const satisfies Record<string, End>;
type Name = keyof typeof ends;

const names = Object.keys(ends) as Name[];
const ports = [53, 80, 443, 5432, 6443, 8012, 8013, 8080, 8081, 9090, 19_999, 20_000, 24_680, 29_999, 30_000];

/** Who may call whom: from, to, and the ports; everything else is refused. */
type Row = readonly [from: readonly Name[], to: readonly Name[], ports: readonly number[]];
const everybody = names;
const others = names.filter((name) => name !== 'operator' && name !== 'resolver');
const ours = ['operator', 'resolver'] as const;
const traffic = [8012, 20_000, 24_680, 29_999];

const table: readonly Row[] = [
  // The API server may be anywhere, and so may DNS: only their ports are known.
  [ours, others, [443, 6443, 53]],
  [['resolver'], ['operator'], [8013]],
  [['operator'], ['resolver'], [8013]],
  // The operator is somebody who may reach a sleeping Service, were it to ask for one; its own policy lets it not.
  [[...others, 'resolver'], ['resolver'], traffic],
  [['resolver'], ['impostor', 'target', 'neighbour', 'prometheus', 'dns'], ports],
  [['operator'], others, [9090]],
  [['prometheus'], ours, [8013]],
];

const isListed = (rows: readonly Row[], from: Name, to: Name, port: number) =>
  rows.some(([froms, tos, allowed]) => froms.includes(from) && tos.includes(to) && allowed.includes(port));

/** Every flow that a policy of ours has a say in. */
const flows = everybody.flatMap((from) =>
  names.flatMap((to) => {
    const concerns = [from, to].some((name) => name === 'operator' || name === 'resolver');
    return concerns ? ports.map((port) => ({ from, to, port })) : [];
  }),
);

function evaluator(given: object = {}) {
  const policies = new PolicyEvaluator(synthesizeChart('network', given));
  return (from: Name, to: Name, port: number, protocol?: Flow['protocol']) =>
    policies.isAllowed({ from: ends[from], to: ends[to], port, protocol });
}

describe('NetworkChart', () => {
  it('allows every flow of the table of who may call whom, and refuses every other', () => {
    const isAllowed = evaluator();

    const told = flows.map(({ from, to, port }) => `${from} -> ${to}:${port} ${isAllowed(from, to, port) ? 'allowed' : 'refused'}`);
    const expected = flows.map(
      ({ from, to, port }) => `${from} -> ${to}:${port} ${isListed(table, from, to, port) ? 'allowed' : 'refused'}`,
    );
    expect(told.filter((line, index) => line !== expected[index])).toEqual([]);
    expect(told.filter((line) => line.endsWith('refused')).length).toBeGreaterThan(100);
  });

  it('allows UDP for names and for nothing else', () => {
    const isAllowed = evaluator();
    const answered = flows.filter(({ from, to, port }) => isAllowed(from, to, port, 'UDP'));

    expect(new Set(answered.map(({ from, port }) => `${from} ${port}`))).toEqual(new Set(['operator 53', 'resolver 53']));
  });

  it('forwards only into the namespaces that are looked after', () => {
    const isAllowed = evaluator({ watchNamespaces: ['shop'] });

    expect([isAllowed('resolver', 'target', 5432), isAllowed('resolver', 'neighbour', 5432)]).toEqual([true, false]);
  });

  it('reaches the API server and targets beyond the network only where their addresses say', () => {
    const isAllowed = evaluator({ network: { apiServerCidrs: ['192.0.2.0/24'], targetCidrs: ['203.0.113.0/24'], prometheusPorts: [] } });

    expect([isAllowed('operator', 'apiServer', 6443), isAllowed('operator', 'outside', 6443)]).toEqual([true, false]);
    expect([isAllowed('resolver', 'outside', 5432), isAllowed('resolver', 'apiServer', 5432)]).toEqual([true, false]);
  });

  it("adds the port of the settings' own Prometheus, and that of Sentry where errors go to it", () => {
    const isAllowed = evaluator({
      network: { apiServerCidrs: ['192.0.2.0/24'], prometheusPorts: [] },
      operator: { prometheus: { serverAddress: 'http://prometheus.monitoring/base' } },
    });
    const withSentry = evaluator({ network: { apiServerCidrs: ['192.0.2.0/24'] }, sentry: { secretName: 'errors' } });

    expect([80, 443, 9090].map((port) => isAllowed('operator', 'prometheus', port))).toEqual([true, false, false]);
    expect([isAllowed('resolver', 'outside', 443), withSentry('resolver', 'outside', 443)]).toEqual([false, true]);
  });

  it('lets only those read metrics whom the settings name', () => {
    const scrapers = { namespaceLabels: { 'kubernetes.io/metadata.name': 'observability' } };
    const isAllowed = evaluator({ network: { scrapers } });

    expect(isAllowed('prometheus', 'operator', 8013)).toBe(false);
  });

  it('needs no range of ports where all are meant, which not every data plane knows', () => {
    const ranges = JSON.stringify(synthesizeChart('network')).match(/"endPort":\d+/g);

    expect(ranges).toEqual(['"endPort":29999']);
  });

  it('is not there where the settings want none', () => {
    expect(synthesizeChart('network', { network: { policies: false } })).toEqual([]);
  });
});
