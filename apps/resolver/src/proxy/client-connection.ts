import type { Protocol, Rejection, ServicePort } from '../exchange';
import type { Fault, PlainAnswer } from '../http1';
import { FAULTS, isLoop, writePlainAnswer } from '../http1';
import { ClientPatience } from './client-patience';
import type { PatienceOwner } from './client-patience';
import type { ClientSide } from './client-side';
import { Exchange } from './exchange';
import { FAILURES } from './failures';
import { FirstBytes } from './first-bytes';
import type { Link, LinkOwner } from './link';
import { PendingBytes } from './pending-bytes';
import type { ProxyContext } from './proxy-context';
import { HELD_BODY_BYTES } from './proxy-settings';
import { RequestReader } from './request-reader';

/** A read brings at most half of what may be held, so reading stops at the other half. */
const PENDING_LIMIT_BYTES = HELD_BODY_BYTES / 2;

/** Takes a connection that turned out not to be HTTP/1. */
export type HandOver = (protocol: Exclude<Protocol, 'http1'>, connection: ClientConnection, firstBytes: Buffer) => void;

/**
 * A client's connection: reads heads, runs one exchange at a time, and keeps what comes early until its turn.
 *
 * What is kept is bounded, and so is every wait that is the client's to end. A fault answers once and closes.
 */
export class ClientConnection implements LinkOwner, ClientSide, PatienceOwner {
  readonly pending = new PendingBytes();
  private mode: 'sniffing' | 'head' | 'exchange' | 'closing' | 'handed over' | 'closed' = 'sniffing';
  private readonly requests: RequestReader;
  private exchange: Exchange | undefined;
  private underPressure = false;
  private readingHeads = false;
  private readonly patience: ClientPatience;
  /** Until they have told what is spoken here. */
  private firstBytes: FirstBytes | undefined;

  constructor(
    readonly link: Link,
    private readonly context: ProxyContext,
    /** Undefined where the port names no service: each request then does. */
    readonly target: ServicePort | undefined,
    private readonly handOver: HandOver,
    private readonly onGone: (connection: ClientConnection) => void,
  ) {
    this.requests = new RequestReader(context.partialHeads);
    this.patience = new ClientPatience(context.deadlines, context.settings, this);
    this.firstBytes = new FirstBytes(this.pending, context, target ? 'anything' : 'HTTP only');
    link.owner = this;
  }

  onBytes(bytes: Buffer, length: number): void {
    switch (this.mode) {
      case 'head':
        this.readHeads(bytes, 0, length);
        return;
      case 'exchange':
        this.patience.onMoved();
        this.keep(bytes, this.exchange?.onBytes(bytes, 0, length) ?? 0, length);
        return;
      case 'sniffing':
        if (this.firstBytes) this.sniff(this.firstBytes, bytes, length);
        return;
      case 'closing':
      case 'handed over':
      case 'closed':
        return;
    }
  }

  onDrain(): void {
    this.patience.onMoved();
    if (this.exchange) {
      this.exchange.onClientDrain();
      return;
    }
    if (this.mode === 'head') this.patience.forRequest(this.link);
    this.readPending();
  }

  /** HTTP has no use for half a connection: whoever stops sending has left. */
  onEnd(): void {
    if (this.mode === 'closing') return;
    if (this.exchange) this.destroy();
    else if (this.firstBytes?.isRawAfterAll) this.passWithEnd();
    else this.closeGently();
  }

  onClosed(): void {
    this.leave();
  }

  onPatienceOver(): void {
    if (this.firstBytes?.isRawAfterAll) this.passRaw();
    else if (this.firstBytes && this.pending.length > 0) this.awaitMore(this.firstBytes);
    else if (this.mode === 'head' && this.requests.isPartial()) this.refuseLate();
    else if (this.mode === 'exchange' || this.link.isCongested) this.judgeStall();
    else this.destroy();
  }

  onPressure(pressure: 'rising' | 'gone'): void {
    this.underPressure = pressure === 'rising';
    if (!this.underPressure) this.patience.onMoved();
    this.adjustReading();
  }

