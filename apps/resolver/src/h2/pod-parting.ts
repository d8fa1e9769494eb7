import type { Timer } from '@elasti/operator-kit';

import type { ProxyContext } from '../proxy';
import { H2_ERROR, writeRstStream } from './frame';
import type { H2Session } from './h2-session';
import type { H2Stream } from './h2-stream';

/**
 * How a connection parts from a pod that has said good-bye.
 *
 * What the pod goes on answering is not touched. What it did nothing for waits for the next pod, but not for long: then it is refused, by
 * which its client knows that it may send the request again.
 */
export class PodParting {
  private timer: Timer | undefined;

  constructor(
    private readonly context: Pick<ProxyContext, 'clock' | 'settings' | 'listener'>,
    private readonly session: H2Session,
    private readonly client: { readonly isOpen: boolean; flush(): void },
  ) {}

  /** The pod does nothing for streams above this one. */
  begin(lastStreamId: number): void {
    for (const stream of this.session.queue.partFromPod(lastStreamId)) this.refuse(stream);
    if (!this.client.isOpen) return;
    this.timer ??= this.context.clock.after(this.context.settings.lingerMs, () => this.refuseUnsent());
  }

  /** The pod is gone. */
  end(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  refuse(stream: H2Stream): void {
    if (stream.isSent) this.context.listener.lost?.(stream.target);
    this.session.client.tell(writeRstStream(stream.id, H2_ERROR.refusedStream));
    this.session.end(stream);
  }

  /** The pod has streams that may go on for ever. What waits behind them is served sooner on another connection. */
  private refuseUnsent(): void {
    const { session } = this;
    if (!this.client.isOpen || session.pod === undefined) return;
    session.podLastStreamId = Math.min(session.podLastStreamId, session.lastStreamId);
    for (const stream of [...session.queue.unsent]) this.refuse(stream);
    this.client.flush();
  }
}
