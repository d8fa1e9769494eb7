import type { Protocol, ServicePort } from '../exchange';
import type { Fault, Passage, PlainAnswer } from '../http1';
import { FAULTS, HeadBuffer, isLoop, RequestHead, RequestWriter, writePlainAnswer } from '../http1';
import type { ClientSide } from './client-side';
import type { Expiring } from './deadlines';
import { Exchange } from './exchange';
import { FAILURES } from './failures';
import type { Link, LinkOwner } from './link';
import { PendingBytes } from './pending-bytes';
import type { ProxyContext } from './proxy-context';
import { HELD_BODY_BYTES } from './proxy-settings';

/** A read brings at most half of what may be held, so reading stops at the other half. */
const PENDING_LIMIT_BYTES = HELD_BODY_BYTES / 2;

/** Takes a connection that turned out not to be HTTP/1. */
export type HandOver = (protocol: Exclude<Protocol, 'http1'>, connection: ClientConnection, firstBytes: Buffer) => void;

/**
 * A client's connection: reads heads, runs one exchange at a time, and keeps what comes early until its turn.
 *
 * What is kept is bounded, and so is every wait that is the client's to end. A fault answers once and closes.
 */
export class ClientConnection implements LinkOwner, ClientSide, Expiring {
  expiresAtTick: number;
  readonly pending = new PendingBytes();
  private mode: 'sniffing' | 'head' | 'exchange' | 'closing' | 'handed over' | 'closed' = 'sniffing';
  private readonly heads = new HeadBuffer();
  private readonly head = new RequestHead();
  private readonly writer = new RequestWriter();
  private exchange: Exchange | undefined;
  private underPressure = false;
  /** A whole time limit has passed in which the client or the pod owed something and nothing moved. */
  private stalled = false;
  private readingHeads = false;
  /** The process drains: this connection goes as soon as nothing comes on it. */
  private leaving = false;
  /** Until then the first bytes must have told what is spoken here. */
  private sniffEndsAtTick = 0;
  private passage: (Passage & { readonly target: ServicePort }) | undefined;

  constructor(
    readonly link: Link,
    private readonly context: ProxyContext,
    /** Undefined where the port names no service: each request then does. */
    readonly target: ServicePort | undefined,
    private readonly handOver: HandOver,
    private readonly onGone: (connection: ClientConnection) => void,
  ) {
    this.expiresAtTick = context.deadlines.after(context.settings.idleClientMs);
    context.deadlines.watch(this);
    link.owner = this;
  }

  onBytes(bytes: Buffer, length: number): void {
    switch (this.mode) {
      case 'head':
        this.readHeads(bytes, 0, length);
        return;
      case 'exchange':
        this.stalled = false;
        this.keep(bytes, this.exchange?.onBytes(bytes, 0, length) ?? 0, length);
        return;
      case 'sniffing':
        this.sniff(bytes, length);
        return;
      case 'closing':
      case 'handed over':
      case 'closed':
        return;
    }
  }

  onDrain(): void {
    this.stalled = false;
    if (this.exchange) {
      this.exchange.onClientDrain();
      return;
    }
    if (this.mode === 'head') this.awaitRequest();
    this.readPending();
  }

  /** HTTP has no use for half a connection: whoever stops sending has left. */
  onEnd(): void {
    if (this.mode === 'closing') return;
    if (this.exchange) this.destroy();
    else if (this.isRawAfterAll()) this.passWithEnd();
    else this.closeGently();
  }

  onClosed(): void {
    this.leave();
  }

  onExpired(): void {
    if (this.isRawAfterAll()) this.passRaw();
    else if (this.mode === 'sniffing' && this.pending.length > 0) this.awaitFirstBytes();
    else if (this.mode === 'head' && this.heads.isPartial) this.refuseLate();
    else if (this.mode === 'exchange' || this.link.isCongested) this.judgeStall();
    else this.destroy();
  }

  onPressure(pressure: 'rising' | 'gone'): void {
    this.underPressure = pressure === 'rising';
    if (!this.underPressure) this.stalled = false;
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
    this.awaitRequest();
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
    this.context.deadlines.unwatch(this);
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
    const { deadlines, settings } = this.context;
    this.leaving = true;
    const isBetween = (this.mode === 'head' || this.mode === 'sniffing') && !this.heads.isPartial && this.pending.length === 0;
    if (isBetween && !this.link.isCongested) this.expiresAtTick = Math.min(this.expiresAtTick, deadlines.after(settings.drainIdleMs));
  }

  endStream(): void {
    this.exchange?.endStream();
  }

  destroy(): void {
    if (this.mode !== 'handed over') this.link.destroy();
    this.leave();
  }

  private sniff(bytes: Buffer, length: number): void {
    let first = bytes;
    let firstLength = length;
    if (this.pending.length > 0) {
      this.pending.add(bytes, 0, length);
      first = this.pending.take() ?? bytes;
      firstLength = first.length;
    } else {
      this.sniffEndsAtTick = this.context.deadlines.after(this.context.settings.headTimeoutMs);
    }
    const protocol = this.context.sniffer.sniff(first, firstLength);
    if (protocol === undefined) {
      this.pending.add(first, 0, firstLength);
      this.awaitMore();
      return;
    }
    this.expiresAtTick = this.sniffEndsAtTick;
    if (protocol === 'http1' || (this.target === undefined && protocol === 'raw')) {
      this.mode = 'head';
      this.readHeads(first, 0, firstLength);
      return;
    }
    this.handOver(protocol, this, Buffer.from(first.subarray(0, firstLength)));
  }

