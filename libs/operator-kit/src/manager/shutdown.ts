import { type Clock, untilAborted } from '../clock';
import type { Logger } from '../logging';
import { ShutdownTimeoutError } from './manager.errors';
import type { StartStep } from './start-step';

/**
 * Stops steps one after the other, last started first, within one grace period for all of them.
 *
 * When the time is over, the rest are told to stop but not waited for. A step that fails to stop holds up nobody.
 * @throws ShutdownTimeoutError naming what the grace period ended on.
 */
export async function stopInReverse(started: readonly StartStep[], gracePeriodMs: number, clock: Clock, logger: Logger): Promise<void> {
  const grace = new AbortController();
  const timer = clock.after(gracePeriodMs, () => grace.abort());
  const stillRunning: string[] = [];

  for (const step of started.toReversed()) {
    const stopping = step.stop(grace.signal).catch((error: unknown) => logger.error('could not stop cleanly', { step: step.name, error }));
    await untilAborted(stopping, grace.signal).catch(() => stillRunning.push(step.name));
  }

  timer.cancel();
  // Those after the first were told when the time was over, and are not to blame.
  const [culprit] = stillRunning;
  if (culprit !== undefined) throw new ShutdownTimeoutError([culprit], gracePeriodMs);
}
