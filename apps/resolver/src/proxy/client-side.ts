import type { BodyFraming, PlainAnswer } from '../http1';
import type { Link } from './link';
import type { PendingBytes } from './pending-bytes';

/** The client's connection, as its exchange sees it. */
export interface ClientSide {
  readonly link: Link;
  /** Bytes that came before they could be sent on. */
  readonly pending: PendingBytes;
  /** The pod takes less than the client sends, or does again. */
  onPressure(pressure: 'rising' | 'gone'): void;
  /** The exchange has its answer. */
  onExchangeOver(persistence: 'close' | 'keep-alive'): void;
  /** The exchange gets an answer of our own. */
  onOwnAnswer(answer: PlainAnswer, persistence: 'close' | 'keep-alive'): void;
  /** The answer broke off after it had begun. */
  onBroken(): void;
  /** The link now belongs to a tunnel. */
  onSwitched(): void;
  onTunnelOver(): void;
}

/** What is sent to the pod, and what the client understands. */
export interface OutgoingRequest {
  readonly method: string;
  readonly head: string;
  readonly framing: BodyFraming | undefined;
  /** As announced; `Infinity` when it is not. */
  readonly bodyBytes: number;
  readonly minorVersion: 0 | 1;
  readonly keepsAlive: boolean;
  readonly upgrade: string;
  readonly timing: 'asked for' | 'unasked';
}
