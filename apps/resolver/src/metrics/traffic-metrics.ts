import { Counter, Gauge, type Registry } from 'prom-client';
import type { HoldingGate } from '../gate';
import { CollectedHistogram, type CollectedSeries } from './collected-histogram';
import type { Distribution } from './distribution';
import { metricOptions } from './metric-options';
import type { ServiceSeries } from './service-series';
import type { TrafficMeter } from './traffic-meter';

export interface MetricSources {
  readonly meter: TrafficMeter;
  readonly gate: Pick<HoldingGate, 'activity'>;
  readonly forwarder: { readonly openConnections: number; readonly openUpstreams: number };
  readonly routes: { readonly notListening: number };
}

type Labels = Record<string, string>;
type Sample = readonly [labels: Labels, value: number];

const {
  hostExtraction,
  queued,
  requests,
  trafficSwitch,
  operatorRpc,
  held,
  wake,
  firstByte,
  rejected,
  lost,
  probes,
  connections,
  deafRoutes,
  upstreams,
  open,
} = metricOptions;

/**
 * Shows in a registry what the resolver counts. Everything is read when Prometheus asks and kept nowhere else, so a series is gone with its Service.
 *
 * Takes the place of what an earlier application of this process has registered under the same names.
 */
export class TrafficMetrics {
  constructor(
    private readonly registry: Registry,
    { meter, gate, forwarder, routes }: MetricSources,
  ) {
    const services = () => [...meter.series()];
    const activity = () => gate.activity();
    this.counter(hostExtraction, () =>
      (['header', 'host', 'none'] as const).map((source) => [
        { extractionType: source === 'none' ? 'host' : source, error: source === 'none' ? 'unknown' : 'success' },
        meter.extractions[source],
      ]),
    );
    this.counter(operatorRpc, () =>
      Object.entries(meter.wakeCalls).map(([outcome, count]) => [{ error: outcome === 'accepted' ? 'success' : outcome }, count]),
    );
    this.counter(trafficSwitch, () =>
      services()
        .flatMap((series): Sample[] => [
          [{ ...sourceOf(series), enabled: 'true' }, series.switches.proxy],
          [{ ...sourceOf(series), enabled: 'false' }, series.switches.serve],
        ])
        .filter(isCounted),
    );
    this.counter(rejected, () => [
      ...services().flatMap((series) => refusals(serviceOf(series), series.refusals)),
      ...refusals(serviceOf(nobody), meter.strays),
    ]);
    const perService = (count: (series: ServiceSeries) => number) => () =>
      services()
        .map((series) => [serviceOf(series), count(series)] as const)
        .filter(isCounted);
    this.counter(
      lost,
      perService((series) => series.lost),
    );
    this.counter(
      probes,
      perService((series) => series.probes),
    );
    this.gauge(queued, () => activity().map((seen) => [sourceOf(seen), seen.held]));
    this.gauge(open, () => activity().map((seen) => [serviceOf(seen), seen.open]));
    this.gauge(connections, () => [[{}, forwarder.openConnections]]);
    this.gauge(deafRoutes, () => [[{}, routes.notListening]]);
    this.gauge(upstreams, () => [[{}, forwarder.openUpstreams]]);
    this.histogram(requests, () =>
      services().flatMap((series) =>
        [...series.answers()].map(({ status, error, seconds }) => ({
          labels: { ...sourceOf(series), status, error },
          distribution: seconds,
        })),
      ),
    );
    this.histogram(held, () => services().flatMap((series) => collected(series, series.held)));
    this.histogram(wake, () => services().flatMap((series) => collected(series, series.wakes)));
    this.histogram(firstByte, () => [{ labels: {}, distribution: meter.firstBytes }]);
  }

  private counter(options: { name: string; help: string; labelNames?: string[] }, read: () => Iterable<Sample>): void {
    this.registry.removeSingleMetric(options.name);
    const collect = function (this: Counter): void {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    };
    this.registry.registerMetric(new Counter({ ...options, registers: [], collect }));
  }

  private gauge(options: { name: string; help: string; labelNames?: string[] }, read: () => Iterable<Sample>): void {
    this.registry.removeSingleMetric(options.name);
    const collect = function (this: Gauge): void {
      this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    };
    this.registry.registerMetric(new Gauge({ ...options, registers: [], collect }));
  }

  private histogram(
    options: { name: string; help: string; labelNames: string[]; buckets: number[] },
    read: ConstructorParameters<typeof CollectedHistogram>[1],
  ): void {
    this.registry.removeSingleMetric(options.name);
    this.registry.registerMetric(new CollectedHistogram({ ...options, registers: [] }, read));
  }
}

/** Whom a request is for that does not say so. */
const nobody = { namespace: '', service: '' };

function refusals(service: Labels, counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([reason, count]) => [{ ...service, reason: reason.replaceAll(' ', '_') }, count]);
}

/** Thousands of services may be known of which nothing has been seen. */
function isCounted([, value]: Sample): boolean {
  return value > 0;
}

function collected(series: ServiceSeries, distribution: Distribution | undefined): CollectedSeries[] {
  return distribution ? [{ labels: serviceOf(series), distribution }] : [];
}

function serviceOf({ namespace, service }: Pick<ServiceSeries, 'namespace' | 'service'>): Labels {
  return { namespace, service };
}

function sourceOf({ namespace, service }: Pick<ServiceSeries, 'namespace' | 'service'>): Labels {
  return { namespace, source: service };
}
