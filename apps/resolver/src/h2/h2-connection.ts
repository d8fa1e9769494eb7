import type { Timer } from '@elasti/operator-kit';

import { serverTiming } from '../exchange';
import type { LeaseOutcome, OwnAnswer, PodLease, ServicePort } from '../exchange';
import type { Expiring, Link, LinkOwner, ProxyContext, TakenConnection } from '../proxy';
import { ClientFrames } from './client-frames';
import type { ClientEvents } from './client-frames';
import { FloodGuard } from './flood-guard';
import { H2_ERROR, LARGEST_STREAM_ID, PREFACE, writeGoaway, writePing, writeRstStream } from './frame';
import type { H2ErrorCode } from './frame';
import { FrameReader } from './frame-reader';
import type { H2Request } from './h2-request';
import { H2Session } from './h2-session';
import { H2Stream } from './h2-stream';
import { UNTAKEN_BYTES } from './limits';
import { Outlet } from './outlet';
import { nameOf, PodEntry } from './pod-entry';
import type { PodSeeker } from './pod-entry';
import type { PodEvents } from './pod-frames';
import { PodSide } from './pod-side';
import { RequestRouting } from './request-routing';
import { SettingsExchange } from './settings-exchange';
import type { Settings } from './settings-frame';

/** Tells our own ping from those that come from the pod. */
const OWN_PING = 'elasti\x00\x01';

/**
 * A client's HTTP/2 connection and the one connection to a pod that serves it.
 *
 * The client is greeted and its settings are acknowledged at once, whether a pod is there or not. All its streams share one lease; as long
 * as there is none each is held on its own, and answered in its own way if it cannot be served. When the pod is lost, what can be repeated
 * goes to another; a connection with nothing of that kind is told to go.
 */
export class H2Connection implements LinkOwner, Expiring, TakenConnection, PodSeeker, ClientEvents, PodEvents {
  expiresAtTick: number;
  private state: 'open' | 'closing' | 'closed' = 'open';
  private leaving: 'no' | 'told' | 'heard' = 'no';
  private readonly session: H2Session;
  private readonly entry: PodEntry;
  private readonly settings: SettingsExchange;
  private readonly clientReader = new FrameReader();
  private readonly clientFrames: ClientFrames;
  private readonly pod: PodSide;
  /** Whether either side has begun a header block that is not yet whole; it has a time limit of its own. */
  private insideBlock = false;
  private parting: Timer | undefined;
  /** A whole time limit has passed in which the client took nothing. */
  private stalled = false;
  private readonly routing: RequestRouting;

  constructor(
    private readonly link: Link,
    private readonly context: ProxyContext,
    target: ServicePort | undefined,
    private readonly onGone: (connection: TakenConnection) => void,
  ) {
    const guard = new FloodGuard(context.clock);
    this.session = new H2Session(new Outlet(link), guard, context.listener, (stream) => this.onStreamOver(stream));
    this.routing = new RequestRouting(context.policy, target, () => link.remoteAddress);
    this.entry = new PodEntry(context, this);
    this.settings = new SettingsExchange(this.session);
    this.clientFrames = new ClientFrames(this.session, this);
    this.pod = new PodSide(this.session, this);
    this.expiresAtTick = context.deadlines.after(context.settings.headTimeoutMs);
    context.deadlines.watch(this);
    link.owner = this;
  }

  start(firstBytes: Buffer): void {
    this.settings.greetClient();
    this.readClient(firstBytes, PREFACE.length, firstBytes.length);
  }

  onBytes(bytes: Buffer, length: number): void {
    if (this.state === 'open') this.readClient(bytes, 0, length);
  }

  onDrain(): void {
    this.session.onTaken();
    this.stalled = false;
    this.adjustReading();
  }

  onEnd(): void {
    if (this.state === 'open') this.destroy();
  }

  onClosed(): void {
    this.leave();
  }

