import { FLAG, FRAME, FRAME_HEAD_BYTES, H2_ERROR, LARGEST_WINDOW, writePing, writeRstStream } from './frame';
import type { H2ErrorCode } from './frame';
import type { FrameSink } from './frame-reader';
import type { H2Request } from './h2-request';
import type { H2Session } from './h2-session';
import type { H2Stream } from './h2-stream';
import { HeaderBlock } from './header-block';
import { RequestBodies } from './request-bodies';
import { LargeHead, RequestReader } from './request-reader';
import type { SettingsExchange } from './settings-exchange';
import { readSettings } from './settings-frame';

/** Who hears what a client wants. */
export interface ClientEvents {
  onRequest(id: number, request: H2Request, part: 'ends stream' | 'goes on'): void;
  /** More is held of this stream than was known when it began to wait. */
  onHeldMore(stream: H2Stream, bytes: number): void;
  /** True when the answer was to a ping of our own. */
  isOwnPing(payload: string): boolean;
  onWindow(): void;
  /** A request that is not valid; the connection goes on. */
  onMalformed(): void;
  onFault(code: H2ErrorCode): void;
}

/**
 * Reads a client's frames, strictly, and passes on those that are for the pod.
 *
 * Whatever breaks the rules ends the stream or the connection here; the pod never sees it.
 */
export class ClientFrames implements FrameSink {
  private readonly requests = new RequestReader();
  private readonly bodies: RequestBodies;
  private block: HeaderBlock | undefined;
  private greeted = false;

  constructor(
    private readonly session: H2Session,
    private readonly exchange: SettingsExchange,
    private readonly events: ClientEvents,
  ) {
    this.bodies = new RequestBodies(session);
  }

  /** Whether a header block has begun that is not yet whole. */
  get isInsideBlock(): boolean {
    return this.block !== undefined;
  }

  onFrame(bytes: Buffer, start: number, end: number): boolean {
    const type = bytes[start + 3] ?? 0;
    const flags = bytes[start + 4] ?? 0;
    const id = bytes.readUInt32BE(start + 5) & 0x7fffffff;
    const fault = this.isOutOfTurn(type, flags, id) ? H2_ERROR.protocol : this.take(type, flags, id, bytes, start, end);
    if (fault === undefined) return true;
    this.events.onFault(fault);
    return false;
  }

  private isOutOfTurn(type: number, flags: number, id: number): boolean {
    if (!this.greeted) {
      this.greeted = true;
      return type !== FRAME.settings || (flags & FLAG.ack) !== 0;
    }
    return this.block === undefined ? type === FRAME.continuation : type !== FRAME.continuation || id !== this.block.id;
  }

  private take(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const payload = start + FRAME_HEAD_BYTES;
    switch (type) {
      case FRAME.data:
        return this.data(id, flags, bytes, start, end);
      case FRAME.headers:
        return this.headers(id, flags, bytes, payload, end);
      case FRAME.continuation:
        return this.continuation(flags, bytes, payload, end);
      case FRAME.windowUpdate:
        return this.windowUpdate(id, bytes, start, end);
      case FRAME.rstStream:
        return this.rstStream(id, bytes, start, end);
      case FRAME.settings:
        return this.settings(id, flags, bytes, payload, end);
      case FRAME.ping:
        return this.ping(id, flags, bytes, start, end);
      case FRAME.pushPromise:
        return H2_ERROR.protocol;
      default:
        // Priorities are gone from HTTP/2, a client's farewell changes nothing, and frames nobody knows must be ignored.
        return this.spend();
    }
  }

  private spend(): H2ErrorCode | undefined {
    return this.session.guard.spend() ? undefined : H2_ERROR.enhanceYourCalm;
  }

  private isIdle(id: number): boolean {
    return id > this.session.lastStreamId || id % 2 === 0;
  }