  onExchangeOver(persistence: 'close' | 'keep-alive'): void {
    this.exchange = undefined;
    this.underPressure = false;
    if (persistence === 'close') {
      this.closeGently();
      return;
    }
    this.mode = 'head';
    this.patience.forRequest(this.link);
    if (this.pending.length > 0) this.readPending();
    else this.link.resume();
  }

  onOwnAnswer(answer: PlainAnswer, persistence: 'close' | 'keep-alive'): void {
    this.answer(answer, this.pending.holdsRequest ? persistence : this.unlessDraining(persistence));
  }

  onBroken(): void {
    this.link.reset();
    this.leave();
  }

  onSwitched(): void {
    this.mode = 'handed over';
    this.patience.end();
  }

  onTunnelOver(): void {
    this.leave();
  }

  /** The link gets another owner, and this connection is no more. */
  giveUpLink(): Link {
    this.leave();
    return this.link;
  }

  /** Goes once nothing has come for a moment: a request may be on its way, and closing would lose it. */
  closeIfIdle(): void {
    const isBetween = (this.mode === 'head' || this.mode === 'sniffing') && !this.requests.isPartial() && this.pending.length === 0;
    this.patience.leaveSoon(isBetween && !this.link.isCongested ? 'idle' : 'busy');
  }

  endStream(): void {
    this.exchange?.endStream();
  }

  destroy(): void {
    if (this.mode !== 'handed over') this.link.destroy();
    this.leave();
  }

  private sniff(firstBytes: FirstBytes, bytes: Buffer, length: number): void {
    const told = firstBytes.add(bytes, length);
    if (told === undefined) {
      this.patience.until(firstBytes.pauseTick);
      return;
    }
    this.patience.until(firstBytes.limitTick);
    this.firstBytes = undefined;
    if (told.protocol === 'http1') {
      this.mode = 'head';
      this.readHeads(told.bytes, 0, told.length);
      return;
    }
    this.handOver(told.protocol, this, Buffer.from(told.bytes.subarray(0, told.length)));
  }

  private awaitMore(firstBytes: FirstBytes): void {
    if (firstBytes.isLate) this.refuseLate();
    else this.patience.until(firstBytes.limitTick);
  }

  private passRaw(): void {
    this.handOver('raw', this, this.pending.peek());
  }

  private passWithEnd(): void {
    this.passRaw();
    this.link.owner.onEnd();
  }

  private readHeads(bytes: Buffer, start: number, end: number): void {
    let at = start;
    this.readingHeads = true;
    while (at < end && this.canReadHead()) at = this.readHead(bytes, at, end);
    this.readingHeads = false;
    this.keep(bytes, at, end);
  }

  /** A client that sends but does not read would otherwise have its answers pile up here. */
  private canReadHead(): boolean {
    return this.mode === 'head' && !this.link.isCongested;
  }

  private readHead(bytes: Buffer, start: number, end: number): number {
    const { requests } = this;
    const begun = requests.isPartial();
    const read = requests.read(bytes, start, end);
    if (read === 'whole') return this.begin(bytes, requests.next, end);
    if (read !== 'more') return this.fault(read, end);
    // Once for a head, however many pieces it comes in, and never for empty lines.
    if (!begun && requests.isPartial()) this.patience.forHead();
    return end;
  }

  private fault(fault: Fault, end: number): number {
    const { status, detail: text, retryAfterSeconds } = fault;
    this.turnAway(fault === FAULTS.noRoomForHead ? 'queue full' : 'malformed', { status, text, retryAfterSeconds });
    return end;
  }

