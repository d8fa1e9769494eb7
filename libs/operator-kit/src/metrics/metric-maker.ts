import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';

const secondsBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Makes metrics in one registry, which is there before the fields of a class that extends this. */
export abstract class MetricMaker {
  private readonly samplers = new Set<() => void>();

  protected constructor(readonly registry: Registry) {}

  /** Calls `sample` at every scrape, before values that only a look can tell are read; the returned function ends it. */
  onScrape(sample: () => void): () => void {
    this.samplers.add(sample);
    return () => void this.samplers.delete(sample);
  }

  protected counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  protected gauge<L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  protected sampledGauge<L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> {
    const collect = () => this.samplers.forEach((sample) => sample());
    return new Gauge({ name, help, labelNames, registers: [this.registry], collect });
  }

  protected histogram<L extends string>(name: string, help: string, labelNames: L[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets: secondsBuckets, registers: [this.registry] });
  }
}
