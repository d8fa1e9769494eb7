import { FRAME_HEAD_BYTES, LARGEST_PAYLOAD_BYTES } from './frame';

/** Who gets the frames. */
export interface FrameSink {
  /** A whole frame, head and payload, in `bytes` from `start` to `end`; good until the read is over. False: no more is wanted. */
  onFrame(bytes: Buffer, start: number, end: number): boolean;
}

/**
 * Cuts what is read into whole frames, wherever the reads happen to break them.
 *
 * Keeps at most one frame, in memory of its own that is never used again, so it may be passed on without a copy.
 */
export class FrameReader {
  private carry: Buffer | undefined;
  private filled = 0;

  /** Whether a frame has begun that is not yet whole. */
  get isPartial(): boolean {
    return this.carry !== undefined;
  }

  /** `too large` says that a frame is larger than anybody here was allowed to send; nothing after it can be read. */
  read(bytes: Buffer, start: number, end: number, sink: FrameSink): 'read' | 'stopped' | 'too large' {
    let at = start;
    while (this.carry !== undefined && at < end) {
      const { carry } = this;
      const taken = Math.min(end - at, carry.length - this.filled);
      bytes.copy(carry, this.filled, at, at + taken);
      at += taken;
      this.filled += taken;
      if (this.filled < carry.length) return 'read';
      const length = frameLength(carry, 0);
      if (length > LARGEST_PAYLOAD_BYTES + FRAME_HEAD_BYTES) return 'too large';
      if (length > carry.length) {
        this.carry = Buffer.allocUnsafeSlow(length);
        carry.copy(this.carry);
        continue;
      }
      this.carry = undefined;
      if (!sink.onFrame(carry, 0, length)) return 'stopped';
    }
    return this.readWhole(bytes, at, end, sink);
  }

  private readWhole(bytes: Buffer, start: number, end: number, sink: FrameSink): 'read' | 'stopped' | 'too large' {
    let at = start;
    while (end - at >= FRAME_HEAD_BYTES) {
      const length = frameLength(bytes, at);
      if (length > LARGEST_PAYLOAD_BYTES + FRAME_HEAD_BYTES) return 'too large';
      if (length > end - at) {
        this.keep(bytes, at, end, length);
        return 'read';
      }
      if (!sink.onFrame(bytes, at, at + length)) return 'stopped';
      at += length;
    }
    if (at < end) this.keep(bytes, at, end, FRAME_HEAD_BYTES);
    return 'read';
  }

  private keep(bytes: Buffer, start: number, end: number, size: number): void {
    this.carry = Buffer.allocUnsafeSlow(size);
    this.filled = bytes.copy(this.carry, 0, start, end);
  }
}

function frameLength(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at, 3) + FRAME_HEAD_BYTES;
}
