import type { ExchangeListener, OwnAnswer } from '../exchange';
import type { Passage } from '../http1';
import { ConnectionWindows } from './connection-windows';
import type { FloodGuard } from './flood-guard';
import { FIRST_WINDOW, FLAG, FRAME, frameHead, H2_ERROR, writeHeaderBlock, writeRstStream, writeWindowUpdate } from './frame';
import type { H2ErrorCode } from './frame';
import type { Trailers } from './h2-request';
import { H2Stream } from './h2-stream';
import { HeldData } from './held-data';
import {
  HELD_BODIES_BYTES,
  HELD_HEADS_BYTES,
  HELD_STREAMS,
  KEPT_BODY_BYTES,
  KEPT_BYTES,
  UNFLUSHED_BYTES,
  WAITING_HEADS_BYTES,
} from './limits';
import type { Outlet } from './outlet';
import type { Answered } from './own-answer';
import { writeGrpcCut, writeOwnAnswer, writeStop } from './own-answer';
import { POD_DEFAULTS, SETTING } from './settings-frame';
import type { Settings } from './settings-frame';

/** Tells a reader that we keep nothing in its table: said once, it is true whatever size it allows. */
export const NO_TABLE = '\x20';

/** A request that three pods in a row dropped is likelier the cause than the victim. */
const SENDS_LIMIT = 3;

/**
 * What the two sides of a connection share: the streams, the windows, and the ways out.
 *
 * A request that can be repeated is kept until its answer begins, as far as there is room, and goes to the next pod if its own is lost;
 * one that must not be repeated is kept until it was sent in full.
 */
export class H2Session {
  readonly streams = new Map<number, H2Stream>();
  readonly clientSettings: Settings = new Map(POD_DEFAULTS);
  lastStreamId = 0;
  maxStreams = HELD_STREAMS;
  /** Beyond this stream the pod answers nothing. */
  podLastStreamId = Infinity;
  /** The way to the pod, once there is one. */
  pod: Outlet | undefined;
  /** Own frames written since the client last took everything. */
  untakenBytes = 0;
  /** What our own header blocks begin with. */
  answerLead = '';
  readonly windows = new ConnectionWindows();
  /** How much more of a stream's window the pod gives than the client was told; it is told when its stream is sent. */
  streamTopUp = 0;
  /** How many streams the pod takes at a time. */
  podStreams = Infinity;
  /** Streams that were not sent yet, in order. */
  private readonly waiting: H2Stream[] = [];
  private atPod = 0;
  /** The pod takes no more streams. */
  private podLeaves = false;
  private passage: Passage | undefined;
  private heldHeadBytes = 0;
  private heldDataBytes = 0;
  private keptBytes = 0;
  private podBlock: 'none' | 'open' = 'none';
  private deferred = '';
  private blockLead = NO_TABLE;

  constructor(
    readonly client: Outlet,
    readonly guard: FloodGuard,
    private readonly listener: ExchangeListener,
    private readonly onStreamOver: (stream: H2Stream) => void,
  ) {}

  /** Frames of our own for the client; never between two parts of a header block. */
  tell(frames: string): void {
    this.untakenBytes += frames.length;
    if (this.podBlock === 'open') this.deferred += frames;
    else this.client.put(frames);
  }

  /** The client has taken everything that was written; what waits for the end of a header block was not. */
  onTaken(): void {
    if (this.deferred === '') this.untakenBytes = 0;
  }

  get isInsidePodBlock(): boolean {
    return this.podBlock === 'open';
  }

  /** The pod's header block goes on in the next frame, or does no longer. */
  set podBlockState(state: 'none' | 'open') {
    this.podBlock = state;
    if (state === 'open' || this.deferred === '') return;
    this.client.put(this.deferred);
    this.deferred = '';
  }

  /** Takes a stream, which goes to the pod as soon as there is one that takes more. */
  begin(stream: H2Stream): void {
    this.streams.set(stream.id, stream);
    this.waiting.push(stream);
    this.heldHeadBytes += stream.headBytes;
    this.listener.began(stream.target);
    this.sendWaiting();
  }

  /** Whether one more head of this size may wait, if it has to; trailers count as heads. */
  hasRoomFor(headBytes: number): boolean {
    if (this.pod === undefined) return this.heldHeadBytes + headBytes <= HELD_HEADS_BYTES;
    return this.waiting.length === 0 || this.heldHeadBytes + headBytes <= WAITING_HEADS_BYTES;
  }

  end(stream: H2Stream): void {
    if (!this.streams.delete(stream.id)) return;
    if (stream.isSent) {
      this.atPod--;
      this.forget(stream);
    } else {
      this.dropHeld(stream);
    }
    this.listener.ended(stream.target, stream.status, stream.beganAtMs);
    if (this.waiting.length > 0) this.sendWaiting();
    this.onStreamOver(stream);
  }

