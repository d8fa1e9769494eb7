import type { Lease } from '../client';
import type { Clock } from '../clock';
import { fingerprintOf, holderOf } from './lease-record';

/**
 * What this process has seen of a Lease, and when.
 *
 * The times inside the record come from another machine's clock and are never compared with ours: a Lease is expired
 * when this process has not seen its record change for as long as its holder promised.
 */
export class ObservedLease {
  private fingerprint?: string;
  private changedAtMs = 0;
  private durationMs = 0;
  holder = '';

  constructor(
    private readonly clock: Clock,
    private readonly defaultDurationMs: number,
  ) {}

  see(lease: Lease): void {
    const fingerprint = fingerprintOf(lease);
    if (fingerprint === this.fingerprint) return;

    this.fingerprint = fingerprint;
    this.changedAtMs = this.clock.monotonic();
    this.durationMs = lease.spec?.leaseDurationSeconds ? lease.spec.leaseDurationSeconds * 1000 : this.defaultDurationMs;
    this.holder = holderOf(lease);
  }

  /** Zero or less: expired. */
  get remainingMs(): number {
    return this.changedAtMs + this.durationMs - this.clock.monotonic();
  }
}
