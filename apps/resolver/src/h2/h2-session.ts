import type { ExchangeListener, OwnAnswer } from '../exchange';
import type { Passage } from '../http1';
import type { ClientOutlet } from './client-outlet';
import { ConnectionWindows } from './connection-windows';
import type { FloodGuard } from './flood-guard';
import { FIRST_WINDOW, FLAG, FRAME, frameHead, H2_ERROR, writeHeaderBlock, writeRstStream, writeWindowUpdate } from './frame';
import type { H2ErrorCode } from './frame';
import type { Trailers } from './h2-request';
import { H2Stream } from './h2-stream';
import { HELD_HEADS_BYTES, HELD_STREAMS, WAITING_HEADS_BYTES } from './limits';
import type { Outlet } from './outlet';
import type { Answered } from './own-answer';
import { writeGrpcCut, writeOwnAnswer, writeStop } from './own-answer';
import { PodBacklog } from './pod-backlog';
import { nameOf } from './pod-entry';
import { PodPings } from './pod-pings';
import { PodQueue } from './pod-queue';
import { RequestMemory } from './request-memory';
import { POD_DEFAULTS, SETTING } from './settings-frame';
import type { Settings } from './settings-frame';
import { UnansweredPings } from './unanswered-pings';

/**
 * What the two sides of a connection share: the streams, from their begin to their end, the windows, and the ways out.
 *
 * Every stream that begins ends once, and whoever listens hears of both.
 */
export class H2Session {
  readonly streams = new Map<number, H2Stream>();
  readonly clientSettings: Settings = new Map(POD_DEFAULTS);
  lastStreamId = 0;
  maxStreams = HELD_STREAMS;
  /** Beyond this stream the pod answers nothing. */
  podLastStreamId = Infinity;
  /** What our own header blocks begin with. */
  answerLead = '';
  readonly windows = new ConnectionWindows();
  readonly memory = new RequestMemory();
  readonly pings = new UnansweredPings();
  readonly podPings = new PodPings();
  readonly backlog: PodBacklog;
  readonly queue: PodQueue;

  constructor(
    readonly client: ClientOutlet,
    readonly guard: FloodGuard,
    private readonly listener: ExchangeListener,
    private readonly onStreamOver: (stream: H2Stream) => void,
  ) {
    this.backlog = new PodBacklog(this.windows, (stream) => this.forgetIfSeen(stream));
    this.queue = new PodQueue(this.streams, client, this.memory, this.windows, this.backlog);
  }

  /** The way to the pod, once there is one. */
  get pod(): Outlet | undefined {
    return this.queue.pod;
  }

  /** Whether anything waits that the pod may take later. */
  get hasUnsent(): boolean {
    return !this.backlog.isEmpty || this.queue.unsent.length > 0;
  }

  /** Takes a stream, which goes to the pod as soon as there is one that takes more. */
  begin(stream: H2Stream): void {
    this.streams.set(stream.id, stream);
    this.memory.holdHead(stream);
    this.listener.began(stream.target);
    this.queue.add(stream);
  }

  /** Whether one more head of this size may wait, if it has to; trailers count as heads. */
  hasRoomFor(headBytes: number): boolean {
    const heldBytes = this.memory.heldHeadBytes + headBytes;
    if (this.pod === undefined) return heldBytes <= HELD_HEADS_BYTES;
    return this.queue.unsent.length === 0 || heldBytes <= WAITING_HEADS_BYTES;
  }

  end(stream: H2Stream): void {
    if (!this.streams.delete(stream.id)) return;
    if (!stream.clientOver) this.windows.expectLate(Math.max(stream.podTakes, this.queue.widestWindow));
    if (!stream.isSent) this.credit(stream.heldData?.length ?? 0);
    else if (stream.backlog) this.credit(this.backlog.drop(stream));
    this.memory.forget(stream);
    this.queue.remove(stream);
    this.listener.ended(stream.target, stream.status, stream.beganAtMs);
    if (this.queue.unsent.length > 0) this.queue.sendWaiting();
    this.onStreamOver(stream);
  }

  endAll(): void {
    for (const stream of [...this.streams.values()]) this.end(stream);
  }

  clientOver(stream: H2Stream): void {
    stream.clientOver = true;
    this.forgetIfSeen(stream);
    this.endIfOver(stream);
  }

  podOver(stream: H2Stream): void {
    stream.podOver = true;
    this.endIfOver(stream);
  }

  /** The pod's windows have become wider. False when nothing has waited for that. */
  sendMore(): boolean {
    const { pod } = this;
    if (pod === undefined) return false;
    const moved = this.backlog.sendTo(pod);
    if (this.queue.unsent.length > 0) this.queue.sendWaiting();
    return moved;
  }

