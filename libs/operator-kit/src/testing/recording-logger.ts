import type { LogFields, Logger, LogLevel } from '../logging';

export interface LogEntry {
  level: LogLevel;
  message: string;
  fields: LogFields;
}

/** Keeps every line for a test to look at; children made by `with` write to the same list. */
export class RecordingLogger implements Logger {
  constructor(
    readonly entries: LogEntry[] = [],
    private readonly fields: LogFields = {},
  ) {}

  debug(message: string, fields?: LogFields): void {
    this.record('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.record('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.record('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.record('error', message, fields);
  }

  with(fields: LogFields): Logger {
    return new RecordingLogger(this.entries, { ...this.fields, ...fields });
  }

  /** The messages of one level, in order. */
  messages(level: LogLevel): string[] {
    return this.entries.filter((entry) => entry.level === level).map((entry) => entry.message);
  }

  private record(level: LogLevel, message: string, fields: LogFields | undefined): void {
    this.entries.push({ level, message, fields: { ...this.fields, ...fields } });
  }
}
