import type { KitMetrics } from '../metrics';

/** One queue's share of the kit's metrics. What is still in work is looked at when somebody scrapes, so no timer runs for it. */
export class QueueMeter {
  private readonly labels: { name: string };
  private readonly stopSampling: () => void;

  constructor(
    name: string,
    private readonly metrics: KitMetrics,
    /** How long each key in work has taken so far. */
    private readonly inWorkMs: () => number[],
  ) {
    this.labels = { name };
    this.depth(0);
    this.sample();
    this.stopSampling = metrics.onScrape(() => this.sample());
  }

  depth(keys: number): void {
    this.metrics.queueDepth.set(this.labels, keys);
  }

  added(): void {
    this.metrics.queueAdds.inc(this.labels);
  }

  retried(): void {
    this.metrics.queueRetries.inc(this.labels);
  }

  taken(waitedMs: number): void {
    this.metrics.queueSeconds.observe(this.labels, waitedMs / 1000);
  }

  finished(tookMs: number): void {
    this.metrics.workSeconds.observe(this.labels, tookMs / 1000);
  }

  /** Nothing comes any more: the queue must not be kept alive by its metrics. */
  close(): void {
    this.sample();
    this.stopSampling();
  }

  private sample(): void {
    const inWorkMs = this.inWorkMs();
    const totalMs = inWorkMs.reduce((sum, ms) => sum + ms, 0);
    this.metrics.unfinishedSeconds.set(this.labels, totalMs / 1000);
    this.metrics.longestRunningSeconds.set(this.labels, Math.max(0, ...inWorkMs) / 1000);
  }
}
