import type { ElastiService } from '@elasti/api';
import {
  ForbiddenError,
  type Frozen,
  KubeApiError,
  longestRetryAfterMs,
  retryAfterMs,
  TransportError,
  UnauthorizedError,
  UnknownKindError,
} from '@elasti/operator-kit';
import { TargetNotFoundError, WakeTimeoutError } from '../controller';
import { HttpProblem } from '@elasti/operator-kit/program';
import { type NoWait, WakeNotAwaitedError } from './wake-desk.errors';

/** A missing target comes back when someone creates it, which takes a while; calling every second would only fill the log. */
const missingTargetRetryMs = 5_000;

const noWaitMessages: Record<NoWait, string> = {
  busy: 'too many wakes are waiting: call again',
  stopping: 'this replica is stopping: call again, another one answers',
  timeout: 'the API server has not accepted the wake in time: call again',
};

/**
 * The answer to a wake that failed for a reason outside of this program; `undefined` for any other failure.
 *
 * A missing target is 503, not 404: the service is known, requests for it are held, and once the target is there calling again succeeds.
 */
export function buildWakeFailure(error: unknown, { spec, metadata }: Frozen<ElastiService>): HttpProblem | undefined {
  if (error instanceof WakeNotAwaitedError) return unavailable(noWaitMessages[error.why]);
  if (error instanceof WakeTimeoutError) return unavailable(noWaitMessages.timeout);
  if (error instanceof TargetNotFoundError || error instanceof UnknownKindError) {
    const { kind, name } = spec.scaleTargetRef;
    const target = `${kind} ${name} in ${metadata.namespace ?? ''}`;
    return unavailable(`there is no ${target} that can be scaled: create it, or correct spec.scaleTargetRef`, missingTargetRetryMs);
  }
  if (error instanceof ForbiddenError || error instanceof UnauthorizedError) {
    return unavailable("the API server does not let the operator wake it: check the roles of the operator's ServiceAccount");
  }
  if (error instanceof KubeApiError) return unavailable('the API server has not accepted the wake: call again', retryAfterMs(error));
  if (error instanceof TransportError) return unavailable('the API server does not answer: call again');
  return undefined;
}

/** A replica that has just started knows nobody, which says nothing of who is there. */
export function notFilled(): HttpProblem {
  return unavailable('this replica has not read the ElastiServices yet: call again');
}

function unavailable(message: string, delayMs = 1_000): HttpProblem {
  const seconds = Math.ceil(Math.min(Math.max(delayMs, 1_000), longestRetryAfterMs) / 1000);
  return new HttpProblem(503, { message }, { 'retry-after': String(seconds) });
}
