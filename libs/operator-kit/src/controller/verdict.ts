import { ConflictError } from '../client';
import { TerminalError, WaitingError } from './reconcile.errors';
import type { ReconcileResult } from './reconciler';

/** What came of one reconcile. The kinds are also the values of the metric label `result`. */
export type Verdict =
  | { kind: 'success' }
  | { kind: 'requeue'; reason: string }
  | { kind: 'requeue_after' | 'waiting'; reason: string; delayMs: number }
  | { kind: 'terminal'; error: unknown }
  /** Somebody else wrote first: read again, write again, and nobody need hear of it. */
  | { kind: 'conflict'; error: unknown }
  | { kind: 'error'; error: unknown }
  /** A mistake in the code rather than a state of the world. */
  | { kind: 'panic'; error: unknown }
  /** It ended because this process stops. */
  | { kind: 'cancelled' };

export function verdictOnResult(result: ReconcileResult | undefined): Verdict {
  switch (result?.kind) {
    case 'done':
      return { kind: 'success' };
    case 'requeue':
      return { kind: 'requeue', reason: result.reason };
    case 'requeueAfter':
      return delayed('requeue_after', result.reason, result.delayMs);
    case undefined:
    default:
      throw new TypeError(`reconcile returned ${JSON.stringify(result)}: return done, requeue(reason) or requeueAfter(delayMs, reason)`);
  }
}

export function verdictOnError(error: unknown): Verdict {
  if (error instanceof WaitingError) return delayed('waiting', error.reason, error.delayMs);
  if (error instanceof TerminalError) return { kind: 'terminal', error };
  if (error instanceof ConflictError) return { kind: 'conflict', error };
  return { kind: isMistake(error) ? 'panic' : 'error', error };
}

function delayed(kind: 'requeue_after' | 'waiting', reason: string, delayMs: number): Verdict {
  if (Number.isFinite(delayMs)) return delayMs > 0 ? { kind, reason, delayMs } : { kind: 'requeue', reason };
  return { kind: 'panic', error: new RangeError(`delayMs is ${delayMs} (${reason}): give a number of milliseconds`) };
}

const mistakes: readonly string[] = ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'EvalError', 'URIError', 'AssertionError'];

// By name, because an error may come from another realm, where instanceof knows nothing of it.
function isMistake(error: unknown): boolean {
  return !(error instanceof Error) || mistakes.includes(error.name);
}
