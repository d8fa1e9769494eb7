import type { LoggerService } from '@nestjs/common';
import type { Logger } from '../logging';

/**
 * Sends what Nest logs through the kit's logger, so that a program speaks with one voice: `app.useLogger(new KitLogger(logger))`.
 *
 * Nest's context becomes the field `context`; an error, or the stack Nest hands over in its place, the field `error`.
 */
export class KitLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.info(...toLine(message, rest));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error(...toLine(message, rest));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(...toLine(message, rest));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(...toLine(message, rest));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(...toLine(message, rest));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.error(...toLine(message, rest));
  }
}

/** Nest calls with (message, context), (message, stack, context) or (error, context); only the last string is the context. */
function toLine(message: unknown, rest: readonly unknown[]): [message: string, fields: Record<string, unknown>] {
  const last = rest.at(-1);
  const context = typeof last === 'string' ? last : undefined;
  const details = (context === undefined ? rest : rest.slice(0, -1)).filter((detail) => detail !== undefined);
  const [error = message instanceof Error ? message : undefined, ...more] = details;
  const fields = { ...(context !== undefined && { context }), ...(error !== undefined && { error }), ...(more.length > 0 && { more }) };
  if (typeof message === 'string') return [message, fields];
  if (message instanceof Error) return [message.message, fields];
  return ['logged by the application', { ...fields, logged: message }];
}
