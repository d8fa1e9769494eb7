/** One line of a stream is longer than we are willing to hold in memory. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';

  constructor(limitBytes: number) {
    super(`one watch event is larger than ${limitBytes} bytes: raise maxEventBytes if the object is really that large`);
  }
}

const newline = 0x0a;

/**
 * Cuts chunks of bytes into lines.
 *
 * Every byte is looked at once and copied at most once, however the chunks fall: pieces of an unfinished line are kept apart until its end arrives.
 */
export class LineReader {
  private chunks: Buffer[] = [];
  private nextChunk = 0;
  private offset = 0;
  private pieces: Buffer[] = [];
  private pieceBytes = 0;
  private unread = 0;

  constructor(private readonly maxLineBytes: number) {}

  /** Bytes that nobody has asked for yet; those of a line that was asked for and is unfinished do not count. */
  get unreadBytes(): number {
    return this.unread;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.unread += chunk.length;
  }

  /** The next finished line, without its end; undefined when more bytes are needed. @throws LineTooLongError */
  next(): string | undefined {
    for (let chunk = this.chunks[this.nextChunk]; chunk; chunk = this.chunks[this.nextChunk]) {
      const end = chunk.indexOf(newline, this.offset);
      if (end >= 0) return this.finishLine(chunk, end);
      this.keepPiece(chunk);
    }
    return undefined;
  }

  /** What came after the last line end. */
  rest(): string {
    const text = Buffer.concat(this.pieces, this.pieceBytes).toString('utf8');
    this.pieces = [];
    this.pieceBytes = 0;
    return text;
  }

  /** Forgets everything. */
  clear(): void {
    this.chunks = [];
    this.nextChunk = 0;
    this.offset = 0;
    this.pieces = [];
    this.pieceBytes = 0;
    this.unread = 0;
  }

  private finishLine(chunk: Buffer, end: number): string {
    const start = this.offset;
    this.unread -= end + 1 - start;
    this.offset = end + 1;
    if (this.offset === chunk.length) this.dropChunk();
    if (this.pieceBytes + end - start > this.maxLineBytes) throw new LineTooLongError(this.maxLineBytes);
    if (this.pieceBytes === 0) return chunk.toString('utf8', start, end);

    this.pieces.push(chunk.subarray(start, end));
    this.pieceBytes += end - start;
    return this.rest();
  }

  private keepPiece(chunk: Buffer): void {
    this.pieces.push(this.offset === 0 ? chunk : chunk.subarray(this.offset));
    this.pieceBytes += chunk.length - this.offset;
    this.unread -= chunk.length - this.offset;
    this.dropChunk();
    if (this.pieceBytes > this.maxLineBytes) throw new LineTooLongError(this.maxLineBytes);
  }

  private dropChunk(): void {
    this.offset = 0;
    this.nextChunk++;
    if (this.nextChunk === this.chunks.length) {
      this.chunks = [];
      this.nextChunk = 0;
    }
  }
}
