import { type JsonObject } from '../store';

export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

/** A refusal in the words of the API: it becomes the answer's code and its Status body. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details?: StatusDetails,
    readonly continueToken?: string,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  toStatus(): JsonObject {
    const details = this.details && pruneEmpty(this.details);
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(details ? { details } : {}),
      code: this.code,
    };
  }
}

function pruneEmpty(details: StatusDetails): JsonObject {
  const pruned: JsonObject = {};
  for (const [key, value] of Object.entries(details)) {
    if (value !== undefined && value !== '' && value !== 0) pruned[key] = value as JsonObject[string];
  }
  return pruned;
}

const qualified = (resource: ResourceName): string => (resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`);

const detailsOf = (resource: ResourceName, name: string): StatusDetails => ({ name, group: resource.group, kind: resource.plural });

export const notFound = (resource: ResourceName, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));

export const alreadyExists = (resource: ResourceName, name: string, isBeingDeleted: boolean): ApiError =>
  new ApiError(
    409,
    'AlreadyExists',
    `${isBeingDeleted ? 'object is being deleted: ' : ''}${qualified(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  );

export const conflict = (resource: ResourceName, name: string, why: string): ApiError =>
  new ApiError(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`, detailsOf(resource, name));

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export const forbidden = (resource: ResourceName, name: string, why: string, causes?: readonly StatusCause[]): ApiError => {
  const subject = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
  const message = resource.plural === '' ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`;
  return new ApiError(403, 'Forbidden', message, { ...detailsOf(resource, name), causes });
};

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const notAcceptable = (representations: readonly string[]): ApiError =>
  new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${representations.join(', ')}`, {});

export const pathMethodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const pathNotFound = (): ApiError => new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});

export const tooLarge = (): ApiError => new ApiError(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728');

export const expired = (message: string, continueToken?: string): ApiError =>
  new ApiError(410, 'Expired', message, undefined, continueToken);

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized');

export const tooLargeVersion = (asked: number, current: number): ApiError =>
  new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

export const tooManyRequests = (retryAfterSeconds: number): ApiError =>
  new ApiError(429, 'TooManyRequests', 'Too many requests, please try again later.', { retryAfterSeconds });

/** One thing that is wrong with one field, in the words the API uses. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

export const invalid = (group: string, kind: string, name: string, problems: readonly FieldProblem[]): ApiError => {
  const lines = [...new Set(problems.map(({ field, message }) => `${field === '' ? '<nil>' : field}: ${message}`))];
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${text}`, {
    name,
    group,
    kind,
    causes: problems.map(({ field, reason, message }) => ({ reason, message, field: field === '' ? '<nil>' : field })),
  });
};
