import type { ExchangeListener, OwnAnswer } from '../exchange';
import type { Passage } from '../http1';
import type { FloodGuard } from './flood-guard';
import { FIRST_WINDOW, LARGEST_WINDOW, writeHeaderBlock, writeRstStream, writeWindowUpdate } from './frame';
import type { H2ErrorCode } from './frame';
import { H2Stream } from './h2-stream';
import { HeldData } from './held-data';
import { HELD_BEHIND_OTHERS_BYTES, HELD_HEADS_BYTES, HELD_STREAMS, UNFLUSHED_BYTES, WAITING_HEADS_BYTES } from './limits';
import type { Outlet } from './outlet';
import type { Answered } from './own-answer';
import { writeOwnAnswer } from './own-answer';
import { POD_DEFAULTS, SETTING } from './settings-frame';
import type { Settings } from './settings-frame';

/** Tells the pod that we keep nothing in its table: said once, it is true whatever size the pod allows. */
const NO_TABLE = '\x20';

/**
 * What the two sides of a connection share: the streams, the windows, and the ways out.
 *
 * The connection's window towards the client is the pod's, but for what our own answers took of it; that debt is paid from the next
 * increments, so the two views of the window come together again.
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
  /** What the pod may believe to have of the client's window, and has not. */
  windowDebt = 0;
  clientWindow = FIRST_WINDOW;
  /** How many streams the pod takes at a time. */
  podStreams = Infinity;
  /** Streams that were not sent yet, in order. */
  private readonly waiting: H2Stream[] = [];
  private atPod = 0;
  private passage: Passage | undefined;
  private heldHeadBytes = 0;
  private heldDataBytes = 0;
  private heldWindow = 0;
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
    this.heldHeadBytes += stream.request?.size ?? 0;
    this.listener.began(stream.target);
    this.sendWaiting();
  }

  /** Whether one more head of this size may wait, if it has to. */
  hasRoomFor(headBytes: number): boolean {
    if (this.pod === undefined) return this.heldHeadBytes + headBytes <= HELD_HEADS_BYTES;
    return this.waiting.length === 0 || this.heldHeadBytes + headBytes <= WAITING_HEADS_BYTES;
  }

  end(stream: H2Stream): void {
    if (!this.streams.delete(stream.id)) return;
    if (stream.isSent) this.atPod--;
    else this.dropHeld(stream);
    this.listener.ended(stream.target, stream.status, stream.beganAtMs);
    if (this.waiting.length > 0) this.sendWaiting();
    this.onStreamOver(stream);
  }

  clientOver(stream: H2Stream): void {
    stream.clientOver = true;
    if (stream.podOver) this.end(stream);
  }

  podOver(stream: H2Stream): void {
    stream.podOver = true;
    if (stream.clientOver) this.end(stream);
  }

  /** An answer of our own; a stream that is open ends with it. */
  answer(to: Answered, answer: OwnAnswer): void {
    const streamWindow = this.clientSettings.get(SETTING.initialWindowSize) ?? FIRST_WINDOW;
    const { frames, dataBytes } = writeOwnAnswer(to, answer, Math.min(this.clientWindow, streamWindow));
    this.clientWindow -= dataBytes;
    this.windowDebt += dataBytes;
    this.tell(frames);
    if (!(to instanceof H2Stream)) return;
    to.status = answer.status;
    this.end(to);
  }

  /** The stream is ended on both sides for a fault of the client. */
  reset(stream: H2Stream, code: H2ErrorCode): void {
    this.tell(writeRstStream(stream.id, code));
    if (stream.isSent) this.pod?.put(writeRstStream(stream.id, code));
    this.end(stream);
  }

  /** Gives back to the client what it sent for nobody. */
  credit(bytes: number): void {
    if (bytes > 0) this.tell(writeWindowUpdate(0, bytes));
  }

  /** Keeps a piece of a body for the pod. False when the client sends more than it may. */
  hold(stream: H2Stream, bytes: Buffer, start: number, end: number): boolean {
    if (start === end) return true;
    this.heldDataBytes += end - start;
    stream.heldData ??= new HeldData();
    stream.heldData.add(bytes, start, end);
    return this.heldDataBytes <= (this.pod ? HELD_BEHIND_OTHERS_BYTES : FIRST_WINDOW);
  }

  /** More of the connection's window from the client. False when it is more than there can be. */
  widen(increment: number): boolean {
    this.clientWindow += increment;
    const paid = Math.min(increment, this.windowDebt);
    this.windowDebt -= paid;
    const rest = increment - paid;
    if (this.pod === undefined) this.heldWindow += rest;
    else if (rest > 0) this.pod.put(writeWindowUpdate(0, rest));
    return this.clientWindow <= LARGEST_WINDOW;
  }

  /** A pod is there: what was held goes to it, as far as it takes more streams. */
  join(pod: Outlet, passage: Passage): void {
    this.pod = pod;
    this.passage = passage;
    if (this.heldWindow > 0) pod.put(writeWindowUpdate(0, this.heldWindow));
    this.heldWindow = 0;
    this.sendWaiting();
  }

  /** The pod is lost; what was not sent is not sent any more. */
  losePod(): void {
    this.pod = undefined;
  }

  /** The end of a request, to the pod or behind what is held. */
  sendTrailers(stream: H2Stream, block: string): void {
    if (stream.isSent) this.pod?.put(writeHeaderBlock(stream.id, block, 'ends stream'));
    else stream.heldTrailers = block;
    this.clientOver(stream);
  }

  /**
   * In the order they came, because the numbers of streams must rise. A head is written for the pod only when the pod takes what it gets:
   * a few bytes of the client's can become many.
   */
  sendWaiting(): void {
    const { pod, passage } = this;
    while (pod && passage && this.atPod < this.podStreams && !pod.isCongested) {
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
    if (heldTrailers !== undefined) pod.put(writeHeaderBlock(stream.id, heldTrailers, 'ends stream'));
    this.atPod++;
    this.letGo(stream);
  }

  private lead(): string {
    const { blockLead } = this;
    this.blockLead = '';
    return blockLead;
  }

  private dropHeld(stream: H2Stream): void {
    this.credit(stream.heldData?.length ?? 0);
    this.waiting.splice(this.waiting.indexOf(stream), 1);
    this.letGo(stream);
  }

  /** What was held of it is no longer kept. */
  private letGo(stream: H2Stream): void {
    this.heldDataBytes -= stream.heldData?.length ?? 0;
    this.heldHeadBytes -= stream.request?.size ?? 0;
    stream.request = undefined;
    stream.heldData = undefined;
    stream.heldTrailers = undefined;
  }
}
