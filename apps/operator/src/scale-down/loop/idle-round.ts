import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ElastiService } from '@elasti/api';
import { type Clock, type Frozen, sleep } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import { isIdle, undecided } from '../decide-idle';
import { identityOf } from '../identity';
import { type Objection, objectionOf } from './agreement';
import type { IdleEffects } from './idle-effects';
import type { IdleJudge, Judgement, RoundContext } from './idle-judge';
import type { TroubleLog } from './trouble-log';

export interface IdleRoundParts {
  readonly directory: ElastiDirectory;
  readonly judge: IdleJudge;
  readonly effects: IdleEffects;
  readonly troubles: TroubleLog;
}

/** A round that somebody does not let end. What was left of it waits for the next. */
export class RoundOverrunError extends Error {
  override readonly name = 'RoundOverrunError';

  constructor() {
    super('an idle round took too long, and was ended');
  }
}

/** So many services are begun before others in this process have their turn. */
const servicesPerTurn = 100;

/** From so many on, a round is spread out: wakes that come meanwhile must not wait for thousands of queries, nor should Prometheus get them all at once. */
const servicesAtOnce = 500;

/** How often a large round looks whether it may go on. */
const lookAgainMs = 100;

/** The time that a large round may take for beginning its services. */
export interface Spread {
  readonly clock: Clock;
  readonly overMs: number;
  /** Others in this process have something to do that cannot wait. */
  readonly isPressed: () => boolean;
  /** So long, in all, a round waits for them. */
  readonly longestWaitMs: number;
}

/**
 * One round over all services.
 *
 * Each is judged once. What follows happens as soon as its own triggers have answered; only one that could sleep waits for those that share its target.
 */
export class IdleRound {
  private readonly judgements = new Map<string, Promise<Judgement>>();

  /** One listener for all: a signal looks through those it has whenever one is added, and there may be thousands of services. */
  private readonly aborted: Promise<never>;

  constructor(
    private readonly parts: IdleRoundParts,
    private readonly context: RoundContext,
  ) {
    const { promise, reject } = Promise.withResolvers<never>();
    const { signal } = context;
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.catch(() => undefined);
    this.aborted = promise;
  }

  /** Resolves when everything that follows has happened or failed; rejects with the signal's reason. */
  async run(services: readonly Frozen<ElastiService>[], spread: Spread): Promise<void> {
    const { signal } = this.context;
    const pauseMs = services.length > servicesAtOnce ? spread.overMs / Math.ceil(services.length / servicesPerTurn) : 0;
    const pause = pauseMs > 0 ? pauses(pauseMs, spread, signal) : nextTurn;
    const settled: Promise<void>[] = [];
    for (const [position, service] of services.entries()) {
      if (signal.aborted) break;
      settled.push(this.settle(service));
      if (position % servicesPerTurn === servicesPerTurn - 1) await pause();
    }
    await Promise.all(settled);
    signal.throwIfAborted();
  }

  private async settle(elastiService: Frozen<ElastiService>): Promise<void> {
    const { effects } = this.parts;
    const judgement = await this.judgementOf(elastiService);
    const isHeardAlone = !isIdle(judgement.decision) || (judgement.decision.verdict === 'asleep' && !isDryRun(elastiService));
    const objection = isHeardAlone ? undefined : await this.objectionTo(elastiService);
    if (this.isStopping()) return;
    await effects.carryOut(elastiService, { ...judgement, objection }, this.context);
  }

  private judgementOf(elastiService: Frozen<ElastiService>): Promise<Judgement> {
    const identity = identityOf(elastiService);
    let judgement = this.judgements.get(identity);
    if (!judgement) this.judgements.set(identity, (judgement = this.judge(elastiService)));
    return judgement;
  }

  private async judge(elastiService: Frozen<ElastiService>): Promise<Judgement> {
    const { judge, troubles } = this.parts;
    try {
      const judgement = await Promise.race([judge.judge(elastiService, this.context), this.aborted]);
      troubles.succeeded(elastiService, 'a service could not be judged');
      return judgement;
    } catch (error) {
      if (!this.isStopping()) troubles.failed(elastiService, 'a service could not be judged', error);
      return { decision: undecided, triggers: 'unknown', silenceMs: 0 };
    }
  }

  /** Nobody who stops has anything more to say, but of an overrun round the last reports must not stand. */
  private isStopping(): boolean {
    const { signal } = this.context;
    return signal.aborted && !(signal.reason instanceof RoundOverrunError);
  }

  /** The first who is against the sleep of this one's target, of all that have a say in it. */
  private async objectionTo(elastiService: Frozen<ElastiService>): Promise<Objection | undefined> {
    const others = this.parts.directory
      .onTargetOf(elastiService)
      .filter((other) => identityOf(other) !== identityOf(elastiService) && !isDryRun(other) && isJudged(other, this.parts.directory));
    const objections = others.map(async (other) => objectionOf(other, (await this.judgementOf(other)).decision));
    return (await Promise.all(objections)).find((objection) => objection !== undefined);
  }
}

/** A pause between turns, which is longer while others are pressed. An abort ends it. */
function pauses(pauseMs: number, { clock, isPressed, longestWaitMs }: Spread, signal: AbortSignal): () => Promise<void> {
  let leftMs = longestWaitMs;
  const wait = (delayMs: number) => sleep(clock, delayMs, signal).catch(() => undefined);
  return async () => {
    await wait(pauseMs);
    // By the clock: where others are pressed, a pause takes longer than was asked for.
    const beganMs = clock.monotonic();
    const hasTime = () => clock.monotonic() - beganMs < leftMs;
    while (hasTime() && isPressed() && !signal.aborted) await wait(lookAgainMs);
    leftMs -= clock.monotonic() - beganMs;
  };
}

/** Those that speak for their Service and are not on their way out. */
export function isJudged({ metadata, spec }: Frozen<ElastiService>, directory: ElastiDirectory): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const speaker = directory.forService(metadata.namespace ?? '', spec.service);
  return speaker?.metadata.name === metadata.name;
}

function isDryRun({ spec }: Frozen<ElastiService>): boolean {
  return spec.mode === 'DryRun';
}
