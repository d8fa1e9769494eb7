import type { DryRunStatus } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';

/**
 * What one round says about a service that would sleep and wake.
 *
 * `idle`: it would be asleep; `awake`: it would be awake, or woken; `unknown`: it would stay as it is; `off`: it cannot sleep by itself at all.
 */
export type DryRunObservation = 'idle' | 'awake' | 'unknown' | 'off';

/**
 * What a dry run would have come to, from when it began: how long the service would have slept, and how often it would have been woken.
 *
 * Never changed, only followed by another. It all fits into the status, so whoever goes on from there has lost nothing that was written. Counts in
 * whole seconds of the clock, so the time slept is never more than the time passed, and a clock that goes back adds nothing.
 */
export class DryRunAccount {
  private constructor(
    private readonly sinceS: number,
    private readonly sleptS: number,
    private readonly wakes: number,
    private readonly asleepSinceS: number | undefined,
  ) {}

  static begin(nowMs: number): DryRunAccount {
    return new DryRunAccount(toSeconds(nowMs), 0, 0, undefined);
  }

  /** `undefined` for what is no account, such as one with a time that cannot be read. */
  static fromStatus(status: Frozen<DryRunStatus> | undefined): DryRunAccount | undefined {
    if (!status) return undefined;
    const { since, sleptSeconds, wakes, asleepSince } = status;
    const sinceS = toSeconds(Date.parse(since));
    const asleepSinceS = asleepSince === undefined ? undefined : toSeconds(Date.parse(asleepSince));
    const isSound = [sinceS, sleptSeconds, wakes, asleepSinceS ?? 0].every(Number.isSafeInteger) && sleptSeconds >= 0 && wakes >= 0;
    return isSound ? new DryRunAccount(sinceS, sleptSeconds, wakes, asleepSinceS) : undefined;
  }

  get isAsleep(): boolean {
    return this.asleepSinceS !== undefined;
  }

  get wakeCount(): number {
    return this.wakes;
  }

  /** Itself when nothing changes, which is what every round but a few finds. */
  after(observation: DryRunObservation, nowMs: number): DryRunAccount {
    switch (observation) {
      case 'idle':
        return this.isAsleep ? this : new DryRunAccount(this.sinceS, this.sleptS, this.wakes, Math.max(toSeconds(nowMs), this.sinceS));
      case 'awake':
        return this.isAsleep ? this.awakeAt(nowMs, this.wakes + 1) : this;
      case 'off':
        return this.isAsleep ? this.awakeAt(nowMs, this.wakes) : this;
      case 'unknown':
        return this;
    }
  }

  /** With the sleep that it would be in. */
  sleptSecondsAt(nowMs: number): number {
    const current = this.asleepSinceS === undefined ? 0 : Math.max(0, toSeconds(nowMs) - this.asleepSinceS);
    return Math.min(this.sleptS + current, Math.max(this.sleptS, this.elapsedSecondsAt(nowMs)));
  }

  elapsedSecondsAt(nowMs: number): number {
    return Math.max(0, toSeconds(nowMs) - this.sinceS);
  }

  toStatus(): DryRunStatus {
    return {
      since: toTime(this.sinceS),
      sleptSeconds: this.sleptS,
      wakes: this.wakes,
      ...(this.asleepSinceS !== undefined && { asleepSince: toTime(this.asleepSinceS) }),
    };
  }

  private awakeAt(nowMs: number, wakes: number): DryRunAccount {
    return new DryRunAccount(this.sinceS, this.sleptSecondsAt(nowMs), wakes, undefined);
  }
}

function toSeconds(instantMs: number): number {
  return Math.floor(instantMs / 1000);
}

function toTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
