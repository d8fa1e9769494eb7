import type { LogFields, Logger } from '../logging';

/** Takes errors to where people look at them. Never throws. */
export interface ErrorReporter {
  report(message: string, fields: LogFields): void;
}

/** Logs as the logger behind does, and reports what is logged as an error, with the fields of its parents. */
export class ReportingLogger implements Logger {
  constructor(
    private readonly logger: Logger,
    private readonly reporter: ErrorReporter,
    private readonly fields: LogFields = {},
  ) {}

  debug(message: string, fields?: LogFields): void {
    this.logger.debug(message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.logger.info(message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.logger.warn(message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.logger.error(message, fields);
    this.reporter.report(message, { ...this.fields, ...fields });
  }

  with(fields: LogFields): Logger {
    return new ReportingLogger(this.logger.with(fields), this.reporter, { ...this.fields, ...fields });
  }
}
