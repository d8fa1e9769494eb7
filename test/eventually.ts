import { setTimeout as pause } from 'node:timers/promises';

/** Looks until `check` gives something; fails with what went wrong last. */
export async function eventually<T>(what: string, check: () => Promise<T | undefined>, deadlineMs = 60_000): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  let last: unknown = 'nothing';
  while (performance.now() < endMs) {
    try {
      const result = await check();
      if (result !== undefined) return result;
    } catch (error) {
      last = error;
    }
    await pause(20);
  }
  throw new Error(`${what}: not within ${deadlineMs} ms; last seen: ${String(last)}`);
}
