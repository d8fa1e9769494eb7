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
