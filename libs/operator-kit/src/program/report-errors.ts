import { type Clock, systemClock } from '../clock';
import type { Logger } from '../logging';
import type { NodeOptions } from '@sentry/nestjs';
import { ReportingLogger } from './reporting-logger';
import { SentryReporter } from './sentry-reporter';
import { stripEvent } from './strip-event';

export interface SentrySettings {
  readonly dsn: string;
  readonly environment?: string;
}

export interface ReportedLogger {
  readonly logger: Logger;
  /** Sends what is on its way, for a moment at most. */
  close(): Promise<void>;
}

const flushMs = 1_000;

/**
 * Has Sentry told of what is logged as an error and of what nobody caught; without settings, gives the logger back as it is.
 *
 * Sentry is loaded only when there is a DSN, as it costs about 50 MB. It traces nothing, and an event holds neither requests nor anything that may be a secret.
 */
export async function reportErrors(
  logger: Logger,
  settings: SentrySettings | undefined,
  { clock = systemClock, transport }: { clock?: Clock; transport?: NodeOptions['transport'] } = {},
): Promise<ReportedLogger> {
  if (!settings) return { logger, close: () => Promise.resolve() };

  const sentry = await import('@sentry/nestjs');
  sentry.initWithoutDefaultIntegrations({
    dsn: settings.dsn,
    environment: settings.environment,
    transport,
    sendDefaultPii: false,
    maxBreadcrumbs: 0,
    sendClientReports: false,
    skipOpenTelemetrySetup: true,
    registerEsmLoaderHooks: false,
    // Ends the process as Node does without Sentry; the default would let it go on.
    integrations: [
      sentry.onUncaughtExceptionIntegration(),
      sentry.onUnhandledRejectionIntegration({ mode: 'strict' }),
      sentry.linkedErrorsIntegration(),
      sentry.dedupeIntegration(),
    ],
    beforeSend: stripEvent,
  });
  return {
    logger: new ReportingLogger(logger, new SentryReporter(sentry, clock)),
    close: async () => {
      await sentry.close(flushMs);
    },
  };
}
