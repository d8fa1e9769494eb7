import type { JsonValue } from '../json';

export type FieldErrorReason =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound';

/** One thing wrong with one field, in the API server's words: a cause of a 422 Status. */
export interface FieldError {
  /** `spec.replicas`; `<nil>` for the object as a whole. */
  readonly field: string;
  readonly reason: FieldErrorReason;
  /** Without the field: `Invalid value: 0: must be greater than 1`. */
  readonly message: string;
}

/** What the API server writes when an error belongs to no field. */
export const noField = '<nil>';

/** Stands for a value that is too large to repeat in a message. */
export const omitted = Symbol('omitted');

export type BadValue = JsonValue | typeof omitted;

export function invalid(field: string, value: BadValue, detail: string): FieldError {
  return make(field, 'FieldValueInvalid', valued('Invalid value', value), detail);
}

export function typeInvalid(field: string, value: BadValue, detail: string): FieldError {
  return make(field, 'FieldValueTypeInvalid', valued('Invalid value', value), detail);
}

export function required(field: string, detail = ''): FieldError {
  return make(field, 'FieldValueRequired', 'Required value', detail);
}

export function forbidden(field: string, detail: string): FieldError {
  return make(field, 'FieldValueForbidden', 'Forbidden', detail);
}

export function duplicate(field: string, value: BadValue): FieldError {
  return make(field, 'FieldValueDuplicate', valued('Duplicate value', value), '');
}

export function notFound(field: string, value: BadValue): FieldError {
  return make(field, 'FieldValueNotFound', valued('Not found', value), '');
}

export function notSupported(field: string, value: BadValue, supported: readonly JsonValue[]): FieldError {
  const values = supported.map((one) => JSON.stringify(typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
  return make(field, 'FieldValueNotSupported', valued('Unsupported value', value), values === '' ? '' : `supported values: ${values}`);
}

export function tooLong(field: string, maxLength: number): FieldError {
  return make(field, 'FieldValueTooLong', 'Too long', `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`);
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return make(field, 'FieldValueTooMany', valued('Too many', actual), `must have at most ${max} ${max === 1 ? 'item' : 'items'}`);
}

/** `spec.replicas: Invalid value: 0: must be greater than 1`, as it appears in a Status message. */
export function printFieldError({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

function valued(label: string, value: BadValue): string {
  return value === omitted ? label : `${label}: ${JSON.stringify(value)}`;
}

function make(field: string, reason: FieldErrorReason, head: string, detail: string): FieldError {
  return { field: field === '' ? noField : field, reason, message: detail === '' ? head : `${head}: ${detail}` };
}
