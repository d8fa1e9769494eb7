import { cooldownSOf, type ElastiService } from '@elasti/api';
import { findCondition, formatRef, type Frozen, refOf } from '@elasti/operator-kit';
import type { ObservedTarget, TargetOps } from './target.ops';

/**
 * Who changed the number of replicas since the status was last written.
 *
 * - `nobody`: it is as the status says.
 * - `ours`: a sleep or a wake of Elasti's.
 * - `interrupted`: a sleep of ours that a wake came between, and whose process ended before it could see that.
 * - `other`: another field manager; `times` counts how often in a row it brought back what we put to sleep.
 */
export type Hand =
  | { readonly kind: 'nobody' | 'ours' | 'interrupted' }
  | { readonly kind: 'other'; readonly manager: string; readonly did: 'scaled up' | 'scaled down'; readonly times: number };

/** Three times in a row is no accident. */
export const patience = 3;

/** An edit of the object, as the condition asks for, begins the count anew, and so does another manager. */
interface Undone {
  readonly manager: string;
  readonly generation: number | undefined;
  /** When the last sleep that was undone began: until the status tells, the same one is seen again, be it scaled up further or not. */
  readonly asleepSince: string;
  readonly times: number;
}

/** Tells our own hand from others', and counts how often someone works against us. Counts live in memory: a new leader is patient anew. */
export class HandOps {
  private readonly undone = new Map<string, Undone>();

  constructor(private readonly target: Pick<TargetOps, 'lastScaler'>) {}

  async since(elastiService: Frozen<ElastiService>, target: ObservedTarget, signal: AbortSignal): Promise<Hand> {
    const scaledDown = findCondition(elastiService.status?.conditions, 'ScaledDown');
    const wasAsleep = scaledDown?.status === 'True';
    const isAsleep = target.replicas === 0;
    if (wasAsleep === isAsleep) return { kind: 'nobody' };

    const stampedMs = Date.parse(elastiService.status?.lastScaledUpTime ?? '');
    if (wasAsleep && stampedMs >= Date.parse(scaledDown.lastTransitionTime)) return this.ours(elastiService);
    const scaler = await this.target.lastScaler(target, signal);
    if (scaler?.isElasti) {
      // No sleep begins within the cooldown of a stamp, so one that was written within it did not see the stamp. The API server notes whole seconds.
      const isUnseen = stampedMs >= scaler.atMs + 1_000 - cooldownSOf(elastiService.spec) * 1_000;
      return isAsleep && isUnseen ? { kind: 'interrupted' } : this.ours(elastiService);
    }
    const manager = scaler?.manager ?? 'someone';
    if (isAsleep || scaledDown?.reason !== 'Asleep')
      return { kind: 'other', manager, did: isAsleep ? 'scaled down' : 'scaled up', times: 1 };
    return { kind: 'other', manager, did: 'scaled up', times: this.timesUndone(elastiService, manager, scaledDown.lastTransitionTime) };
  }

  forget(elastiService: Frozen<ElastiService>): void {
    this.undone.delete(formatRef(refOf(elastiService)));
  }

  private timesUndone(elastiService: Frozen<ElastiService>, manager: string, asleepSince: string): number {
    const key = formatRef(refOf(elastiService));
    const { generation } = elastiService.metadata;
    const before = this.undone.get(key);
    const isSameOne = before?.manager === manager && before.generation === generation;
    const times = !isSameOne ? 1 : before.asleepSince === asleepSince ? before.times : before.times + 1;
    this.undone.set(key, { manager, generation, asleepSince, times });
    return times;
  }

  private ours(elastiService: Frozen<ElastiService>): Hand {
    this.forget(elastiService);
    return { kind: 'ours' };
  }
}