  clientOver(stream: H2Stream): void {
    stream.clientOver = true;
    if (stream.isSent && stream.request !== undefined && stream.isSeen) this.forget(stream);
    if (stream.podOver) this.end(stream);
  }

  podOver(stream: H2Stream): void {
    stream.podOver = true;
    if (stream.clientOver) this.end(stream);
  }

  /** An answer of our own; a stream that is open ends with it. */
  answer(to: Answered, answer: OwnAnswer): void {
    const streamWindow = this.clientSettings.get(SETTING.initialWindowSize) ?? FIRST_WINDOW;
    const { frames, dataBytes } = writeOwnAnswer(to, answer, Math.min(this.windows.clientTakes, streamWindow), this.answerLead);
    this.windows.spend(dataBytes);
    this.tell(frames);
    if (!(to instanceof H2Stream)) return;
    to.status = answer.status;
    this.end(to);
  }

  /**
   * Ends an answer that has begun and will not be whole. A reset means INTERNAL to gRPC clients, who would not try again, so they get a
   * status; one of whose answer only interim heads have come cannot have trailers yet.
   */
  cutOff(stream: H2Stream, reason: string): void {
    if (stream.podOver) this.tell(writeStop(stream));
    else if (stream.isGrpc && stream.status !== undefined) this.tell(writeGrpcCut(stream, reason, this.answerLead));
    else this.tell(writeRstStream(stream.id, H2_ERROR.internal));
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
    this.tell(frameHead(0, FRAME.data, FLAG.endStream, stream.id) + writeStop(stream));
    this.end(stream);
  }

  /** The stream is ended on both sides for a fault of the client. */
  reset(stream: H2Stream, code: H2ErrorCode): void {
    this.tell(writeRstStream(stream.id, code));
    if (stream.isSent) this.pod?.put(writeRstStream(stream.id, code));
    this.end(stream);
  }

  /** Gives back to the client what it sent for nobody. */
  credit(bytes: number): void {
    if (bytes === 0) return;
    this.windows.allow(bytes);
    this.tell(writeWindowUpdate(0, bytes));
  }

  /** Keeps a piece of a body for the pod. False when it is too much. */
  hold(stream: H2Stream, bytes: Buffer, start: number, end: number): boolean {
    if (start === end) return true;
    this.heldDataBytes += end - start;
    stream.heldData ??= new HeldData();
    stream.heldData.add(bytes, start, end);
    return this.heldDataBytes <= HELD_BODIES_BYTES;
  }

  /** Remembers a piece of a body that was sent, as long as the request may have to be repeated. */
  keep(stream: H2Stream, bytes: Buffer, start: number, end: number): void {
    if (stream.request === undefined) return;
    stream.heldData ??= new HeldData();
    if (stream.heldData.length + end - start > KEPT_BODY_BYTES || this.keptBytes + end - start > KEPT_BYTES) {
      this.forget(stream);
      return;
    }
    this.keptBytes += end - start;
    stream.heldData.add(bytes, start, end);
  }

  /** From here on the request must not be repeated. */
  answerBegan(stream: H2Stream): void {
    if (stream.answerBegun) return;
    stream.answerBegun = true;
    this.forget(stream);
  }

  /** More of the connection's window from the client. False when it is more than there can be. */
  widen(increment: number): boolean {
    const rest = this.windows.widen(increment);
    if (rest > 0) this.pod?.put(writeWindowUpdate(0, rest));
    return !this.windows.isTooWide;
  }

  /** A pod is there: what was held goes to it, as far as it takes more streams. */
  join(pod: Outlet, passage: Passage): void {
    this.pod = pod;
    this.passage = passage;
    this.blockLead = NO_TABLE;
    const { tellPod, tellClient } = this.windows.meetPod(this.heldDataBytes);
    if (tellPod > 0) pod.put(writeWindowUpdate(0, tellPod));
    this.credit(tellClient);
    this.sendWaiting();
  }

  /** The pod is lost. What it was not sent, or can be sent again, waits for the next; gives the rest. */
  losePod(): H2Stream[] {
    this.pod = undefined;
    this.podStreams = Infinity;
    this.podLeaves = false;
    return this.takeBackFrom([...this.streams.values()].filter(({ isSent }) => isSent));
  }

  /**
   * The pod takes no more, and did nothing for streams above this one: what can be sent again waits for the next; gives the rest. It is
   * done when it has answered the others.
   */
  partFromPod(lastStreamId: number): H2Stream[] {
    this.podLeaves = true;
    return this.takeBackFrom(
      [...this.streams.values()].filter(({ isSent, answerBegun, id }) => isSent && !answerBegun && id > lastStreamId),
    );
  }

