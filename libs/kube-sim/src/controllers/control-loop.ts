import { ApiError } from '../api';
import { WorkList } from '../garbage';
import { type SimClock } from '../sim-clock';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 60_000;
/** A reconcile may write several objects; requests must not wait for more than a few of them. */
const MOST_PER_TURN = 5;

/**
 * Looks again and again at the objects it is told of, each once however often it was named.
 *
 * Guarantees that a look never runs inside the change that asked for it, that what the API refused is tried again ever
 * more rarely, and that no look and no timer is left after stop().
 */
export class ControlLoop {
  private readonly work: WorkList<string>;
  private readonly timers = new Map<string, () => void>();
  private readonly failures = new Map<string, number>();
  private isStopped = false;

  constructor(
    private readonly clock: SimClock,
    private readonly reconcile: (key: string) => void,
  ) {
    this.work = new WorkList(
      (key) => key,
      (key) => {
        this.look(key);
      },
      MOST_PER_TURN,
    );
  }

  add(key: string): void {
    this.work.add(key);
  }

  addAfter(key: string, delayMs: number): void {
    if (this.isStopped) return;
    this.timers.get(key)?.();
    const cancel = this.clock.schedule(delayMs, () => {
      this.timers.delete(key);
      this.add(key);
    });
    this.timers.set(key, cancel);
  }

  stop(): void {
    this.isStopped = true;
    this.work.stop();
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
  }

  private look(key: string): void {
    try {
      this.reconcile(key);
      this.failures.delete(key);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const failures = this.failures.get(key) ?? 0;
      this.failures.set(key, failures + 1);
      this.addAfter(key, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures));
    }
  }
}
