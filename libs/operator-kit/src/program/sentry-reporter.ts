import type { Clock } from '../clock';
import type { LogFields } from '../logging';
import type { ErrorReporter } from './reporting-logger';

/** What is used of Sentry. */
export interface SentryHub {
  captureException(error: Error, hint: { captureContext: { level: 'error'; extra: LogFields } }): unknown;
}

const windowMs = 60_000;
const maxPerWindow = 60;

/** Reports to Sentry at most sixty errors a minute: an error in a loop must not use up what is paid for. */
export class SentryReporter implements ErrorReporter {
  private windowStartMs = -Infinity;
  private reported = 0;

  constructor(
    private readonly hub: SentryHub,
    private readonly clock: Clock,
  ) {}

  report(message: string, { error, ...fields }: LogFields): void {
    const nowMs = this.clock.monotonic();
    if (nowMs - this.windowStartMs >= windowMs) {
      this.windowStartMs = nowMs;
      this.reported = 0;
    }
    if (this.reported >= maxPerWindow) return;
    this.reported++;
    const exception = error instanceof Error ? error : new Error(message);
    this.hub.captureException(exception, { captureContext: { level: 'error', extra: { ...fields, logged: message } } });
  }
}
