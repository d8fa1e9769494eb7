/** Where the server takes its time from: what it writes into objects and how long it waits. */
export interface SimClock {
  nowMs(): number;
  /** Runs the callback once after the delay; the answer cancels it. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** A longer timer would fire at once; nobody waits for the end of one this long. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: SimClock = {
  nowMs: () => Date.now(),
  schedule: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(delayMs, LONGEST_TIMER_MS));
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Whole seconds in UTC, as objects carry them. */
export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