  /** Where every connection is HTTP a pause tells nothing. */
  private awaitMore(): void {
    const { deadlines, settings } = this.context;
    const pauseTick = this.target ? deadlines.after(settings.sniffPauseMs) : Infinity;
    this.expiresAtTick = Math.min(this.sniffEndsAtTick, pauseTick);
  }

  private awaitFirstBytes(): void {
    if (this.context.deadlines.hasPassed(this.sniffEndsAtTick)) this.refuseLate();
    else this.expiresAtTick = this.sniffEndsAtTick;
  }

  /** Whether what came can no longer become HTTP, now that nothing follows. */
  private isRawAfterAll(): boolean {
    if (this.mode !== 'sniffing' || this.target === undefined || this.pending.length === 0) return false;
    return this.context.sniffer.sniffPaused(this.pending.peek(), this.pending.length) === 'raw';
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
    let begun = this.heads.isPartial;
    const search = this.heads.search(bytes, start, end);
    if (search === 'more') {
      // Once for a head, however many pieces it comes in, and never for empty lines.
      begun ||= !this.heads.isPartial;
      if (!begun) this.expiresAtTick = this.context.deadlines.after(this.context.settings.headTimeoutMs);
      return end;
    }
    if (search !== 'found') return this.fault(search === 'too large' ? FAULTS.headTooLarge : FAULTS.bareLineFeed, end);
    const fault = this.head.read(this.heads.text);
    return fault ? this.fault(fault, end) : this.begin(bytes, this.heads.next, end);
  }

  private fault(fault: Fault, end: number): number {
    this.refuse(fault.status, fault.detail);
    return end;
  }

  private begin(bytes: Buffer, start: number, end: number): number {
    const { head, context } = this;
    const target = this.target ?? context.policy.targetOf(head);
    if (target === undefined) return this.answerUnsent(FAILURES.nobody(), start, end);
    const passage = this.passageFor(target);
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
    this.stalled = false;
    this.expiresAtTick = context.deadlines.after(context.settings.stalledClientMs);
    const exchange = new Exchange(this, context, target, {
      method: head.method,
      head: this.writer.write(head, passage),
      framing: head.framing(),
      minorVersion: head.minorVersion,
      keepsAlive: head.keepsAlive,
      upgrade: head.upgrade,
      bodyBytes: head.bodyBytes,
      timing: head.fields.asksTiming ? 'asked for' : 'unasked',
    });
    this.exchange = exchange;
    return exchange.start(lease, bytes, start, end);
  }

  private passageFor(target: ServicePort): Passage {
    if (this.passage?.target === target) return this.passage;
    const hop = `${target.namespace}/${target.service}:${target.port}`;
    this.passage = { target, hop, clientAddress: this.passage?.clientAddress ?? this.link.remoteAddress };
    return this.passage;
  }

  /** An answer to a request that goes nowhere; its body, if it has one, is not read. */
  private answerUnsent(answer: PlainAnswer, next: number, end: number): number {
    const persistence = this.head.keepsAlive && this.head.framing() === undefined ? 'keep-alive' : 'close';
    this.answer(answer, next < end ? persistence : this.unlessDraining(persistence));
    return next;
  }

  private answer(answer: PlainAnswer, wished: 'close' | 'keep-alive'): void {
    const persistence = answer.persistence ?? wished;
    this.link.write(writePlainAnswer(answer, this.head.method, persistence));
    this.onExchangeOver(persistence);
  }

  private unlessDraining(persistence: 'close' | 'keep-alive'): 'close' | 'keep-alive' {
    return this.context.isDraining() ? 'close' : persistence;
  }

  private refuseLate(): void {
    this.refuse(408, 'the request head did not arrive in time');
  }

  private refuse(status: number, text: string): void {
    this.link.write(writePlainAnswer({ status, text }, 'GET', 'close'));
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

  /** A limit may run out just as somebody comes to owe something, so it takes two in a row: no read or write has to set one anew. */
  private judgeStall(): void {
    const owes = this.link.isCongested || this.underPressure || this.exchange?.awaitsBody === true;
    if (owes && this.stalled) {
      if (this.exchange) this.exchange.onStalled(this.underPressure && !this.link.isCongested ? 'pod' : 'client');
      else this.destroy();
      return;
    }
    this.stalled = owes;
    this.expiresAtTick = this.context.deadlines.after(this.context.settings.stalledClientMs);
  }

  /** The client is idle only once it has taken the answer before: until then it is judged as one that reads. */
  private awaitRequest(): void {
    const { deadlines, settings } = this.context;
    const idleMs = this.leaving ? settings.drainIdleMs : settings.idleClientMs;
    this.stalled = false;
    this.expiresAtTick = deadlines.after(this.link.isCongested ? settings.stalledClientMs : idleMs);
  }

  /** Closing with bytes unread would reset the connection and could take our last answer from the client. */
  private closeGently(): void {
    const { deadlines, settings } = this.context;
    this.mode = 'closing';
    this.stalled = false;
    this.pending.take();
    this.expiresAtTick = deadlines.after(this.link.isCongested ? settings.stalledClientMs : settings.idleClientMs);
    this.link.end(() => (this.expiresAtTick = deadlines.after(settings.lingerMs)));
    this.link.resume();
  }

  private leave(): void {
    if (this.mode === 'closed') return;
    this.mode = 'closed';
    this.context.deadlines.unwatch(this);
    const exchange = this.exchange;
    this.exchange = undefined;
    exchange?.leave();
    this.pending.take();
    this.onGone(this);
  }
}
