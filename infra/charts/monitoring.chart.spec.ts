import { Testing } from 'cdk8s';
import { leaseName as leaseOfTheOperator } from '../../apps/operator/src/names';
import { synthesize } from './manifest.fixture';
import { MonitoringChart, type MonitoringProps } from './monitoring.chart';
import { buildAlerts, leaseName } from './monitoring/alerts';
import { dashboardRows, dashboardVariables } from './monitoring/dashboard';
import { type ExposedMetrics, operatorMetrics, resolverMetrics } from './monitoring/exposed-metrics.fixture';
import { groupingIn, seriesIn } from './monitoring/named-series.fixture';

interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  spec?: {
    selector?: { matchLabels?: Record<string, string> };
    endpoints?: { port: string; path: string }[];
    ports?: { name: string; port: number; targetPort?: number }[];
  };
}

const synth = (props: MonitoringProps = {}) => Testing.synth(new MonitoringChart(Testing.app(), 'monitoring', props)) as Manifest[];
const alerts = buildAlerts({ namespace: 'elasti' }).flatMap(({ rules }) => rules);
const panels = dashboardRows({ namespace: 'elasti' }).flatMap((row) => row.panels);
const queries = [...alerts.map(({ expr }) => expr), ...panels.flatMap((panel) => panel.queries.map(({ expr }) => expr))];
/** What Prometheus itself knows of the pod that it scraped. */
const targetLabels = ['namespace', 'pod', 'instance', 'job'];

/** What a ServiceMonitor finds: the Services by its labels, their ports by its port's name. */
function scraped(monitor: Manifest, services: readonly Manifest[]): string[] {
  const wanted = Object.entries(monitor.spec?.selector?.matchLabels ?? {});
  const found = services.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value));
  return found.flatMap(({ metadata, spec }) =>
    (spec?.ports ?? [])
      .filter(({ name }) => monitor.spec?.endpoints?.some(({ port }) => port === name))
      .map(({ port, targetPort }) => `${metadata.name} ${targetPort ?? port}`),
  );
}

describe('MonitoringChart', () => {
  it('synthesizes what is reviewed in the snapshot', () => {
    const [withoutDashboard, dashboard] = [synth().filter(({ kind }) => kind !== 'ConfigMap'), dashboardRows({ namespace: 'elasti' })];

    expect({ withoutDashboard, dashboard }).toMatchSnapshot();
  });

  it('scrapes each program once, on its port for metrics', () => {
    const services = (synthesize() as Manifest[]).filter(({ kind }) => kind === 'Service');
    const monitors = synth().filter(({ kind }) => kind === 'ServiceMonitor');

    expect(monitors.map((monitor) => scraped(monitor, services))).toEqual([
      ['elasti-operator-controller-manager-metrics-service 8013'],
      ['elasti-resolver-service 8013'],
    ]);
  });

  it('carries the labels by which a Prometheus picks what is its own', () => {
    const labelled = synth({ labels: { release: 'stack' } }).filter(({ metadata }) => metadata.labels?.release === 'stack');

    expect(labelled.map(({ kind }) => kind)).toEqual(['ServiceMonitor', 'ServiceMonitor', 'PrometheusRule']);
  });

  it('has a dashboard that Grafana finds and can read', () => {
    const [dashboard] = synth().filter(({ kind }) => kind === 'ConfigMap');

    expect(dashboard?.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    expect(JSON.parse(dashboard?.data?.['elasti.json'] ?? '')).toMatchObject({ uid: 'elasti', title: 'Elasti' });
  });

  it('puts everything into the namespace asked for, and asks there for its leader and resolvers', () => {
    const text = JSON.stringify(synth({ namespace: 'sleepers' }));

    expect(text).toContain('namespace=\\"sleepers\\"');
    expect(text.includes('namespace=\\"elasti\\"')).toBe(false);
    expect(new Set(synth({ namespace: 'sleepers' }).map(({ metadata }) => metadata.namespace))).toEqual(new Set(['sleepers']));
  });
});

describe('what alerts and dashboard ask for', () => {
  let exposed: ExposedMetrics;

  beforeAll(async () => {
    exposed = new Map([...(await operatorMetrics()), ...(await resolverMetrics())]);
  });

  it.each(queries)('is shown by the programs, with its labels: %s', (query) => {
    const series = seriesIn(query);
    const known = series.flatMap(({ metric }) => exposed.get(metric) ?? []);

    expect(series.filter(({ metric }) => !exposed.has(metric)).map(({ metric }) => metric)).toEqual([]);
    const unknownLabels = series.flatMap(({ metric, labels }) =>
      labels.filter((label) => ![...(exposed.get(metric) ?? []), ...targetLabels].includes(label)),
    );
    expect(unknownLabels).toEqual([]);
    expect(groupingIn(query).filter((label) => ![...known, ...targetLabels].includes(label))).toEqual([]);
  });

  it('is chosen by labels that there are', () => {
    const asked = dashboardVariables.map(({ query }) => /^label_values\((\w+)(?:\{[^}]*\})?, (\w+)\)$/.exec(query)?.slice(1) ?? [query]);

    expect(asked.filter(([metric = '', label = '']) => !exposed.get(metric)?.includes(label))).toEqual([]);
  });

  it("tells the operator's lease from those of other controllers", () => {
    expect(leaseName).toBe(leaseOfTheOperator);
  });
});

describe('every alert', () => {
  it.each(alerts)('$alert says what happened and what to do, with labels that its query keeps', ({ expr, annotations }) => {
    const used = [
      ...Object.values(annotations)
        .join(' ')
        .matchAll(/\$labels\.(\w+)/g),
    ].map(([, label = '']) => label);

    expect(Object.values(annotations).every((text) => text.length > 15)).toBe(true);
    expect(used.filter((label) => !groupingIn(expr).includes(label))).toEqual([]);
  });

  it('has a name of its own', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });
});

describe('seriesIn', () => {
  it('finds metrics with and without labels, and neither functions nor words', () => {
    const query = 'sum by (a) ((x{b="1",c!~"2"} unless x{b="1"} offset 5m) or increase(y[5m])) / on (d) z_total > 0.5 or vector(0)';

    expect(seriesIn(query)).toEqual([
      { metric: 'x', labels: ['b', 'c'] },
      { metric: 'x', labels: ['b'] },
      { metric: 'y', labels: [] },
      { metric: 'z_total', labels: [] },
    ]);
    expect(groupingIn(query)).toEqual(['a', 'd']);
  });
});
