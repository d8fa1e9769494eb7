/** Lower-case names only; a colon may lead, for the pseudo-headers. */
const NAME = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** No control characters but the tab, and no blank at either end. */
const VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;

/** Tells a reader that we keep nothing in its table: said once, it is true whatever size it allows. */
export const NO_TABLE = '\x20';

const LITERAL = 0x00;
const LITERAL_NEVER_INDEXED = 0x10;

/**
 * A header field as HPACK knows it, with its size in the table.
 *
 * A field that many requests share is checked and written once.
 */
export class HeaderField {
  private written: string | undefined;
  private checked: boolean | undefined;

  constructor(
    readonly name: string,
    readonly value: string,
    /** A secret that nobody on the way may keep in a table. */
    readonly secrecy: 'open' | 'never indexed' = 'open',
  ) {}

  get size(): number {
    return this.name.length + this.value.length + 32;
  }

  get isValid(): boolean {
    return (this.checked ??= NAME.test(this.name) && VALUE.test(this.value));
  }

  /** As a literal that leaves the reader's table alone. */
  get literal(): string {
    return (this.written ??= writeLiteral(this.name, this.value, this.secrecy));
  }
}

/** A field that no table needs to know, so it can be written at any time, whatever the reader's table holds. */
export function writeLiteral(name: string, value: string, secrecy: 'open' | 'never indexed' = 'open'): string {
  const first = String.fromCharCode(secrecy === 'open' ? LITERAL : LITERAL_NEVER_INDEXED);
  return first + writeLength(name.length) + name + writeLength(value.length) + value;
}

function writeLength(length: number): string {
  if (length < 127) return String.fromCharCode(length);
  let text = '\x7f';
  let rest = length - 127;
  for (; rest >= 128; rest >>>= 7) text += String.fromCharCode((rest & 127) | 128);
  return text + String.fromCharCode(rest);
}
