export type LogFields = Record<string, unknown>;

/**
 * What the kit logs through: a constant lower-case message plus fields.
 *
 * error: a person must act; warn: degraded, heals itself; info: state changed.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  with(fields: LogFields): Logger;
}
