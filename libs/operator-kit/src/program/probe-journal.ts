import type { Logger } from '../logging';
import { ServiceUnavailableException } from '@nestjs/common';
import type { HealthCheckResult } from '@nestjs/terminus';

type Probe = 'healthz' | 'readyz';

/** Logs when a probe begins to fail, with what is down, and when it passes again; kubelets ask too often to log each time. */
export class ProbeJournal {
  private readonly failing = new Set<Probe>();

  constructor(private readonly logger: Logger) {}

  /** Runs a probe's check and answers as it did, but for a process that stops in order: that one is alive. */
  async follow(probe: Probe, check: () => Promise<HealthCheckResult>): Promise<HealthCheckResult> {
    try {
      const result = await check();
      if (this.failing.delete(probe)) this.logger.info('a probe passes again', { probe });
      return result;
    } catch (error) {
      const result = resultOf(error);
      if (!result) throw error;
      if (probe === 'healthz' && isOrderlyStop(result)) return result;
      this.noteFailure(probe, result);
      throw error;
    }
  }

  private noteFailure(probe: Probe, { status, error }: HealthCheckResult): void {
    if (this.failing.has(probe)) return;
    this.failing.add(probe);
    this.logger.warn('a probe fails', { probe, status, down: error });
  }
}

/** What terminus found, out of the exception it answers with. */
function resultOf(exception: unknown): HealthCheckResult | undefined {
  return exception instanceof ServiceUnavailableException ? (exception.getResponse() as HealthCheckResult) : undefined;
}

function isOrderlyStop({ status, error }: HealthCheckResult): boolean {
  return status === 'shutting_down' && Object.keys(error ?? {}).length === 0;
}