  /**
   * The pod did nothing for this stream, which waits for the next if there is nothing else that this one answers: on the same connection
   * no number can be used again. False when it cannot.
   */
  retract(stream: H2Stream): boolean {
    if (this.atPod > 1 || !stream.canBeRepeated) return false;
    this.podLeaves = true;
    this.takeBackFrom([stream]);
    return true;
  }

  /** The pod takes no more streams, has none left, and has said all. */
  get isPodDone(): boolean {
    return this.podLeaves && this.atPod === 0 && this.podBlock === 'none';
  }

  /** Streams that wait to be sent. */
  get unsent(): readonly H2Stream[] {
    return this.waiting;
  }

  /** The end of a request, to the pod or behind what is held. False when it is too much to hold. */
  sendTrailers(stream: H2Stream, trailers: Trailers): boolean {
    if (stream.isSent) {
      this.pod?.put(writeHeaderBlock(stream.id, trailers.block, 'ends stream'));
      this.keepTrailers(stream, trailers);
    } else {
      if (!this.hasRoomFor(trailers.size)) return false;
      this.heldHeadBytes += trailers.size;
      stream.heldTrailers = trailers;
    }
    this.clientOver(stream);
    return true;
  }

  /**
   * In the order they came, because the numbers of streams must rise. A head is written for the pod only when the pod takes what it gets:
   * a few bytes of the client's can become many.
   */
  sendWaiting(): void {
    const { pod, passage } = this;
    while (pod && passage && this.atPod < this.podStreams && !pod.isCongested && !this.podLeaves) {
      if (pod.unflushedBytes > UNFLUSHED_BYTES) {
        pod.flush();
        continue;
      }
      const stream = this.waiting.shift();
      if (stream?.request === undefined) return;
      this.send(pod, stream, this.lead() + stream.request.blockFor(passage));
    }
  }

  private send(pod: Outlet, stream: H2Stream, block: string): void {
    const { heldData, heldTrailers } = stream;
    const dataIsAll = stream.clientOver && heldTrailers === undefined;
    const headIsAll = dataIsAll && heldData === undefined;
    pod.put(writeHeaderBlock(stream.id, block, headIsAll ? 'ends stream' : 'goes on'));
    if (stream.heldWindow > 0) pod.put(writeWindowUpdate(stream.id, stream.heldWindow));
    heldData?.sendTo(pod, stream.id, dataIsAll ? 'ends stream' : 'goes on');
    if (heldTrailers !== undefined) pod.put(writeHeaderBlock(stream.id, heldTrailers.block, 'ends stream'));
    if (this.streamTopUp > 0 && !stream.clientOver) {
      stream.isWidened = true;
      this.tell(writeWindowUpdate(stream.id, this.streamTopUp));
    }
    this.atPod++;
    this.uncountHeld(stream);
    stream.isSent = true;
    stream.sends++;
    if (stream.sends >= SENDS_LIMIT || stream.isSeen || this.keptBytes + stream.keptBytes > KEPT_BYTES) stream.forgetRequest();
    this.keptBytes += stream.keptBytes;
  }

  private takeBackFrom(streams: readonly H2Stream[]): H2Stream[] {
    const left: H2Stream[] = [];
    for (const stream of streams) {
      if (stream.canBeRepeated) this.takeBack(stream);
      else left.push(stream);
    }
    this.waiting.sort((a, b) => a.id - b.id);
    return left;
  }

  private takeBack(stream: H2Stream): void {
    this.atPod--;
    this.keptBytes -= stream.keptBytes;
    this.heldHeadBytes += stream.headBytes;
    this.heldDataBytes += stream.heldData?.length ?? 0;
    stream.isSent = false;
    this.waiting.push(stream);
  }

  private keepTrailers(stream: H2Stream, trailers: Trailers): void {
    if (stream.request === undefined) return;
    if (this.keptBytes + trailers.size > KEPT_BYTES) {
      this.forget(stream);
      return;
    }
    this.keptBytes += trailers.size;
    stream.heldTrailers = trailers;
  }

  private forget(stream: H2Stream): void {
    this.keptBytes -= stream.keptBytes;
    stream.forgetRequest();
  }

  private lead(): string {
    const { blockLead } = this;
    this.blockLead = '';
    return blockLead;
  }

  private dropHeld(stream: H2Stream): void {
    this.credit(stream.heldData?.length ?? 0);
    this.waiting.splice(this.waiting.indexOf(stream), 1);
    this.uncountHeld(stream);
    stream.forgetRequest();
  }

  private uncountHeld(stream: H2Stream): void {
    this.heldDataBytes -= stream.heldData?.length ?? 0;
    this.heldHeadBytes -= stream.headBytes;
  }
}
