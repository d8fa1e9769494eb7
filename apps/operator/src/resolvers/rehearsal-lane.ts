import { maxRehearsalSubjects, type RehearsalSubject, type RouteRehearsal } from '@elasti/api';
import { type Clock, type Timer, untilAborted, withTimeout } from '@elasti/operator-kit';
import { rehearsalTimeoutMs } from './resolver-client';
import { ResolverTimeoutError } from './resolver.errors';

/** Short beside a switch of modes, and long enough for the reconciles that one change of a resolver sets off. */
const gatherMs = 5;
const maxCallsAtOnce = 2;

interface Question {
  readonly subject: RehearsalSubject;
  readonly resolve: (routes: RouteRehearsal[]) => void;
  readonly reject: (error: unknown) => void;
}

export type AskPod = (subjects: readonly RehearsalSubject[], signal: AbortSignal) => Promise<RouteRehearsal[][]>;

/**
 * The rehearsals at one pod: questions that come together go in one call, and few calls are open at once.
 *
 * Each question is answered, or rejects, within the time of one call, however long the pod lets others wait. Whoever aborts leaves the others alone.
 */
export class RehearsalLane {
  private readonly waiting = new Set<Question>();
  private readonly stop = new AbortController();
  private gathering: Timer | undefined;
  private calls = 0;

  constructor(
    private readonly askPod: AskPod,
    private readonly clock: Clock,
  ) {}

  /** @throws ResolverCallError, or the signal's reason */
  async ask(subject: RehearsalSubject, signal: AbortSignal): Promise<RouteRehearsal[]> {
    const limit = { clock: this.clock, timeoutMs: rehearsalTimeoutMs, signal, reason: () => new ResolverTimeoutError(rehearsalTimeoutMs) };
    return withTimeout(limit, async (limited) => {
      const { promise, resolve, reject } = Promise.withResolvers<RouteRehearsal[]>();
      const question = { subject, resolve, reject };
      this.enqueue(question);
      try {
        return await untilAborted(promise, limited);
      } finally {
        this.withdraw(question);
      }
    });
  }

  /** Everything that is open rejects with this. */
  close(reason: Error): void {
    this.stop.abort(reason);
    for (const question of this.waiting) question.reject(reason);
    this.waiting.clear();
  }

  private enqueue(question: Question): void {
    this.waiting.add(question);
    this.gathering ??= this.clock.after(gatherMs, () => {
      this.gathering = undefined;
      this.send();
    });
  }

  private withdraw(question: Question): void {
    this.waiting.delete(question);
    if (this.waiting.size > 0) return;
    this.gathering?.cancel();
    this.gathering = undefined;
  }

  private send(): void {
    while (this.waiting.size > 0 && this.calls < maxCallsAtOnce) {
      const batch = [...this.waiting].slice(0, maxRehearsalSubjects);
      for (const question of batch) this.waiting.delete(question);
      void this.call(batch);
    }
  }

  private async call(batch: readonly Question[]): Promise<void> {
    this.calls++;
    try {
      const subjects = batch.map(({ subject }) => subject);
      const answers = await this.askPod(subjects, this.stop.signal);
      batch.forEach(({ resolve }, index) => resolve(answers[index] ?? []));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.calls--;
      // Those that are still being gathered go together, later.
      if (!this.gathering) this.send();
    }
  }
}
