/** The API server's own account of a failure (`kind: Status`). */
export interface KubeStatus {
  kind: 'Status';
  apiVersion: 'v1';
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  code?: number;
  /** With an expired continue token, the server offers one to go on with at a newer version. */
  metadata?: { continue?: string };
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    retryAfterSeconds?: number;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}

/** A request that the API server answered with a failure; `status` is its answer, unchanged. */
export class KubeApiError extends Error {
  override readonly name: string = 'KubeApiError';

  constructor(
    readonly code: number,
    readonly status: KubeStatus,
    /** The verb and the path, without the query: `GET /api/v1/pods`. */
    readonly request: string,
    options?: ErrorOptions,
  ) {
    super(`${request}: ${status.message ?? status.reason ?? 'no message'} (${code})`, options);
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

export class BadRequestError extends KubeApiError {
  override readonly name = 'BadRequestError';
}
export class UnauthorizedError extends KubeApiError {
  override readonly name = 'UnauthorizedError';
}
export class ForbiddenError extends KubeApiError {
  override readonly name = 'ForbiddenError';
}
export class NotFoundError extends KubeApiError {
  override readonly name = 'NotFoundError';
}
export class MethodNotAllowedError extends KubeApiError {
  override readonly name = 'MethodNotAllowedError';
}
/** A write met a newer version of the object, or a precondition failed. Read again, then write. */
export class ConflictError extends KubeApiError {
  override readonly name: string = 'ConflictError';
}
export class AlreadyExistsError extends ConflictError {
  override readonly name = 'AlreadyExistsError';
}
/** The version asked for is compacted away, or a continue token is too old. List again. */
export class GoneError extends KubeApiError {
  override readonly name = 'GoneError';
}
export class RequestTooLargeError extends KubeApiError {
  override readonly name = 'RequestTooLargeError';
}
export class UnsupportedMediaTypeError extends KubeApiError {
  override readonly name = 'UnsupportedMediaTypeError';
}
/** The object breaks the schema; `causes` names each field. */
export class InvalidError extends KubeApiError {
  override readonly name = 'InvalidError';

  get causes(): { field: string; message: string }[] {
    return (this.status.details?.causes ?? []).map(({ field = '', message = '' }) => ({ field, message }));
  }
}
/** The server is shedding load; `retryAfterMs` is how long it asked for, if it did. */
export class TooManyRequestsError extends KubeApiError {
  override readonly name = 'TooManyRequestsError';

  get retryAfterMs(): number | undefined {
    return retryAfterMs(this);
  }
}
/** 5xx: the server's trouble, worth another try. */
export class ServerError extends KubeApiError {
  override readonly name = 'ServerError';
}

/** No answer at all: refused, reset, timed out, or cut off half way. */
export class TransportError extends Error {
  override readonly name = 'TransportError';

  constructor(
    readonly request: string,
    options: ErrorOptions & { cause: unknown },
  ) {
    super(`${request}: ${options.cause instanceof Error ? options.cause.message : String(options.cause)}`, options);
  }
}

type ApiErrorClass = new (code: number, status: KubeStatus, request: string) => KubeApiError;

const byReason: Record<string, ApiErrorClass> = {
  AlreadyExists: AlreadyExistsError,
  Expired: GoneError,
  Gone: GoneError,
};

const byCode: Record<number, ApiErrorClass> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  409: ConflictError,
  410: GoneError,
  413: RequestTooLargeError,
  415: UnsupportedMediaTypeError,
  422: InvalidError,
  429: TooManyRequestsError,
};

/** The typed error for an answer of the API server, also for one that came as an ERROR event of a watch. */
export function apiErrorFor(code: number, status: KubeStatus, request: string): KubeApiError {
  const type = byReason[status.reason ?? ''] ?? byCode[code] ?? (code >= 500 ? ServerError : KubeApiError);
  return new type(code, status, request);
}

/** Nobody waits longer between two tries because the server asked for it: a proxy's mistake would silence an operator for good. */
export const longestRetryAfterMs = 5 * 60_000;

/** The delay the server asked for, if any, however long. */
export function retryAfterMs(error: unknown): number | undefined {
  const seconds = error instanceof KubeApiError ? error.status.details?.retryAfterSeconds : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}
