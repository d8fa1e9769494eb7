import type { Logger } from '../logging';
import { ServiceUnavailableException } from '@nestjs/common';
import type { HealthCheckResult } from '@nestjs/terminus';

export type Probe = 'healthz' | 'readyz';

/** Logs when a probe begins to fail, with what is down, and when it passes again; kubelets ask too often to log each time. */
export class ProbeJournal {
  private readonly failing = new Set<Probe>();

  constructor(private readonly logger: Logger) {}

  passes(probe: Probe): void {
    if (this.failing.delete(probe)) this.logger.info('a probe passes again', { probe });
  }

  fails(probe: Probe, result: Pick<HealthCheckResult, 'status' | 'error'>): void {
    if (this.failing.has(probe)) return;
    this.failing.add(probe);
    this.logger.warn('a probe fails', { probe, status: result.status, down: result.error });
  }
}

/** What terminus found, out of the exception it answers with. */
export function resultOf(exception: unknown): HealthCheckResult | undefined {
  return exception instanceof ServiceUnavailableException ? (exception.getResponse() as HealthCheckResult) : undefined;
}
