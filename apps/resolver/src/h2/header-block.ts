import { BLOCK_LIMIT_BYTES, CONTINUATION_LIMIT } from './limits';

/** A header block that comes in more than one frame. */
export class HeaderBlock {
  private readonly pieces: Buffer[];
  private length: number;

  constructor(
    readonly id: number,
    readonly part: 'ends stream' | 'goes on',
    first: Buffer,
  ) {
    this.pieces = [Buffer.from(first)];
    this.length = first.length;
  }

  /** False when it becomes larger, or comes in more pieces, than anybody needs. */
  add(piece: Buffer): boolean {
    this.length += piece.length;
    if (this.length > BLOCK_LIMIT_BYTES || this.pieces.length > CONTINUATION_LIMIT) return false;
    this.pieces.push(Buffer.from(piece));
    return true;
  }

  whole(): Buffer {
    return Buffer.concat(this.pieces);
  }
}
