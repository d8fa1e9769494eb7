import type { Clock } from '../clock';
import type { LogFields, Logger } from '../logging';

/** Warns at most once in an interval, and tells with the next line how many were left unsaid: callers decide how often things fail. */
export class SparseLog {
  private saidAtMs = -Infinity;
  private unsaid = 0;

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
    private readonly intervalMs = 1_000,
  ) {}

  warn(message: string, fields: LogFields): void {
    const nowMs = this.clock.monotonic();
    if (nowMs - this.saidAtMs < this.intervalMs) {
      this.unsaid++;
      return;
    }
    this.logger.warn(message, { ...fields, ...(this.unsaid > 0 && { unsaid: this.unsaid }) });
    this.saidAtMs = nowMs;
    this.unsaid = 0;
  }
}
