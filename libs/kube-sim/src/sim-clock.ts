/** Where the server takes its time from: what it writes into objects and how long it waits. */
export interface SimClock {
  nowMs(): number;
  /** Runs the callback once after the delay; the answer cancels it. */
  schedule(delayMs: number, run: () => void): () => void;
}

export const systemClock: SimClock = {
  nowMs: () => Date.now(),
  schedule: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Whole seconds in UTC, as objects carry them. */
export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
