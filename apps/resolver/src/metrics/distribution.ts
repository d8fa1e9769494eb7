/** Counts values by their size, as a histogram of Prometheus does, without looking at a label: fit for the hot path. */
export class Distribution {
  /** How many values are at most each bound and above the one before; the last are above all. */
  private readonly counts: Float64Array;
  private total = 0;

  /** Bounds from small to large. */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let at = 0;
    while (value > (this.bounds[at] ?? Infinity)) at++;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.total += value;
  }

  get sum(): number {
    return this.total;
  }

  /** How many values are at most each bound, the last without a bound: how many there are. */
  cumulative(): { readonly bound: number | '+Inf'; readonly count: number }[] {
    let count = 0;
    return Array.from(this.counts, (own, at) => ({ bound: this.bounds[at] ?? '+Inf', count: (count += own) }));
  }
}
