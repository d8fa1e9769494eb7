import { FLAG, FRAME, frameHead, LARGEST_PAYLOAD_BYTES } from './frame';
import type { Outlet } from './outlet';

const FIRST_PIECE_BYTES = 256;

/**
 * The body of a request as far as it came, until it can be sent.
 *
 * Takes no more than twice the bytes it holds and a little: however small the frames are that it came in, they are put together.
 */
export class HeldData {
  length = 0;
  private readonly pieces: Buffer[] = [];
  /** What is used of the last piece. */
  private used = 0;
  /** What is gone of the first piece. */
  private gone = 0;

  add(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at < end;) {
      const piece = this.pieceWithRoom(end - at);
      const taken = bytes.copy(piece, this.used, at, end);
      this.used += taken;
      this.length += taken;
      at += taken;
    }
  }

  /** As DATA frames, the last of which may end the stream. */
  sendTo(outlet: Outlet, streamId: number, end: 'ends stream' | 'goes on'): void {
    this.pieces.forEach((piece, index) => {
      const isLast = index === this.pieces.length - 1;
      const length = isLast ? this.used : piece.length;
      outlet.put(frameHead(length, FRAME.data, isLast && end === 'ends stream' ? FLAG.endStream : 0, streamId));
      outlet.pass(piece, 0, length);
    });
  }

  /** Sends this much as DATA frames, the last of which may end the stream, and forgets it. */
  moveTo(outlet: Outlet, streamId: number, bytes: number, end: 'ends stream' | 'goes on'): void {
    const endFlag = end === 'ends stream' ? FLAG.endStream : 0;
    if (bytes === 0 && endFlag !== 0) outlet.put(frameHead(0, FRAME.data, endFlag, streamId));
    for (let left = bytes; left > 0;) {
      const [piece] = this.pieces;
      if (piece === undefined) return;
      const length = Math.min(left, (this.pieces.length === 1 ? this.used : piece.length) - this.gone);
      left -= length;
      outlet.put(frameHead(length, FRAME.data, left === 0 ? endFlag : 0, streamId));
      outlet.pass(piece, this.gone, this.gone + length);
      this.length -= length;
      this.gone += length;
      if (this.gone < piece.length) continue;
      this.pieces.shift();
      this.gone = 0;
    }
  }

  copyTo(other: HeldData): void {
    this.pieces.forEach((piece, index) => {
      other.add(piece, index === 0 ? this.gone : 0, index === this.pieces.length - 1 ? this.used : piece.length);
    });
  }

  private pieceWithRoom(wanted: number): Buffer {
    const last = this.pieces.at(-1);
    if (last && this.used < last.length) return last;
    const size = Math.min(LARGEST_PAYLOAD_BYTES, Math.max(FIRST_PIECE_BYTES, wanted, this.length));
    const piece = Buffer.allocUnsafeSlow(size);
    this.pieces.push(piece);
    this.used = 0;
    return piece;
  }
}
