import type { BodyFraming } from './body-framing';
import { BODY_FAULT, BODY_GOES_ON } from './body-framing';
import { EXTENSION_LIMIT_BYTES, TRAILER_LIMIT_BYTES } from './limits';

type State = 'size' | 'extension' | 'size LF' | 'data' | 'data CR' | 'data LF' | 'trailers';
type ExtensionState = 'start' | 'name' | 'equals' | 'value' | 'quoted' | 'quote over';
type TrailerState = 'start' | 'name' | 'value' | 'LF' | 'last LF' | 'over';

const CR = 13;
const LF = 10;
const HTAB = 9;
const SEMICOLON = 59;
const COLON = 58;
const EQUALS = 61;
const QUOTE = 34;
const BACKSLASH = 92;
/** Twelve digits are 256 TiB, and stay exact. */
const SIZE_DIGITS_LIMIT = 12;
const TOKEN_MARKS = new Set<number>(Buffer.from("!#$%&'*+-.^_`|~"));

/**
 * Finds the end of a chunked body without decoding it.
 *
 * Stricter than it needs to be for us: whoever reads the same bytes less strictly than the pod could be led to see
 * another end, so sizes are plain hexadecimal digits, lines end with CR LF, and extensions and trailers are bounded.
 */
export class ChunkedFraming implements BodyFraming {
  private state: State = 'size';
  private extension: ExtensionState = 'start';
  private trailer: TrailerState = 'start';
  private size = 0;
  private digits = 0;
  private extensionBytes = 0;
  private trailerBytes = 0;

  take(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end) {
      if (this.state === 'data') {
        const left = end - at;
        if (left < this.size) {
          this.size -= left;
          return BODY_GOES_ON;
        }
        at += this.size;
        this.state = 'data CR';
        continue;
      }
      const next = this.step(bytes[at++] ?? 0);
      if (next === undefined) return BODY_FAULT;
      if (this.trailer === 'over') return at;
      this.state = next;
    }
    return BODY_GOES_ON;
  }

  /** Known only once its end is here. */
  isWithin(limitBytes: number, bytes: Buffer): boolean {
    const scout = Object.assign(new ChunkedFraming(), this);
    const over = scout.take(bytes, 0, bytes.length);
    return over >= 0 && over <= limitBytes;
  }

  private step(byte: number): State | undefined {
    switch (this.state) {
      case 'size':
        return this.sizeByte(byte);
      case 'extension':
        return this.extensionByte(byte);
      case 'size LF':
        if (byte !== LF) return undefined;
        return this.size === 0 ? 'trailers' : 'data';
      case 'data':
        return 'data';
      case 'data CR':
        return byte === CR ? 'data LF' : undefined;
      case 'data LF':
        this.size = 0;
        this.digits = 0;
        return byte === LF ? 'size' : undefined;
      case 'trailers':
        return this.trailerByte(byte);
    }
  }

  private sizeByte(byte: number): State | undefined {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.size = this.size * 16 + digit;
      return ++this.digits <= SIZE_DIGITS_LIMIT ? 'size' : undefined;
    }
    if (this.digits === 0) return undefined;
    if (byte === CR) return 'size LF';
    return byte === SEMICOLON ? 'extension' : undefined;
  }

  private extensionByte(byte: number): State | undefined {
    if (byte === CR && mayEndExtension(this.extension)) {
      this.extension = 'start';
      return 'size LF';
    }
    const next = ++this.extensionBytes > EXTENSION_LIMIT_BYTES ? undefined : nextInExtension(this.extension, byte);
    if (next === undefined) return undefined;
    this.extension = next;
    return 'extension';
  }

  private trailerByte(byte: number): State | undefined {
    const next = ++this.trailerBytes > TRAILER_LIMIT_BYTES ? undefined : nextInTrailer(this.trailer, byte);
    if (next === undefined) return undefined;
    this.trailer = next;
    return 'trailers';
  }
}

function mayEndExtension(state: ExtensionState): boolean {
  return state === 'name' || state === 'value' || state === 'quote over';
}

/** No blanks and no escapes, which HTTP allows and hardly anybody sends: readers differ about them. */
function nextInExtension(state: ExtensionState, byte: number): ExtensionState | undefined {
  if (byte === SEMICOLON && mayEndExtension(state)) return 'start';
  switch (state) {
    case 'start':
      return isTokenByte(byte) ? 'name' : undefined;
    case 'name':
      if (byte === EQUALS) return 'equals';
      return isTokenByte(byte) ? 'name' : undefined;
    case 'equals':
      if (byte === QUOTE) return 'quoted';
      return isTokenByte(byte) ? 'value' : undefined;
    case 'value':
      return isTokenByte(byte) ? 'value' : undefined;
    case 'quoted':
      if (byte === QUOTE) return 'quote over';
      return isText(byte) && byte !== BACKSLASH ? 'quoted' : undefined;
    case 'quote over':
      return undefined;
  }
}

function nextInTrailer(state: TrailerState, byte: number): TrailerState | undefined {
  switch (state) {
    case 'start':
      if (byte === CR) return 'last LF';
      return isTokenByte(byte) ? 'name' : undefined;
    case 'name':
      if (byte === COLON) return 'value';
      return isTokenByte(byte) ? 'name' : undefined;
    case 'value':
      if (byte === CR) return 'LF';
      return isText(byte) ? 'value' : undefined;
    case 'LF':
      return byte === LF ? 'start' : undefined;
    case 'last LF':
      return byte === LF ? 'over' : undefined;
    case 'over':
      return undefined;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function isText(byte: number): boolean {
  return byte === HTAB || (byte >= 32 && byte !== 127);
}

/** The characters of a method or a field name. */
export function isTokenByte(byte: number): boolean {
  const letter = byte | 32;
  if ((letter >= 97 && letter <= 122) || (byte >= 48 && byte <= 57)) return true;
  return TOKEN_MARKS.has(byte);
}
