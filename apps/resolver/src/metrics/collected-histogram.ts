import { Histogram, type HistogramConfiguration } from 'prom-client';
import type { Distribution } from './distribution';

/** What one series of a histogram holds at the moment of a scrape. */
export interface CollectedSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly distribution: Distribution;
}

interface CollectedValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly sharedLabels: object;
  readonly value: number;
}

/** A histogram that is read from where it is counted when Prometheus asks, so that counting costs no look at labels. */
export class CollectedHistogram extends Histogram {
  constructor(
    private readonly configuration: HistogramConfiguration<string>,
    private readonly read: () => Iterable<CollectedSeries>,
  ) {
    super(configuration);
  }

  /** What the registry and `get` call for the values. */
  getForPromString(): Promise<object> {
    const { name, help } = this.configuration;
    const values = [...this.read()].flatMap((series) => valuesOf(name, series));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }
}

function valuesOf(name: string, { labels, distribution }: CollectedSeries): CollectedValue[] {
  const sharedLabels = {};
  const buckets = distribution.cumulative();
  return [
    ...buckets.map(({ bound, count }) => ({ metricName: `${name}_bucket`, labels: { le: bound, ...labels }, sharedLabels, value: count })),
    { metricName: `${name}_sum`, labels, sharedLabels, value: distribution.sum },
    { metricName: `${name}_count`, labels, sharedLabels, value: buckets.at(-1)?.count ?? 0 },
  ];
}
