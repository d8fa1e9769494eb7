import type { Clock } from '@elasti/operator-kit';

/** Keeps values for a time; of too many the one that was asked for longest ago goes first. */
export class ExpiringCache<V> {
  private readonly entries = new Map<string, { readonly value: V; readonly untilMs: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly maxEntries: number,
    private readonly ttlMs: number,
  ) {}

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    this.entries.delete(key);
    if (!entry || entry.untilMs <= this.clock.monotonic()) return undefined;
    this.entries.set(key, entry);
    return entry.value;
  }

  put(key: string, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, { value, untilMs: this.clock.monotonic() + this.ttlMs });
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size > this.maxEntries) this.entries.delete(oldest);
  }
}
