import { FLAG, FRAME, FRAME_HEAD_BYTES, frameHead, H2_ERROR, LARGEST_PAYLOAD_BYTES, writeWindowUpdate } from './frame';
import type { FrameSink } from './frame-reader';
import type { H2Session } from './h2-session';
import type { H2Stream } from './h2-stream';
import { writeLiteral } from './header-field';
import { readSettings } from './settings-frame';
import type { Settings } from './settings-frame';
import { announcesEvents } from './content-type-peek';
import { statusOf } from './status-peek';

/** Who hears what a pod says about the connection. */
export interface PodEvents {
  onPodSettings(settings: Settings): void;
  onPodSettingsAck(): void;
  /** How long a stream was held, as its answer is to say. */
  timingOf(stream: H2Stream): string;
  /** The pod takes no more streams, and does nothing for those above this one. */
  onPodFarewell(lastStreamId: number): void;
  /** The pod takes more than before, on one stream or on all. */
  onPodWidened(): void;
  /** The client has heard that the pod does nothing for this stream. */
  onPodDropped(stream: H2Stream): void;
  /** The pod has done nothing for this stream and will not. */
  onPodRefused(stream: H2Stream): void;
  /** What the pod says is no HTTP/2. */
  onPodFault(): void;
}

/**
 * Reads a pod's frames and passes them on as they are.
 *
 * Header blocks always reach the client, also those of streams that it has cancelled: its table of header fields must follow the pod's.
 * Where our own answers have used up the client's window, frames wait until there is room again.
 */
export class PodFrames implements FrameSink {
  private greeted = false;
  private blockId = 0;
  private waiting: Buffer[] = [];

  constructor(
    private readonly session: H2Session,
    private readonly events: PodEvents,
  ) {}

  /** Whether frames wait for the client's window; no more should be read then. */
  get isBlocked(): boolean {
    return this.waiting.length > 0;
  }

  /** The client's window may have become wider. */
  unblock(): void {
    const frames = this.waiting;
    this.waiting = [];
    for (const frame of frames) if (!this.onFrame(frame, 0, frame.length)) return;
  }

  onFrame(bytes: Buffer, start: number, end: number): boolean {
    if (this.isBlocked || this.mustWait(bytes, start, end)) {
      this.waiting.push(Buffer.from(bytes.subarray(start, end)));
      return true;
    }
    const type = bytes[start + 3] ?? 0;
    const flags = bytes[start + 4] ?? 0;
    const id = bytes.readUInt32BE(start + 5) & 0x7fffffff;
    if (this.isOutOfTurn(type, flags, id) || !this.take(type, flags, id, bytes, start, end)) {
      this.events.onPodFault();
      return false;
    }
    return true;
  }

  private mustWait(bytes: Buffer, start: number, end: number): boolean {
    const { debt, clientTakes } = this.session.windows;
    return debt > 0 && bytes[start + 3] === FRAME.data && end - start - FRAME_HEAD_BYTES > clientTakes;
  }

  private isOutOfTurn(type: number, flags: number, id: number): boolean {
    if (!this.greeted) {
      this.greeted = true;
      return type !== FRAME.settings || (flags & FLAG.ack) !== 0;
    }
    return this.blockId === 0 ? type === FRAME.continuation : type !== FRAME.continuation || id !== this.blockId;
  }

  /** False when it is against the rules in a way that leaves the connection without a meaning. */
  private take(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    switch (type) {
      case FRAME.data:
        return this.data(id, flags, bytes, start, end);
      case FRAME.headers:
        return this.headers(id, flags, bytes, start, end);
      case FRAME.continuation:
        this.passBlock(id, flags, bytes, start, end);
        return true;
      case FRAME.windowUpdate:
        return this.windowUpdate(id, bytes, start, end);
      case FRAME.rstStream:
        return this.rstStream(id, bytes, start, end);
      case FRAME.settings:
        return this.settings(flags, bytes, start + FRAME_HEAD_BYTES, end);
      case FRAME.ping:
        this.ping(flags, bytes, start, end);
        return true;
      case FRAME.goaway:
        return this.goaway(bytes, start, end);
      case FRAME.pushPromise:
        return false;
      default:
        return true;
    }
  }

  private data(id: number, flags: number, bytes: Buffer, start: number, end: number): boolean {
    const { session } = this;
    const flowBytes = end - start - FRAME_HEAD_BYTES;
    const stream = session.streams.get(id);
    if (stream === undefined || stream.podOver) {
      // The client has cancelled it; what it took of the window is given back.
      if (flowBytes > 0) session.pod?.put(writeWindowUpdate(0, flowBytes));
      return id <= session.lastStreamId;
    }
    if (!stream.isSent) return false;
    session.windows.clientTakes -= flowBytes;
    session.guard.earn();
    session.client.pass(bytes, start, end);
    if ((flags & FLAG.endStream) !== 0) session.podOver(stream);
    return true;
  }

