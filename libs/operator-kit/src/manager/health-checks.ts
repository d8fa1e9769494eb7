import { type Clock, untilAborted, withTimeout } from '../clock';
import type { Logger } from '../logging';

/** Passes by returning, fails by throwing. */
export type HealthCheck = (signal: AbortSignal) => void | Promise<void>;

export interface HealthReport {
  readonly endpoint: string;
  readonly healthy: boolean;
  readonly checks: readonly { name: string; outcome: 'ok' | 'failed' | 'excluded' }[];
}

const checkTimeoutMs = 2_000;

/**
 * Named checks behind one probe.
 *
 * They run together, each bounded in time. Why one failed is logged once and never shown: whoever can reach a probe is not thereby trusted.
 */
export class HealthChecks {
  private readonly checks = new Map<string, HealthCheck>();
  private readonly failing = new Set<string>();

  constructor(
    readonly endpoint: 'healthz' | 'readyz',
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** @throws when the name is taken, or cannot be part of a URL. */
  add(name: string, check: HealthCheck): void {
    if (!/^[a-zA-Z0-9._-]+$/.test(name)) throw new TypeError(`health check name '${name}': use letters, digits, '.', '_' and '-' only`);
    if (this.checks.has(name)) throw new TypeError(`health check name '${name}' is taken: ${this.endpoint} checks need distinct names`);
    this.checks.set(name, check);
  }

  /** All checks but the excluded ones, or only the named one; undefined when there is none of that name. */
  async report(selection: { only?: string; exclude?: readonly string[] } = {}): Promise<HealthReport | undefined> {
    const { only, exclude = [] } = selection;
    if (only !== undefined && !this.checks.has(only)) return undefined;

    const selected = [...this.checks].filter(([name]) => only === undefined || name === only);
    const checks = await Promise.all(
      selected.map(async ([name, check]) => ({
        name,
        outcome: exclude.includes(name) ? ('excluded' as const) : await this.run(name, check),
      })),
    );
    return { endpoint: this.endpoint, healthy: checks.every(({ outcome }) => outcome !== 'failed'), checks };
  }

  private async run(name: string, check: HealthCheck): Promise<'ok' | 'failed'> {
    const bounds = { clock: this.clock, timeoutMs: checkTimeoutMs, reason: () => new Error(`no verdict within ${checkTimeoutMs} ms`) };
    try {
      await withTimeout(bounds, (signal) => untilAborted(Promise.resolve(check(signal)), signal));
      if (this.failing.delete(name)) this.logger.info('a health check passes again', { endpoint: this.endpoint, check: name });
      return 'ok';
    } catch (error) {
      if (!this.failing.has(name)) this.logger.warn('a health check fails', { endpoint: this.endpoint, check: name, error });
      this.failing.add(name);
      return 'failed';
    }
  }
}

/** The text Kubernetes' own components answer a probe with. */
export function formatReport(report: HealthReport, detail: 'brief' | 'verbose'): string {
  if (report.healthy && detail === 'brief') return 'ok';

  const lines = report.checks.map(({ name, outcome }) => {
    switch (outcome) {
      case 'ok':
        return `[+]${name} ok`;
      case 'excluded':
        return `[+]${name} excluded: ok`;
      case 'failed':
        return `[-]${name} failed: reason withheld`;
    }
  });
  return [...lines, `${report.endpoint} check ${report.healthy ? 'passed' : 'failed'}`, ''].join('\n');
}
