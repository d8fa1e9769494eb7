import { HeaderField } from './header-field';
import { decodeHuffman } from './huffman';
import { STATIC_TABLE } from './static-table';

/** What every peer may use, since nobody here ever announces another size. */
const TABLE_LIMIT_BYTES = 4_096;

/** An integer beyond this has no meaning in a block as small as ours may be. */
const INTEGER_LIMIT = 1 << 24;

/** The bytes that can no longer be told apart: the connection is lost with them. */
class BadBlock extends Error {}

/**
 * Reads header blocks in the order they were sent, and keeps the table that they build.
 *
 * A block is read to its end even when its fields are too many to keep, because the table must follow.
 */
export class HpackDecoder {
  /** Changes whenever the table does: as long as it stays, the same bytes mean the same fields. */
  version = 0;
  /** Newest last; those before `oldest` are gone. */
  private readonly table: HeaderField[] = [];
  private oldest = 0;
  private size = 0;
  private limit = TABLE_LIMIT_BYTES;
  private bytes: Buffer = Buffer.alloc(0);
  private at = 0;
  private end = 0;

  /** `onField` is called for each field in turn. False: this is not HPACK. */
  decode(bytes: Buffer, start: number, end: number, onField: (field: HeaderField) => void): boolean {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    try {
      this.readSizeUpdates();
      while (this.at < this.end) onField(this.readField());
      return true;
    } catch (error) {
      if (error instanceof BadBlock) return false;
      throw error;
    }
  }

  private readSizeUpdates(): void {
    while (this.at < this.end && (this.peek() & 0xe0) === 0x20) {
      const limit = this.readInteger(5);
      if (limit > TABLE_LIMIT_BYTES) throw new BadBlock();
      this.limit = limit;
      this.version++;
      this.evict();
    }
  }

  private readField(): HeaderField {
    const first = this.peek();
    if (first >= 0x80) return this.lookUp(this.readInteger(7));
    if (first >= 0x40) {
      const field = this.readLiteral(6, 'open');
      this.insert(field);
      return field;
    }
    // A change of the table's size may only lead a block.
    if (first >= 0x20) throw new BadBlock();
    return this.readLiteral(4, first >= 0x10 ? 'never indexed' : 'open');
  }

  private readLiteral(prefixBits: number, secrecy: HeaderField['secrecy']): HeaderField {
    const index = this.readInteger(prefixBits);
    const name = index === 0 ? this.readString() : this.lookUp(index).name;
    return new HeaderField(name, this.readString(), secrecy);
  }

  private lookUp(index: number): HeaderField {
    const inTable = this.table.length - (index - STATIC_TABLE.length);
    const field = index <= STATIC_TABLE.length ? STATIC_TABLE[index - 1] : inTable >= this.oldest ? this.table[inTable] : undefined;
    if (field === undefined) throw new BadBlock();
    return field;
  }

  private insert(field: HeaderField): void {
    this.version++;
    this.table.push(field);
    this.size += field.size;
    this.evict();
  }

  private evict(): void {
    while (this.size > this.limit) {
      this.size -= this.table[this.oldest]?.size ?? 0;
      this.oldest++;
    }
    if (this.oldest > 64 || this.size === 0) {
      this.table.splice(0, this.oldest);
      this.oldest = 0;
    }
  }

  private peek(): number {
    return this.bytes[this.at] ?? 0;
  }

  private readInteger(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = this.peek() & mask;
    this.at++;
    if (value < mask) return value;
    for (let shift = 0; ; shift += 7) {
      if (this.at >= this.end || shift > 21) throw new BadBlock();
      const next = this.bytes[this.at++] ?? 0;
      value += (next & 127) << shift;
      if (value > INTEGER_LIMIT) throw new BadBlock();
      if (next < 128) return value;
    }
  }

  private readString(): string {
    if (this.at >= this.end) throw new BadBlock();
    const coded = this.peek() >= 0x80;
    const length = this.readInteger(7);
    const start = this.at;
    this.at += length;
    if (this.at > this.end) throw new BadBlock();
    if (!coded) return this.bytes.toString('latin1', start, this.at);
    const text = decodeHuffman(this.bytes, start, this.at);
    if (text === undefined) throw new BadBlock();
    return text;
  }
}
