const FIRST_MS = 50;
const LONGEST_MS = 1_000;

/** How long to wait before a pod that already refused is tried once more: it may be ready a moment before it listens. */
export function retryDelayMs(refusals: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, refusals - 1));
}
