import type { Clock } from '@elasti/operator-kit';

/**
 * How long facts have held, as this process has seen them.
 *
 * By the monotonic clock of one process, so neither a wrong clock nor another machine's can make a wait shorter; a new leader waits anew.
 */
export class Standing {
  private readonly sinceMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Undefined while the fact does not hold; 0 when it has just begun to. */
  holdsForMs(key: string, fact: string, holds: boolean): number | undefined {
    const id = `${key} ${fact}`;
    if (!holds) {
      this.sinceMs.delete(id);
      return undefined;
    }
    const nowMs = this.clock.monotonic();
    const sinceMs = this.sinceMs.get(id) ?? nowMs;
    this.sinceMs.set(id, sinceMs);
    return nowMs - sinceMs;
  }

  /** Whether the fact held when it was last looked at. */
  held(key: string, fact: string): boolean {
    return this.sinceMs.has(`${key} ${fact}`);
  }

  /** Nothing is kept of what is gone. */
  forget(key: string, facts: readonly string[]): void {
    for (const fact of facts) this.sinceMs.delete(`${key} ${fact}`);
  }
}
