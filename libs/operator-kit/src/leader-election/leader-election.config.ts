import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { LeaderElectionConfigError } from './leader-election.errors';

/** Two candidates that began to wait together must not keep calling together: a wait is stretched by up to this factor. */
export const jitterFactor = 1.2;

export interface LeaderElectionOptions {
  /** Where the Lease lives; usually the namespace the process runs in. */
  namespace: string;
  /** The Lease's name: whoever shares it competes for one lead. */
  name: string;
  /** Must differ between processes. Default: the host's name and a random suffix. */
  identity?: string;
  /** How long the others wait after the last renewal they saw before they take over. Whole seconds. Default 15 s. */
  leaseDurationMs?: number;
  /** The leader gives up when no renewal has succeeded for this long. Default 10 s. */
  renewDeadlineMs?: number;
  /** Between two attempts to take or renew the Lease. Default 2 s. */
  retryPeriodMs?: number;
}

export type LeaderElectionConfig = Readonly<Required<LeaderElectionOptions>>;

/** @throws LeaderElectionConfigError naming every mistake. */
export function leaderElectionConfig(options: LeaderElectionOptions): LeaderElectionConfig {
  const config: LeaderElectionConfig = Object.freeze({
    namespace: options.namespace,
    name: options.name,
    identity: options.identity ?? `${hostname()}_${randomUUID()}`,
    leaseDurationMs: options.leaseDurationMs ?? 15_000,
    renewDeadlineMs: options.renewDeadlineMs ?? 10_000,
    retryPeriodMs: options.retryPeriodMs ?? 2_000,
  });
  const mistakes = [...findNameMistakes(config), ...findTimingMistakes(config)];
  if (mistakes.length > 0) throw new LeaderElectionConfigError(mistakes);
  return config;
}

function findNameMistakes({ namespace, name, identity }: LeaderElectionConfig): string[] {
  return Object.entries({ namespace, name, identity })
    .filter(([, value]) => !value)
    .map(([field]) => `${field} is empty: give it a value`);
}

function findTimingMistakes({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaderElectionConfig): string[] {
  const mistakes: string[] = [];
  for (const [field, value] of Object.entries({ leaseDurationMs, renewDeadlineMs, retryPeriodMs })) {
    if (!(value > 0 && Number.isFinite(value))) mistakes.push(`${field} is ${value}: give it a positive number of milliseconds`);
  }
  if (leaseDurationMs > 0 && leaseDurationMs % 1000 !== 0) {
    mistakes.push(`leaseDurationMs is ${leaseDurationMs}: a Lease counts whole seconds, give it a multiple of 1000`);
  }
  if (!(leaseDurationMs > renewDeadlineMs)) {
    mistakes.push(
      `leaseDurationMs (${leaseDurationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs}), or two processes could lead`,
    );
  }
  if (!(renewDeadlineMs > retryPeriodMs * jitterFactor)) {
    mistakes.push(
      `renewDeadlineMs (${renewDeadlineMs}) must be greater than retryPeriodMs * ${jitterFactor} (${retryPeriodMs * jitterFactor}), ` +
        'or one slow answer loses the lead',
    );
  }
  return mistakes;
}
