import type { Protocol } from '../exchange';
import type { PendingBytes } from './pending-bytes';
import type { ProxyContext } from './proxy-context';

/** What is spoken, and the bytes that told it. */
export interface FirstWords {
  readonly protocol: Protocol;
  readonly bytes: Buffer;
  readonly length: number;
}

/**
 * The first bytes of a connection: kept until they tell what is spoken.
 *
 * They have the time of a request head for that. Where a service is named, a pause may tell it as well.
 */
export class FirstBytes {
  private endsAtTick = 0;

  constructor(
    private readonly kept: PendingBytes,
    private readonly context: ProxyContext,
    /** Where each request has to name its service, every connection is HTTP. */
    private readonly spoken: 'HTTP only' | 'anything',
  ) {}

  /** Undefined while more is needed. */
  add(bytes: Buffer, length: number): FirstWords | undefined {
    const { deadlines, settings, sniffer } = this.context;
    let [first, firstLength] = [bytes, length];
    if (this.kept.length > 0) {
      this.kept.add(bytes, 0, length);
      first = this.kept.take() ?? bytes;
      firstLength = first.length;
    } else {
      this.endsAtTick = deadlines.after(settings.headTimeoutMs);
    }
    const protocol = sniffer.sniff(first, firstLength);
    if (protocol === undefined) {
      this.kept.add(first, 0, firstLength);
      return undefined;
    }
    return { protocol: protocol === 'raw' && this.spoken === 'HTTP only' ? 'http1' : protocol, bytes: first, length: firstLength };
  }

  /** When they must have told at the latest. */
  get limitTick(): number {
    return this.endsAtTick;
  }

  get isLate(): boolean {
    return this.context.deadlines.hasPassed(this.endsAtTick);
  }

  /** When a pause tells something. */
  get pauseTick(): number {
    const { deadlines, settings } = this.context;
    return this.spoken === 'HTTP only' ? this.endsAtTick : Math.min(this.endsAtTick, deadlines.after(settings.sniffPauseMs));
  }

  /** Whether what came can no longer become HTTP, now that nothing follows. */
  get isRawAfterAll(): boolean {
    if (this.spoken === 'HTTP only' || this.kept.length === 0) return false;
    return this.context.sniffer.sniffPaused(this.kept.peek(), this.kept.length) === 'raw';
  }
}