  onExpired(): void {
    if (this.state === 'closing') this.destroy();
    else if (this.clientFrames.isInsideBlock) this.close(H2_ERROR.enhanceYourCalm);
    else if (this.session.isInsidePodBlock && !this.link.isCongested) this.breakOff('the pod did not end the head of its answer in time');
    else if (this.session.streams.size > 0) this.judgeStall();
    else if (this.leaving === 'no') this.goAway();
    else this.destroy();
  }

  destroy(): void {
    this.link.destroy();
    this.leave();
  }

  /** The process drains: the client is told to go, and goes once its streams are over. */
  closeIfIdle(): void {
    this.goAway();
  }

  endStream(): void {
    for (const stream of [...this.session.streams.values()]) {
      if (stream.isEndless) this.session.finish(stream, `${nameOf(stream.target)}: this resolver ends, another takes the call`);
    }
    this.flush();
  }

  leavePod(podKey: string): void {
    if (this.entry.podKey === podKey) this.goAway();
  }

  onRequest(id: number, request: H2Request, part: 'ends stream' | 'goes on'): void {
    const { context, session, entry } = this;
    const answered = { id, isGrpc: request.isGrpc, method: request.method, clientOver: part === 'ends stream' };
    const room = session.pod !== undefined || session.hasRoomFor(request.size) ? 'room' : 'full';
    const routed = this.routing.route(request, { bound: entry.isIdle ? 'free' : 'bound', room });
    if ('answer' in routed) {
      if (routed.rejected) context.listener.refused?.(routed.rejected.target, routed.rejected.reason);
      session.answer(answered, routed.answer);
      return;
    }
    const { target } = routed;
    let lease: PodLease | undefined;
    if (!entry.hasLease) {
      if (entry.isIdle) lease = context.gate.tryEnter(target);
      const instead = lease ? undefined : context.policy.answerInstead(target, request);
      if (instead) {
        session.answer(answered, instead);
        return;
      }
    }
    const stream = new H2Stream(id, target, request, context.clock.monotonic());
    stream.clientOver = part === 'ends stream';
    this.accept(stream, lease);
  }

  onHeldMore(stream: H2Stream, bytes: number): void {
    this.entry.grow(stream, bytes);
  }

  onSettings(settings: Settings): void {
    this.settings.onClientSettings(settings);
  }

  onSettingsAck(): void {
    this.settings.onClientAck();
  }

  isOwnPing(payload: string): boolean {
    if (payload !== OWN_PING || this.leaving === 'no') return false;
    this.leaving = 'heard';
    this.finishIfDone();
    return true;
  }

  onWindow(): void {
    this.pod.unblock();
  }

  onFault(code: H2ErrorCode): void {
    this.close(code);
  }

  onPodConnected(link: Link): void {
    const owner: LinkOwner = {
      onBytes: (bytes, length) => this.readPod(bytes, length),
      onDrain: () => this.onPodDrain(),
      onEnd: () => this.onPodLost(),
      onClosed: () => this.onPodLost(),
    };
    this.pod.connect(link, owner, this.settings);
  }

  onNoPod(stream: H2Stream, answer: OwnAnswer): void {
    this.session.answer(stream, answer);
    this.flush();
  }

  /** The pod's first settings show that it speaks HTTP/2, so everything held goes to it. */
  onPodSettings(settings: Settings): void {
    const { session } = this;
    const { outlet } = this.pod;
    const { passage } = this.routing;
    const isFirst = session.pod === undefined;
    this.settings.onPodSettings(settings, isFirst ? 'first' : 'later');
    if (!isFirst || outlet === undefined || passage === undefined) return;
    this.entry.join();
    this.settings.catchUp(outlet);
    session.join(outlet, passage);
  }

  onPodSettingsAck(): void {
    this.settings.onPodAck();
  }

  timingOf(stream: H2Stream): string {
    return serverTiming(stream.moments);
  }

  /** The client is told to go in our own way, for what it has sent is still served: by this pod, or by another when this one is done. */
  onPodFarewell(lastStreamId: number): void {
    for (const stream of this.session.partFromPod(lastStreamId)) this.refuse(stream);
    this.goAway();
    if (this.state !== 'open') return;
    this.parting ??= this.context.clock.after(this.context.settings.lingerMs, () => this.refuseUnsent());
  }