  private data(id: number, flags: number, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const { session } = this;
    const flowBytes = end - start - FRAME_HEAD_BYTES;
    const padding = (flags & FLAG.padded) === 0 ? 0 : 1 + (bytes[start + FRAME_HEAD_BYTES] ?? 0);
    if (this.isIdle(id) || padding > flowBytes) return H2_ERROR.protocol;
    if (!session.windows.receive(flowBytes)) return H2_ERROR.flowControl;
    const stream = session.streams.get(id);
    const ends = (flags & FLAG.endStream) !== 0;
    if (stream === undefined || stream.clientOver || !stream.countBody(flowBytes - padding, ends ? 'ends' : 'goes on')) {
      session.credit(flowBytes);
      if (stream) return this.resetFor(stream, stream.clientOver ? H2_ERROR.streamClosed : H2_ERROR.protocol);
      return session.windows.takeLate(flowBytes) ? undefined : this.spend();
    }
    if (!stream.isSent) {
      if (!this.bodies.hold(stream, bytes, start, end, padding)) return this.tooMuch(stream);
    } else {
      if (session.backlog.trySpend(stream, flowBytes)) {
        session.pod?.pass(bytes, start, end);
        stream.sentPadding += padding;
      } else {
        this.bodies.delay(stream, bytes, start, end, padding, ends);
      }
      if (stream.request !== undefined) this.bodies.keep(stream, bytes, start, end, padding, ends);
    }
    if (ends) session.clientOver(stream);
    else if (flowBytes === padding) return this.spend();
    return undefined;
  }

  /** One that no pod has seen may be sent again by its client. */
  private tooMuch(stream: H2Stream): H2ErrorCode | undefined {
    if (stream.sends === 0) return this.resetFor(stream, H2_ERROR.refusedStream);
    this.session.giveUp(stream);
    return undefined;
  }

  private headers(id: number, flags: number, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    if (id % 2 === 0) return H2_ERROR.protocol;
    let from = start;
    let to = end;
    if ((flags & FLAG.padded) !== 0) to -= bytes[from++] ?? 0;
    if ((flags & FLAG.priority) !== 0) from += 5;
    if (from > to || from > end) return H2_ERROR.protocol;
    const part = (flags & FLAG.endStream) === 0 ? 'goes on' : 'ends stream';
    if ((flags & FLAG.endHeaders) !== 0) return this.wholeBlock(id, part, bytes, from, to);
    this.block = new HeaderBlock(id, part, bytes.subarray(from, to));
    return undefined;
  }

  private continuation(flags: number, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const { block } = this;
    if (block === undefined) return H2_ERROR.protocol;
    if (!block.add(bytes.subarray(start, end))) return H2_ERROR.enhanceYourCalm;
    if ((flags & FLAG.endHeaders) === 0) return this.spend();
    this.block = undefined;
    const whole = block.whole();
    return this.wholeBlock(block.id, block.part, whole, 0, whole.length);
  }

  private wholeBlock(id: number, part: HeaderBlock['part'], bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const { session } = this;
    if (id <= session.lastStreamId) return this.trailers(id, part, bytes, start, end);
    session.lastStreamId = id;
    const request = this.requests.readRequest(bytes, start, end);
    if (request === 'not hpack') return H2_ERROR.compression;
    if (request === 'malformed' || isBodyMissing(request, part)) {
      this.events.onMalformed();
      return this.refuse(id, part, H2_ERROR.protocol);
    }
    if (request instanceof LargeHead) {
      const { isGrpc, method } = request;
      this.events.onMalformed();
      session.answer({ id, isGrpc, method, clientOver: part === 'ends stream' }, { status: 431, text: 'the request head is too large' });
      return this.spend();
    }
    const fits = session.pod === undefined || session.hasRoomFor(request.size);
    if (!fits || session.streams.size >= session.maxStreams || id > session.podLastStreamId)
      return this.refuse(id, part, H2_ERROR.refusedStream);
    this.events.onRequest(id, request, part);
    return undefined;
  }

  private refuse(id: number, part: HeaderBlock['part'], code: H2ErrorCode): H2ErrorCode | undefined {
    const { session } = this;
    session.client.tell(writeRstStream(id, code));
    if (part === 'goes on') session.windows.expectLate(session.queue.widestWindow);
    return this.spend();
  }

