const firstMs = 500;
const longestMs = 15_000;
/** The share that chance may take off, so that those who failed together do not come back together. */
const jitter = 0.3;
/** An operator that asks for more is asked again all the same: requests are held. */
const longestRetryAfterMs = 60_000;

/** How long to wait after this many failures in a row, at least 1. */
export function backoffMs(failures: number, random: () => number, retryAfterMs = 0): number {
  const delayMs = Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (1 - jitter * random());
  return Math.max(delayMs, Math.min(retryAfterMs, longestRetryAfterMs));
}
