import type { LogFields, Logger } from './logger';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface JsonLoggerOptions {
  /** Lines below it are dropped. Default: info. */
  level?: LogLevel;
  /** Takes one finished line, without its end. Default: standard output. */
  sink?: (line: string) => void;
  /** Milliseconds since 1970. Default: the time of the system. */
  now?: () => number;
  fields?: LogFields;
}

const rank: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Tested against keys in lower case without separators, so that `client-secret` and `clientSecret` are one. */
const secretKey = /(authorization|cookie|password|passwd|token|clientsecret|apikey|privatekey|keydata)$/;
const redacted = '[redacted]';
const maxDepth = 6;

/**
 * Writes one line of JSON per message: time, level, message, then the fields.
 *
 * Values under keys that usually hold secrets are never written, at any depth. A field that cannot be written (a cycle, a getter that throws)
 * costs that field, not the line: logging never throws.
 */
export class JsonLogger implements Logger {
  private readonly minimum: number;
  private readonly sink: (line: string) => void;
  private readonly now: () => number;

  constructor(private readonly options: JsonLoggerOptions = {}) {
    this.minimum = rank[options.level ?? 'info'];
    this.sink = options.sink ?? ((line) => void process.stdout.write(`${line}\n`));
    this.now = options.now ?? Date.now;
  }

  debug(message: string, fields?: LogFields): void {
    this.write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.write('error', message, fields);
  }

  with(fields: LogFields): Logger {
    return new JsonLogger({ ...this.options, fields: { ...this.options.fields, ...fields } });
  }

  private write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (rank[level] < this.minimum) return;
    const head = { time: new Date(this.now()).toISOString(), level, message };
    // The head is given twice: first for its place in the line, last because fields may not pose as it.
    this.sink(JSON.stringify({ ...head, ...writableObject({ ...this.options.fields, ...fields }, 0), ...head }));
  }
}

function writable(key: string, value: unknown, depth: number): unknown {
  if (value === undefined || value === null) return value;
  if (secretKey.test(key.toLowerCase().replace(/[-_.]/g, ''))) return redacted;
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value);
  if (typeof value !== 'object') return value;
  if (depth === maxDepth) return '[too deep]';
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((item) => writable('', item, depth + 1));
  return writableObject(value, depth);
}

function writableObject(value: object, depth: number): LogFields {
  const result: LogFields = {};
  for (const key of Object.keys(value)) {
    try {
      result[key] = writable(key, (value as LogFields)[key], depth + 1);
    } catch {
      result[key] = '[unreadable]';
    }
  }
  return result;
}

function describeError(error: Error, depth: number): LogFields {
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause !== undefined && { cause: writable('cause', cause, depth + 1) }) };
}
