import type { ErrorEvent } from '@sentry/nestjs';
import { scrub } from './scrub';

/** Fields of log lines that name things and hold nothing else. */
const toldFields: ReadonlySet<string> = new Set([
  'logged',
  'controller',
  'resource',
  'namespace',
  'name',
  'service',
  'listener',
  'lease',
  'probe',
  'reason',
  'context',
]);

/** What leaves the process of an event: what failed and where in the code. Nothing of requests, users, hosts or earlier events, and no text unscrubbed. */
export function stripEvent(event: ErrorEvent): ErrorEvent {
  const { type, event_id, timestamp, platform, level, release, environment, sdk, exception, message, extra = {} } = event;
  const values = exception?.values?.map(({ type: name, value, stacktrace, mechanism }) => ({
    type: name,
    value: value === undefined ? undefined : scrub(value),
    mechanism: mechanism && { type: mechanism.type, handled: mechanism.handled },
    stacktrace: stacktrace && {
      frames: stacktrace.frames?.map((frame) => ({
        filename: frame.filename,
        function: frame.function,
        lineno: frame.lineno,
        colno: frame.colno,
        in_app: frame.in_app,
      })),
    },
  }));
  const told = Object.entries(extra).flatMap(([key, value]) =>
    toldFields.has(key) && typeof value === 'string' ? [[key, scrub(value)] as const] : [],
  );
  return {
    type,
    event_id,
    timestamp,
    platform,
    level,
    release,
    environment,
    sdk,
    extra: Object.fromEntries(told),
    ...(values && { exception: { values } }),
    ...(message !== undefined && { message: scrub(message) }),
  };
}
