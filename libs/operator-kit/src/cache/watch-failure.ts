import {
  ForbiddenError,
  GoneError,
  KubeApiError,
  NotFoundError,
  ServerError,
  TooManyRequestsError,
  TransportError,
  UnauthorizedError,
} from '../client';

/** Our own verdicts on a stream that the server did not call a failure. */
export class WatchStreamError extends Error {
  override readonly name = 'WatchStreamError';

  constructor(
    readonly problem: 'idle' | 'short' | 'incomplete',
    message: string,
  ) {
    super(message);
  }
}

/** Why a list or a watch ended: a closed set, used as a metric label. */
export type EndReason =
  | 'closed'
  | 'idle'
  | 'short'
  | 'incomplete'
  | 'gone'
  | 'version_too_large'
  | 'throttled'
  | 'unreachable'
  | 'server_error'
  | 'denied'
  | 'rejected'
  | 'internal';

export function endReasonOf(error: unknown): EndReason {
  if (error instanceof WatchStreamError) return error.problem;
  if (error instanceof GoneError) return 'gone';
  if (isVersionTooLarge(error)) return 'version_too_large';
  if (error instanceof TooManyRequestsError) return 'throttled';
  if (error instanceof TransportError) return 'unreachable';
  if (error instanceof UnauthorizedError || error instanceof ForbiddenError || error instanceof NotFoundError) return 'denied';
  if (error instanceof ServerError) return 'server_error';
  return error instanceof KubeApiError ? 'rejected' : 'internal';
}

/** The server has not seen the version yet: it lags, or its storage was restored from a backup and the version no longer exists. */
function isVersionTooLarge(error: unknown): boolean {
  if (!(error instanceof KubeApiError)) return false;
  const causes = error.status.details?.causes ?? [];
  return causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') || /too large resource version/i.test(error.message);
}

/** A server without streaming lists calls the request wrong in one of these ways. */
export function isStreamingRefused(error: unknown): boolean {
  return error instanceof KubeApiError && [400, 405, 406, 415, 422, 501].includes(error.code);
}