  private begin(bytes: Buffer, start: number, end: number): number {
    const { requests, context } = this;
    const { head } = requests;
    const target = this.target ?? context.policy.targetOf(head);
    if (target === undefined) {
      context.listener.refused?.(undefined, 'unknown');
      return this.answerUnsent(FAILURES.nobody(), start, end);
    }
    const passage = requests.passageTo(target, this.link);
    if (isLoop(head.fields.marker, passage.hop)) {
      context.listener.refused?.(target, 'came back');
      return this.answerUnsent(FAILURES.cameBack(target), start, end);
    }
    const lease = context.gate.tryEnter(target);
    if (lease === undefined) {
      const own = context.policy.answerInstead(target, head);
      if (own) return this.answerUnsent(own, start, end);
    }
    this.mode = 'exchange';
    this.patience.forExchange();
    this.exchange = new Exchange(this, context, target, requests.outgoing(passage));
    requests.forgetIfLarge();
    return this.exchange.start(lease, bytes, start, end);
  }

  /** An answer to a request that goes nowhere; its body, if it has one, is not read. */
  private answerUnsent(answer: PlainAnswer, next: number, end: number): number {
    const { head } = this.requests;
    const persistence = head.keepsAlive && head.framing() === undefined ? 'keep-alive' : 'close';
    this.answer(answer, next < end ? persistence : this.unlessDraining(persistence));
    this.requests.forgetIfLarge();
    return next;
  }

  private answer(answer: PlainAnswer, wished: 'close' | 'keep-alive'): void {
    const persistence = answer.persistence ?? wished;
    this.link.write(writePlainAnswer(answer, this.requests.head.method, persistence));
    this.onExchangeOver(persistence);
  }

  private unlessDraining(persistence: 'close' | 'keep-alive'): 'close' | 'keep-alive' {
    return this.context.isDraining() ? 'close' : persistence;
  }

  private refuseLate(): void {
    this.turnAway('late', { status: 408, text: 'the request head did not arrive in time' });
  }

  private turnAway(reason: Rejection, answer: PlainAnswer): void {
    this.context.listener.refused?.(this.target, reason);
    this.link.write(writePlainAnswer(answer, 'GET', 'close'));
    this.closeGently();
  }

  private keep(bytes: Buffer, start: number, end: number): void {
    if (start >= end || this.mode === 'closing' || this.mode === 'closed') return;
    if (this.pending.length > 0 || this.link.isShared(bytes)) this.pending.add(bytes, start, end);
    else this.pending.putBack(bytes, start);
    this.exchange?.onKept(this.pending.length);
    this.adjustReading();
  }

  private readPending(): void {
    if (this.readingHeads || !this.canReadHead()) return;
    const bytes = this.pending.take();
    this.adjustReading();
    if (bytes) this.readHeads(bytes, 0, bytes.length);
  }

  private adjustReading(): void {
    if (this.underPressure || this.isFull()) this.link.pause();
    else this.link.resume();
  }

  /** A body that fits as a whole is read to its end, and beyond: a client that leaves is seen only while it is read. */
  private isFull(): boolean {
    const { pending, exchange } = this;
    if (pending.length <= PENDING_LIMIT_BYTES) return false;
    return pending.length > HELD_BODY_BYTES || exchange?.isBodyWithin(HELD_BODY_BYTES, pending.peek()) !== true;
  }

  private judgeStall(): void {
    const podOwes = this.underPressure || this.exchange?.isPodFull === true;
    const owes = this.link.isCongested || podOwes || this.exchange?.awaitsBody === true;
    if (!this.patience.isSpent(owes)) return;
    if (this.exchange) this.exchange.onStalled(podOwes && !this.link.isCongested ? 'pod' : 'client');
    else this.destroy();
  }

  /** Closing with bytes unread would reset the connection and could take our last answer from the client. */
  private closeGently(): void {
    this.mode = 'closing';
    this.firstBytes = undefined;
    this.pending.take();
    this.requests.drop();
    this.patience.forGoodbye(this.link);
    this.link.end(() => this.patience.forLinger());
    this.link.resume();
  }

  private leave(): void {
    if (this.mode === 'closed') return;
    this.mode = 'closed';
    this.firstBytes = undefined;
    this.patience.end();
    const exchange = this.exchange;
    this.exchange = undefined;
    exchange?.leave();
    this.pending.take();
    this.requests.drop();
    this.onGone(this);
  }
}