  private headers(id: number, flags: number, bytes: Buffer, start: number, end: number): boolean {
    const { session } = this;
    if (id === 0 || id > session.lastStreamId) return false;
    const stream = session.streams.get(id);
    if (stream && !stream.isSent) return false;
    const status = stream?.status === undefined ? statusOf(flags, bytes, start, end) : undefined;
    if (stream?.asksTiming && status !== undefined) this.passWithTiming(stream, flags, bytes, start, end);
    else this.passBlock(id, flags, bytes, start, end);
    if (stream === undefined) return true;
    session.answerBegan(stream);
    stream.status ??= status;
    if (stream.acceptsEvents && status !== undefined) stream.answersEvents = announcesEvents(flags, bytes, start, end);
    session.guard.earn();
    if ((flags & FLAG.endStream) !== 0) session.podOver(stream);
    return true;
  }

  /** One more field at the end of the block, where it fits. */
  private passWithTiming(stream: H2Stream, flags: number, bytes: Buffer, start: number, end: number): void {
    const field = writeLiteral('server-timing', this.events.timingOf(stream));
    const length = end - start - FRAME_HEAD_BYTES + field.length;
    if ((flags & FLAG.endHeaders) === 0 || (flags & FLAG.padded) !== 0 || length > LARGEST_PAYLOAD_BYTES) {
      this.passBlock(stream.id, flags, bytes, start, end);
      return;
    }
    const { client } = this.session;
    client.put(frameHead(length, FRAME.headers, flags, stream.id));
    client.pass(bytes, start + FRAME_HEAD_BYTES, end);
    client.put(field);
  }

  private passBlock(id: number, flags: number, bytes: Buffer, start: number, end: number): void {
    const ends = (flags & FLAG.endHeaders) !== 0;
    this.blockId = ends ? 0 : id;
    this.session.client.pass(bytes, start, end);
    this.session.client.blockState = ends ? 'none' : 'open';
  }

  private windowUpdate(id: number, bytes: Buffer, start: number, end: number): boolean {
    const { session } = this;
    if (end - start !== FRAME_HEAD_BYTES + 4) return false;
    const increment = bytes.readUInt32BE(start + FRAME_HEAD_BYTES) & 0x7fffffff;
    if (id !== 0) {
      const stream = session.streams.get(id);
      if (!stream?.isSent) return true;
      stream.isWidened = true;
      stream.podTakes += increment;
      session.client.pass(bytes, start, end);
      if (stream.backlog) this.events.onPodWidened();
      return true;
    }
    const rest = session.windows.widenForClient(increment);
    if (rest === increment) session.client.pass(bytes, start, end);
    else if (rest > 0) session.client.put(writeWindowUpdate(0, rest));
    if (session.hasUnsent) this.events.onPodWidened();
    return true;
  }

  private rstStream(id: number, bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== FRAME_HEAD_BYTES + 4) return false;
    const stream = this.session.streams.get(id);
    if (!stream?.isSent) return true;
    if (bytes.readUInt32BE(start + FRAME_HEAD_BYTES) === H2_ERROR.refusedStream && !stream.answerBegun) {
      this.events.onPodRefused(stream);
      return true;
    }
    this.session.client.pass(bytes, start, end);
    this.session.end(stream);
    return true;
  }

  private settings(flags: number, bytes: Buffer, start: number, end: number): boolean {
    if ((flags & FLAG.ack) !== 0) {
      this.events.onPodSettingsAck();
      return true;
    }
    const settings = readSettings(bytes, start, end);
    if (typeof settings === 'number') return false;
    this.events.onPodSettings(settings);
    return true;
  }

  private ping(flags: number, bytes: Buffer, start: number, end: number): void {
    const { session } = this;
    if ((flags & FLAG.ack) !== 0) session.pings.hear(bytes.toString('latin1', start + FRAME_HEAD_BYTES, end));
    else session.podPings.ask();
    session.client.pass(bytes, start, end);
  }

  private goaway(bytes: Buffer, start: number, end: number): boolean {
    if (end - start < FRAME_HEAD_BYTES + 8) return false;
    const lastStreamId = bytes.readUInt32BE(start + FRAME_HEAD_BYTES) & 0x7fffffff;
    const code = bytes.readUInt32BE(start + FRAME_HEAD_BYTES + 4);
    if (code === H2_ERROR.none || code === H2_ERROR.internal) this.events.onPodFarewell(lastStreamId);
    else this.passReproach(lastStreamId, bytes, start, end);
    return true;
  }

  /** The pod finds fault with the client, who must hear it, and by that also what it may send again elsewhere. */
  private passReproach(lastStreamId: number, bytes: Buffer, start: number, end: number): void {
    const { session } = this;
    session.podLastStreamId = Math.min(session.podLastStreamId, lastStreamId);
    session.client.pass(bytes, start, end);
    for (const stream of [...session.streams.values()]) if (stream.id > session.podLastStreamId) this.events.onPodDropped(stream);
  }
}
