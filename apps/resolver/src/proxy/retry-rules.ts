/** How far a request had come when its pod was lost, before any byte of an answer. */
export interface LostRequest {
  /** False when no connection was made: the pod has seen nothing. */
  readonly connected: boolean;
  /** The connection had served another request before. */
  readonly reused: boolean;
  /** The kernel was given the request to its end. */
  readonly sentWhole: boolean;
  /** Everything sent so far is still here. */
  readonly replayable: boolean;
  readonly method: string;
  /** How often it was sent, wholly or in part, and lost by pods that answer others. */
  readonly lostBefore: number;
  /** The pod that lost it may not have begun to answer anybody. */
  readonly podIsStarting: boolean;
}

/** A request that three pods in a row dropped is likelier the cause than the victim. */
const SENDS_LIMIT = 3;

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

export function isRepeatable(method: string): boolean {
  return REPEATABLE.has(method);
}

/**
 * What becomes of a request whose pod was lost. A request that changes things and may have been seen in full is never sent twice.
 *
 * A kept connection that turns out closed says nothing against its pod, which may have closed it for being idle.
 */
export function decideRetry(lost: LostRequest): 'another pod' | 'same pod' | 'give up' {
  if (!lost.connected) return 'another pod';
  if (!mayBeRepeated(lost)) return 'give up';
  if (!lost.podIsStarting && lost.lostBefore + 1 >= SENDS_LIMIT) return 'give up';
  return lost.reused ? 'same pod' : 'another pod';
}

function mayBeRepeated({ replayable, sentWhole, method }: LostRequest): boolean {
  return replayable && (!sentWhole || isRepeatable(method));
}
