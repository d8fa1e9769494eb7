import type { Clock, Timer } from '@elasti/operator-kit';

import type { H2Stream } from './h2-stream';
import type { PodEntry } from './pod-entry';
import type { PodQueue } from './pod-queue';

/** The limit may become shorter while they wait. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Until when streams may wait although there is a pod, because it takes only so many at a time.
 *
 * They have left the gate with the others of their connection, and nobody looks at their time there any more. One timer for all of them.
 */
export class UnsentLimit {
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly queue: Pick<PodQueue, 'unsent'>,
    private readonly entry: Pick<PodEntry, 'requestTimeoutMs' | 'heldSinceMs'>,
    /** The stream is not with the pod, and is answered with this call. */
    private readonly onTimedOut: (stream: H2Stream, waitedMs: number) => void,
  ) {}

  /** There may be some that wait. Those that come later are due later, so a timer that runs is early enough. */
  begin(): void {
    const { clock, queue, entry } = this;
    if (this.timer !== undefined || queue.unsent.length === 0) return;
    const oldestMs = queue.unsent.reduce((oldest, stream) => Math.min(oldest, entry.heldSinceMs(stream)), Infinity);
    const dueMs = oldestMs + entry.requestTimeoutMs;
    if (dueMs === Infinity) return;
    const delayMs = Math.min(LOOK_AGAIN_MS, Math.max(0, dueMs - clock.monotonic()));
    this.timer = clock.after(delayMs, () => this.look());
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  private look(): void {
    const { requestTimeoutMs } = this.entry;
    const nowMs = this.clock.monotonic();
    this.timer = undefined;
    for (const stream of [...this.queue.unsent]) {
      const waitedMs = nowMs - this.entry.heldSinceMs(stream);
      // An answer to one may bring the next to the pod.
      if (waitedMs >= requestTimeoutMs && !stream.isSent) this.onTimedOut(stream, waitedMs);
    }
    this.begin();
  }
}
