import { setTimeout as pause } from 'node:timers/promises';

export interface Patience {
  deadlineMs?: number;
}

/** Repeats a check of state until it passes; at the deadline its last failure is the failure. */
export async function eventually<T>(check: () => T | Promise<T>, { deadlineMs = 30_000 }: Patience = {}): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > endMs) throw error;
    }
    await pause(50);
  }
}
