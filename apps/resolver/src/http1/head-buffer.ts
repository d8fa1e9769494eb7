import { HEAD_LIMIT_BYTES } from './limits';
import type { PartialHeads } from './partial-heads';

const HEAD_END = Buffer.from('\r\n\r\n');
const CR = 13;
const LF = 10;
/** The largest head, with its empty line. */
const GATHERED_LIMIT_BYTES = HEAD_LIMIT_BYTES + HEAD_END.length;

export type HeadSearch = 'found' | 'more' | 'too large' | 'bare line feed' | 'bare carriage return' | 'no room';

/**
 * Finds heads in a stream of bytes, however they are cut.
 *
 * A head that lies whole in one read, the usual case, is never copied. A head that comes in pieces is gathered here, each byte
 * looked at once, and a line feed without its CR is told at once: such a head may never end. What is gathered is given back with the
 * head's end, with a fault, and by `drop`.
 */
export class HeadBuffer {
  /** After 'found': the head without its last, empty line. */
  text = '';
  /** After 'found': where the bytes behind the head begin. */
  next = 0;

  private gathered: Buffer | undefined;
  private length = 0;
  private halfEmptyLine = false;

  /** Without a `memory` nobody counts what is gathered. */
  constructor(private readonly memory?: PartialHeads) {}

  /** Whether a head has begun and not ended. */
  get isPartial(): boolean {
    return this.length > 0;
  }

  search(bytes: Buffer, start: number, end: number): HeadSearch {
    if (this.length > 0) return this.searchGathered(bytes, start, end);
    if (this.halfEmptyLine && start < end && bytes[start] !== LF) return 'bare carriage return';
    const from = this.skipEmptyLines(bytes, start, end);
    if (from === end) return 'more';
    if (this.isAsLongAsLast(bytes, from, end)) return 'found';
    const at = bytes.indexOf(HEAD_END, from);
    // A read buffer may hold older bytes behind `end`.
    if (at < 0 || at + 4 > end) return this.searchGathered(bytes, from, end);
    if (at - from > HEAD_LIMIT_BYTES) return 'too large';
    this.text = bytes.toString('latin1', from, at + 2);
    this.next = at + 4;
    return 'found';
  }

  /** One head is often as long as the one before, or the very same, which has no empty line inside: then none is looked for. */
  private isAsLongAsLast(bytes: Buffer, from: number, end: number): boolean {
    const emptyLine = from + this.text.length;
    if (emptyLine === from || emptyLine + 2 > end || bytes[emptyLine] !== CR || bytes[emptyLine + 1] !== LF) return false;
    const text = bytes.toString('latin1', from, emptyLine);
    if (text !== this.text) {
      if (!this.hasFieldsOfLast(text) && (!text.endsWith('\r\n') || text.includes('\r\n\r\n'))) return false;
      this.text = text;
    }
    this.next = emptyLine + 2;
    return true;
  }

  /** From the first line's end on it is the last head, which ends with a line's end and has no empty line inside; a client mostly asks for something else. */
  private hasFieldsOfLast(text: string): boolean {
    const lineEnd = text.indexOf('\r');
    return lineEnd === this.text.indexOf('\r') && text.slice(lineEnd) === this.text.slice(lineEnd);
  }

  private searchGathered(bytes: Buffer, start: number, end: number): HeadSearch {
    const before = this.length;
    const gathered = this.gather(bytes, start, Math.min(end, start + GATHERED_LIMIT_BYTES - before));
    if (gathered === undefined) return this.endWith('no room');
    const at = gathered.subarray(0, this.length).indexOf(HEAD_END, Math.max(0, before - 3));
    if (at < 0) return this.judgeUnended(gathered, before);
    if (at > HEAD_LIMIT_BYTES) return this.endWith('too large');
    this.text = gathered.toString('latin1', 0, at + 2);
    this.next = start + (at + 4 - before);
    return this.endWith('found');
  }

  /** Undefined when there is no room for more. */
  private gather(bytes: Buffer, start: number, end: number): Buffer | undefined {
    const needed = this.length + end - start;
    if (this.gathered === undefined || this.gathered.length < needed) {
      const size = Math.min(Math.max(512, needed * 2), GATHERED_LIMIT_BYTES);
      if (this.memory?.take(size - (this.gathered?.length ?? 0)) === false) return undefined;
      const larger = Buffer.allocUnsafeSlow(size);
      this.gathered?.copy(larger, 0, 0, this.length);
      this.gathered = larger;
    }
    bytes.copy(this.gathered, this.length, start, end);
    this.length = needed;
    return this.gathered;
  }

  private judgeUnended(gathered: Buffer, from: number): HeadSearch {
    if (hasBareLineFeed(gathered, from, this.length)) return this.endWith('bare line feed');
    return this.length > HEAD_LIMIT_BYTES ? this.endWith('too large') : 'more';
  }

  private endWith(outcome: HeadSearch): HeadSearch {
    this.drop();
    return outcome;
  }

  /** A request may follow empty lines: some old clients end a body with one. */
  private skipEmptyLines(bytes: Buffer, start: number, end: number): number {
    let at = start;
    if (this.halfEmptyLine && bytes[at] === LF) at++;
    this.halfEmptyLine = false;
    while (at + 1 < end && bytes[at] === CR && bytes[at + 1] === LF) at += 2;
    if (at + 1 !== end || bytes[at] !== CR) return at;
    this.halfEmptyLine = true;
    return end;
  }

  /** Nothing is kept of the head that was found last. */
  forget(): void {
    this.text = '';
  }

  /** Nothing is kept of a head that has begun. */
  drop(): void {
    if (this.gathered === undefined) return;
    this.memory?.giveBack(this.gathered.length);
    this.gathered = undefined;
    this.length = 0;
  }
}

function hasBareLineFeed(bytes: Buffer, from: number, length: number): boolean {
  for (let at = bytes.indexOf(LF, from); at >= 0 && at < length; at = bytes.indexOf(LF, at + 1)) {
    if (at === 0 || bytes[at - 1] !== CR) return true;
  }
  return false;
}