  /** Also for streams that are over: the table of header fields must follow. */
  private trailers(id: number, part: HeaderBlock['part'], bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const { session } = this;
    const trailers = this.requests.readTrailers(bytes, start, end);
    if (trailers === 'not hpack') return H2_ERROR.compression;
    const stream = session.streams.get(id);
    if (stream === undefined) return this.spend();
    if (stream.clientOver) return this.resetFor(stream, H2_ERROR.streamClosed);
    if (typeof trailers === 'string' || part === 'goes on' || !stream.countBody(0, 'ends')) return this.resetFor(stream, H2_ERROR.protocol);
    if (!session.sendTrailers(stream, trailers)) return this.resetFor(stream, H2_ERROR.refusedStream);
    if (!stream.isSent) this.events.onHeldMore(stream, trailers.size);
    return undefined;
  }

  private resetFor(stream: H2Stream, code: H2ErrorCode): H2ErrorCode | undefined {
    this.session.reset(stream, code);
    return this.spend();
  }

  private windowUpdate(id: number, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const { session } = this;
    if (end - start !== FRAME_HEAD_BYTES + 4) return H2_ERROR.frameSize;
    const increment = bytes.readUInt32BE(start + FRAME_HEAD_BYTES) & 0x7fffffff;
    if (id === 0) {
      if (increment === 0) return H2_ERROR.protocol;
      if (!session.widen(increment)) return H2_ERROR.flowControl;
      this.events.onWindow();
      return undefined;
    }
    if (this.isIdle(id)) return H2_ERROR.protocol;
    const stream = session.streams.get(id);
    if (stream === undefined) return undefined;
    if (increment === 0) return this.resetFor(stream, H2_ERROR.protocol);
    if (stream.isSent) session.pod?.pass(bytes, start, end);
    if (!stream.answerBegun) stream.heldWindow += increment;
    return !stream.isSent && stream.heldWindow > LARGEST_WINDOW ? this.resetFor(stream, H2_ERROR.flowControl) : undefined;
  }

  private rstStream(id: number, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const { session } = this;
    if (end - start !== FRAME_HEAD_BYTES + 4) return H2_ERROR.frameSize;
    if (this.isIdle(id)) return H2_ERROR.protocol;
    const stream = session.streams.get(id);
    if (stream) {
      if (stream.isSent) session.pod?.pass(bytes, start, end);
      stream.clientOver = true;
      session.end(stream);
    }
    return this.spend();
  }

  private settings(id: number, flags: number, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    if (id !== 0) return H2_ERROR.protocol;
    if ((flags & FLAG.ack) !== 0) {
      if (end !== start) return H2_ERROR.frameSize;
      return this.exchange.onClientAck() ? undefined : this.spend();
    }
    const settings = readSettings(bytes, start, end);
    if (typeof settings === 'number') return settings;
    this.exchange.onClientSettings(settings);
    return this.spend();
  }

  private ping(id: number, flags: number, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const { session } = this;
    if (id !== 0) return H2_ERROR.protocol;
    if (end - start !== FRAME_HEAD_BYTES + 8) return H2_ERROR.frameSize;
    const payload = bytes.toString('latin1', start + FRAME_HEAD_BYTES, end);
    if ((flags & FLAG.ack) !== 0) return this.pingAnswer(payload, bytes, start, end);
    if (session.pod) {
      session.pings.ask(payload);
      session.pod.pass(bytes, start, end);
    } else {
      session.client.tell(writePing(payload, 'answer'));
    }
    return this.spend();
  }

  /** Costs nothing when it was asked for: a pod that measures its way asks with each round trip, also while nothing is answered. */
  private pingAnswer(payload: string, bytes: Buffer, start: number, end: number): H2ErrorCode | undefined {
    const { session } = this;
    if (this.events.isOwnPing(payload)) return undefined;
    const asker = session.podPings.hear();
    if (asker === 'nobody') return this.spend();
    if (asker === 'the pod') session.pod?.pass(bytes, start, end);
    return undefined;
  }
}

function isBodyMissing(request: H2Request | LargeHead, part: HeaderBlock['part']): boolean {
  return part === 'ends stream' && !(request instanceof LargeHead) && request.contentLength > 0;
}
