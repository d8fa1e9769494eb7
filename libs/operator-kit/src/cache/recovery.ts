import type { EndReason } from './watch-failure';

/** What the reflector was doing: listing pages, receiving the first part of a streaming list, or watching. */
export type Phase = 'list' | 'initial' | 'watch';

export interface Recovery {
  readonly next: 'resume' | 'relist' | 'relist-most-recent' | 'relist-paged';
  readonly wait: 'none' | 'backoff';
}

export interface Failure {
  readonly phase: Phase;
  readonly reason: EndReason;
  /** The server does not know streaming lists. */
  readonly streamingRefused: boolean;
  /** The list that failed asked for the most recent version already. */
  readonly askedMostRecent: boolean;
  /** The last watch was given up for a list without a wait, and none has lived since. */
  readonly relistedAtOnce: boolean;
  /** Failures since the last sign of health. */
  readonly failuresInARow: number;
}

/** A version whose watch keeps failing at the server (an event it cannot encode, say) is given up after so many tries. */
const resumesBeforeRelist = 5;

/**
 * How to go on after a failure. There is no outcome that stops.
 *
 * A list of everything is the dearest request there is, so a watch is resumed where it broke unless the server
 * says that the version is useless; it is never repeated without a wait unless the last try lived.
 */
export function decideRecovery(failure: Failure): Recovery {
  const { phase, reason } = failure;
  if (phase === 'initial' && (failure.streamingRefused || reason === 'idle' || reason === 'short' || reason === 'incomplete')) {
    return { next: 'relist-paged', wait: 'none' };
  }
  if (phase !== 'watch') {
    const isVersionUseless = reason === 'gone' || reason === 'version_too_large';
    return isVersionUseless
      ? { next: 'relist-most-recent', wait: failure.askedMostRecent ? 'backoff' : 'none' }
      : { next: 'relist', wait: 'backoff' };
  }

  const soon = failure.relistedAtOnce ? 'backoff' : 'none';
  switch (reason) {
    case 'closed':
    case 'idle':
      return { next: 'resume', wait: 'none' };
    case 'gone':
      return { next: 'relist', wait: soon };
    case 'version_too_large':
      return { next: 'relist-most-recent', wait: soon };
    case 'short':
    case 'incomplete':
    case 'throttled':
    case 'unreachable':
    case 'denied':
      return { next: 'resume', wait: 'backoff' };
    case 'server_error':
      return { next: failure.failuresInARow < resumesBeforeRelist ? 'resume' : 'relist', wait: 'backoff' };
    case 'rejected':
    case 'internal':
      return { next: 'relist', wait: 'backoff' };
  }
}