  onPodRefused(stream: H2Stream): void {
    if (!this.session.retract(stream)) this.refuse(stream);
  }

  onPodDropped(stream: H2Stream): void {
    if (stream.isSent) this.context.listener.lost?.(stream.target);
    this.session.end(stream);
  }

  onPodFault(): void {
    this.breakOff('the pod does not speak valid HTTP/2');
  }

  private readClient(bytes: Buffer, start: number, end: number): void {
    if (this.clientReader.read(bytes, start, end, this.clientFrames) === 'too large') this.close(H2_ERROR.frameSize);
    if (this.state !== 'open') return;
    this.followBlocks();
    this.flush();
  }

  private readPod(bytes: Buffer, length: number): void {
    this.pod.read(bytes, length);
    this.followBlocks();
    this.flush();
  }

  private onPodDrain(): void {
    this.session.sendWaiting();
    this.flush();
  }

  private flush(): void {
    if (this.state !== 'open') return;
    if (this.session.isPodDone) this.changePod();
    this.session.pod?.flush();
    this.session.client.flush();
    this.adjustReading();
  }

  /** Each side is read only as fast as the other takes it; a client that takes none of our own answers is not read either. */
  private adjustReading(): void {
    if (this.state !== 'open') return;
    const { link, pod, session } = this;
    if (!link.isCongested) session.onTaken();
    if (pod.isCongested || session.untakenBytes > UNTAKEN_BYTES) link.pause();
    else link.resume();
    pod.readFor(link);
  }

  private accept(stream: H2Stream, lease: PodLease | undefined): void {
    this.session.begin(stream);
    this.setDeadline();
    if (this.entry.isJoined) this.entry.touch();
    else this.entry.ask(stream, lease);
    if (this.context.isDraining() || this.routing.isMovingOn) this.goAway();
  }

  /** Nothing else that happens meanwhile gives a header block more time. */
  private followBlocks(): void {
    const isInside = this.clientFrames.isInsideBlock || this.session.isInsidePodBlock;
    if (this.insideBlock === isInside) return;
    this.insideBlock = isInside;
    if (isInside) {
      if (this.state === 'open') this.expiresAtTick = this.context.deadlines.after(this.context.settings.headTimeoutMs);
      return;
    }
    this.setDeadline();
    this.finishIfDone();
  }

  private setDeadline(): void {
    const { deadlines, settings } = this.context;
    if (this.state !== 'open' || this.insideBlock) return;
    if (this.session.streams.size > 0) this.expiresAtTick = deadlines.after(settings.stalledClientMs);
    else this.expiresAtTick = deadlines.after(this.leaving === 'no' ? settings.idleClientMs : settings.lingerMs);
  }

  /** A limit may run out just as the client stops reading, so it takes two in a row. */
  private judgeStall(): void {
    const owes = this.link.isCongested;
    if (owes && this.stalled) {
      this.destroy();
      return;
    }
    this.stalled = owes;
    // A pod that is not read, because its client takes nothing, cannot end its header block.
    this.insideBlock = false;
    this.setDeadline();
  }

  private onStreamOver(stream: H2Stream): void {
    const { session, entry, context } = this;
    entry.drop(stream);
    entry.touch();
    if (this.state !== 'open' || session.streams.size > 0) return;
    this.setDeadline();
    if (session.pod === undefined) {
      // Nobody waits any more: the place in the queue is free.
      entry.leave('done');
      this.pod.forget();
    } else if (context.isDraining() || this.routing.isMovingOn) {
      this.goAway();
    }
    this.finishIfDone();
  }

  /**
   * Tells the client to go, and nothing is refused that it had already sent: what it sends is served until it has heard, which its answer
   * to our ping shows.
   */
  private goAway(): void {
    if (this.state !== 'open' || this.leaving !== 'no') return;
    this.leaving = 'told';
    this.session.tell(
      writeGoaway(Math.min(LARGEST_STREAM_ID, this.session.podLastStreamId), H2_ERROR.none) + writePing(OWN_PING, 'question'),
    );
    this.setDeadline();
    this.session.client.flush();
  }