  /** An answer of our own; a stream that is open ends with it. */
  answer(to: Answered, answer: OwnAnswer): void {
    const streamWindow = this.clientSettings.get(SETTING.initialWindowSize) ?? FIRST_WINDOW;
    const { frames, dataBytes } = writeOwnAnswer(to, answer, Math.min(this.windows.clientTakes, streamWindow), this.answerLead);
    this.windows.spend(dataBytes);
    this.client.tell(frames);
    if (to instanceof H2Stream) {
      to.status = answer.status;
      this.end(to);
    } else if (!to.clientOver) {
      this.windows.expectLate(this.queue.widestWindow);
    }
  }

  /**
   * Ends an answer that has begun and will not be whole. A reset means INTERNAL to gRPC clients, who would not try again, so they get a
   * status; one of whose answer only interim heads have come cannot have trailers yet.
   */
  cutOff(stream: H2Stream, reason: string): void {
    if (stream.podOver) this.client.tell(writeStop(stream));
    else if (stream.isGrpc && stream.status !== undefined) this.client.tell(writeGrpcCut(stream, reason, this.answerLead));
    else this.client.tell(writeRstStream(stream.id, H2_ERROR.internal));
    this.end(stream);
  }

  /** Ends what has no end of its own: the client hears a proper end where there is one, and the pod may stop. */
  finish(stream: H2Stream, reason: string): void {
    this.pod?.put(writeRstStream(stream.id, H2_ERROR.cancel));
    if (!stream.answerBegun) {
      this.answer(stream, { status: 503, text: reason });
      return;
    }
    if (stream.isGrpc || stream.podOver) {
      this.cutOff(stream, reason);
      return;
    }
    this.client.tell(frameHead(0, FRAME.data, FLAG.endStream, stream.id) + writeStop(stream));
    this.end(stream);
  }

  /** The pod that had a part of this body is gone, and more has come than is kept for the next. */
  giveUp(stream: H2Stream): void {
    const text = `${nameOf(stream.target)}: its pod is gone, and more of the body came than is kept for another`;
    this.listener.lost?.(stream.target);
    this.answer(stream, { status: 502, text });
  }

  /** The stream is ended on both sides for a fault of the client. */
  reset(stream: H2Stream, code: H2ErrorCode): void {
    this.client.tell(writeRstStream(stream.id, code));
    if (stream.isSent) this.pod?.put(writeRstStream(stream.id, code));
    this.end(stream);
  }

  /** Gives back to the client what it sent for nobody. */
  credit(bytes: number): void {
    if (bytes === 0) return;
    this.windows.allow(bytes);
    this.client.tell(writeWindowUpdate(0, bytes));
  }

  /** From here on the request must not be repeated. */
  answerBegan(stream: H2Stream): void {
    if (stream.answerBegun) return;
    stream.answerBegun = true;
    this.memory.forget(stream);
  }

  /** More of the connection's window from the client. False when it is more than there can be. */
  widen(increment: number): boolean {
    const rest = this.windows.widen(increment);
    if (rest > 0) this.pod?.put(writeWindowUpdate(0, rest));
    return !this.windows.isTooWide;
  }

  /** The pod is lost: what it has not answered to pings is for us to say, and what it asked is of no use to the next. */
  losePings(): void {
    this.podPings.losePod();
    const answers = this.pings.answerAll();
    if (answers !== '') this.client.tell(answers);
  }

  /** A pod is there, and what was held goes to it. */
  join(pod: Outlet, passage: Passage): void {
    const { tellPod, tellClient } = this.windows.meetPod(this.memory.heldDataBytes);
    if (tellPod > 0) pod.put(writeWindowUpdate(0, tellPod));
    this.credit(tellClient);
    this.queue.join(pod, passage);
  }

  /** The end of a request, to the pod or behind what is held. False when it is too much to hold. */
  sendTrailers(stream: H2Stream, trailers: Trailers): boolean {
    if (stream.isSent) {
      if (stream.backlog) stream.backlog.trailerBlock = trailers.block;
      else this.pod?.put(writeHeaderBlock(stream.id, trailers.block, 'ends stream'));
      this.memory.keepTrailers(stream, trailers);
    } else {
      if (!this.hasRoomFor(trailers.size)) return false;
      this.memory.holdTrailers(stream, trailers);
    }
    this.clientOver(stream);
    return true;
  }

  private forgetIfSeen(stream: H2Stream): void {
    if (stream.isSent && stream.request !== undefined && stream.isSeen) this.memory.forget(stream);
  }

  /** A pod that has answered without the rest of the body may never take it, and the stream would be open for ever. */
  private endIfOver(stream: H2Stream): void {
    if (!stream.clientOver || !stream.podOver) return;
    if (stream.backlog) this.pod?.put(writeRstStream(stream.id, H2_ERROR.none));
    this.end(stream);
  }
}
