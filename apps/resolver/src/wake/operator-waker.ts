import { type Clock, type Logger, type Timer, withTimeout } from '@elasti/operator-kit';
import { ServiceMap, type ServiceRef } from '../directory';
import { backoffMs } from './backoff';
import type { WakeAnswer, WakeCall } from './wake-call';
import type { WakeDemand, Waker } from './wake-demand';

export interface WakerConfig {
  /** Between two calls for one Service, also after one that was accepted. */
  readonly retryMs: number;
  /** Calls under way for all Services. Default 64. */
  readonly maxConcurrentCalls?: number;
  /** Default 10 s. */
  readonly callTimeoutMs?: number;
}

export type WakeOutcome = 'accepted' | 'refused' | 'unreachable';

export interface WakerDependencies {
  readonly call: WakeCall;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly observe?: (outcome: WakeOutcome) => void;
}

/** The calls for one Service. It outlives its demand until the next call would be due, so that clients which come and go do not multiply calls. */
interface Pursuit {
  demand: WakeDemand | undefined;
  /** `new` from the moment it is wanted anew until a call is sent for it. */
  news: 'new' | 'known';
  failures: number;
  said: 'nothing' | 'refused';
  calledAtMs: number;
  /** While it waits for the next call, which is due at `dueAtMs`. */
  timer?: Timer;
  dueAtMs: number;
}

/** Between two calls for one Service that is wanted anew again and again. */
const shortestGapMs = 1_000;

/**
 * Asks the operator to wake what is wanted, again and again until it is wanted no more.
 *
 * One call a Service at a time and a bounded number in all, in the order in which they are due. Nothing new is sent for a Service that is satisfied;
 * a call under way runs to its end. Failures wait longer each time; they lose nobody, because who holds requests goes on holding them. What is wanted anew does not
 * wait for what was before it: it is asked for at once, or a second after the call before.
 */
export class OperatorWaker implements Waker {
  private readonly pursuits = new ServiceMap<Pursuit>();
  private readonly due = new Set<Pursuit>();
  private readonly stopping = new AbortController();
  private readonly config: Required<WakerConfig>;
  private calls = 0;
  private operator: 'answers' | 'away' = 'answers';

  constructor(
    config: WakerConfig,
    private readonly dependencies: WakerDependencies,
  ) {
    this.config = { maxConcurrentCalls: 64, callTimeoutMs: 10_000, ...config };
  }

  want(demand: WakeDemand): void {
    if (this.stopping.signal.aborted) return;
    const known = this.pursuits.get(demand);
    if (known) {
      this.wantAnew(known, demand);
      return;
    }
    const pursuit: Pursuit = { demand, news: 'new', failures: 0, said: 'nothing', calledAtMs: 0, dueAtMs: 0 };
    this.pursuits.set(demand, pursuit);
    this.enqueue(pursuit);
  }

  satisfied(demand: WakeDemand): void {
    const pursuit = this.pursuits.get(demand);
    if (pursuit?.demand !== demand) return;
    pursuit.demand = undefined;
    if (this.due.delete(pursuit)) this.pursuits.delete(demand);
  }

  /** Ends what is under way; nothing is sent any more. */
  stop(): void {
    this.stopping.abort(new Error('the resolver stops'));
    for (const pursuit of this.pursuits.values()) pursuit.timer?.cancel();
    this.due.clear();
  }

  private wantAnew(pursuit: Pursuit, demand: WakeDemand): void {
    if (pursuit.demand === demand) return;
    pursuit.demand = demand;
    pursuit.news = 'new';
    // Without a timer a call is under way or about to be: its answer decides.
    const dueAtMs = pursuit.calledAtMs + shortestGapMs;
    if (pursuit.timer && dueAtMs < pursuit.dueAtMs) this.callAt(pursuit, demand, dueAtMs);
  }

  private callAt(pursuit: Pursuit, service: ServiceRef, dueAtMs: number): void {
    const { clock } = this.dependencies;
    pursuit.timer?.cancel();
    pursuit.dueAtMs = dueAtMs;
    pursuit.timer = clock.after(Math.max(0, dueAtMs - clock.monotonic()), () => {
      pursuit.timer = undefined;
      if (pursuit.demand) this.enqueue(pursuit);
      else this.pursuits.delete(service);
    });
  }

  private enqueue(pursuit: Pursuit): void {
    this.due.add(pursuit);
    this.sendNext();
  }

  private sendNext(): void {
    for (const pursuit of this.due) {
      if (this.calls >= this.config.maxConcurrentCalls) return;
      this.due.delete(pursuit);
      if (!pursuit.demand) continue;
      pursuit.news = 'known';
      void this.pursue(pursuit, pursuit.demand);
    }
  }

  private async pursue(pursuit: Pursuit, demand: WakeDemand): Promise<void> {
    const { random = Math.random, clock } = this.dependencies;
    this.calls++;
    pursuit.calledAtMs = clock.monotonic();
    const answer = await this.ask(demand);
    this.calls--;
    if (this.stopping.signal.aborted) return;

    const outcome = outcomeOf(answer);
    this.dependencies.observe?.(outcome);
    this.report(outcome, answer, demand, pursuit);
    if (outcome === 'accepted') pursuit.demand?.wakeAccepted?.();
    pursuit.failures = outcome === 'accepted' ? 0 : pursuit.failures + 1;
    const retryAfterMs = answer instanceof Error ? undefined : answer.retryAfterMs;
    const delayMs = outcome === 'accepted' ? this.config.retryMs : backoffMs(pursuit.failures, random, retryAfterMs);
    const dueAtMs = clock.monotonic() + delayMs;
    // One that came while the call was under way is content with its success, but need not suffer its failure.
    const isOwed = pursuit.news === 'new' && outcome !== 'accepted';
    this.callAt(pursuit, demand, isOwed ? Math.min(dueAtMs, pursuit.calledAtMs + shortestGapMs) : dueAtMs);
    this.sendNext();
  }

  private async ask(demand: WakeDemand): Promise<WakeAnswer | Error> {
    const { clock, call } = this.dependencies;
    const { callTimeoutMs: timeoutMs } = this.config;
    const reason = () => new Error(`no answer within ${timeoutMs} ms`);
    try {
      return await withTimeout({ clock, timeoutMs, reason, signal: this.stopping.signal }, (signal) =>
        call.send(demand, Math.max(1, demand.held), signal),
      );
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** An operator that is away is said once for all Services; one that refuses, once for each. */
  private report(outcome: WakeOutcome, answer: WakeAnswer | Error, { namespace, service }: WakeDemand, pursuit: Pursuit): void {
    const { logger } = this.dependencies;
    const why = answer instanceof Error ? { error: answer } : { status: answer.status };
    if (outcome === 'unreachable') {
      if (this.operator === 'answers') logger.warn('operator is away', { namespace, service, ...why });
      this.operator = 'away';
      return;
    }
    if (this.operator === 'away') logger.info('operator answers again');
    this.operator = 'answers';
    if (outcome === 'refused' && pursuit.said !== 'refused') logger.warn('operator refused to wake', { namespace, service, ...why });
    pursuit.said = outcome === 'refused' ? 'refused' : 'nothing';
  }
}

function outcomeOf(answer: WakeAnswer | Error): WakeOutcome {
  if (answer instanceof Error || answer.status >= 500 || answer.status === 429) return 'unreachable';
  return answer.status >= 200 && answer.status < 300 ? 'accepted' : 'refused';
}