  private finishIfDone(): void {
    if (this.state !== 'open' || this.leaving !== 'heard' || this.session.streams.size > 0) return;
    // A stream may be over before the last header block of its answer is.
    if (!this.session.isInsidePodBlock) this.close(H2_ERROR.none);
  }

  private onPodLost(): void {
    if (this.state !== 'open' || !this.pod.isConnected) return;
    if (this.session.pod === undefined) {
      this.pod.forget();
      this.entry.lost();
      return;
    }
    this.breakOff('the pod closed the connection before its answer was whole');
  }

  /** The pod is lost, and with it what it has begun to answer; the rest goes to another. */
  private breakOff(reason: string): void {
    const { session, entry } = this;
    if (this.state !== 'open') return;
    const { podKey } = entry;
    const wasFound = session.pod !== undefined;
    this.leavePlace(session.streams.size > 0 ? 'broken' : 'done');
    this.pod.forget();
    const lost = session.losePod();
    if (session.isInsidePodBlock) {
      for (const { target } of session.streams.values()) this.context.listener.lost?.(target);
      this.link.reset();
      this.leave();
      return;
    }
    for (const stream of wasFound ? lost : [...session.streams.values()]) this.fail(stream, reason);
    if (session.streams.size === 0) this.close(H2_ERROR.none);
    else this.seekAgain(podKey);
  }

  private fail(stream: H2Stream, reason: string): void {
    const text = `${nameOf(stream.target)}: ${reason}`;
    if (!stream.podOver) this.context.listener.lost?.(stream.target);
    if (stream.answerBegun) this.session.cutOff(stream, text);
    else this.session.answer(stream, { status: 502, text });
  }

  /** By this its client knows that it may send the request again. */
  private refuse(stream: H2Stream): void {
    if (stream.isSent) this.context.listener.lost?.(stream.target);
    this.session.tell(writeRstStream(stream.id, H2_ERROR.refusedStream));
    this.session.end(stream);
  }

  /** The pod that says good-bye has streams that may go on for ever. What waits behind them is served sooner on another connection. */
  private refuseUnsent(): void {
    const { session } = this;
    if (this.state !== 'open' || session.pod === undefined) return;
    session.podLastStreamId = Math.min(session.podLastStreamId, session.lastStreamId);
    for (const stream of [...session.unsent]) this.refuse(stream);
    this.flush();
  }

  private leavePlace(outcome: LeaseOutcome): void {
    this.parting?.cancel();
    this.parting = undefined;
    // What is cut short was in use until now.
    if (this.session.streams.size > 0) this.entry.touch();
    this.entry.leave(outcome);
  }

  /** The pod has said good-bye and has ended what it answers. */
  private changePod(): void {
    const { podKey } = this.entry;
    this.leavePlace('done');
    this.pod.forget();
    this.session.losePod();
    this.seekAgain(podKey);
  }

  private seekAgain(lostPod: string | undefined): void {
    this.settings.onPodLost();
    for (const stream of [...this.session.streams.values()]) this.entry.ask(stream, undefined, lostPod);
    this.flush();
  }

  /** Closing with bytes unread would reset the connection and could take our last frames from the client. */
  private close(code: H2ErrorCode): void {
    const { session, link } = this;
    const { deadlines, settings } = this.context;
    if (this.state !== 'open') return;
    session.tell(writeGoaway(Math.min(session.lastStreamId, session.podLastStreamId), code));
    session.client.flush();
    this.state = 'closing';
    this.leavePlace('done');
    this.endStreams();
    this.expiresAtTick = deadlines.after(settings.idleClientMs);
    link.end(() => (this.expiresAtTick = deadlines.after(settings.lingerMs)));
    link.resume();
  }

  private endStreams(): void {
    for (const stream of [...this.session.streams.values()]) this.session.end(stream);
  }

  private leave(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.context.deadlines.unwatch(this);
    this.leavePlace('done');
    this.endStreams();
    this.onGone(this);
  }
}
