/** What `take` gives when the body is not over yet. */
export const BODY_GOES_ON = -1;
/** What `take` gives when the body breaks the rules; the framing is of no use afterwards. */
export const BODY_FAULT = -2;

/** Tells where a body ends; the bytes themselves pass through untouched. */
export interface BodyFraming {
  /** The index just past the body's end, when it lies within these bytes, or one of the constants above. */
  take(bytes: Buffer, start: number, end: number): number;
  /** Whether the rest of the body, which begins with `bytes`, surely takes no more than this. Changes nothing. */
  isWithin(limitBytes: number, bytes: Buffer): boolean;
}

export class LengthFraming implements BodyFraming {
  constructor(private left: number) {}

  take(_bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    if (length < this.left) {
      this.left -= length;
      return BODY_GOES_ON;
    }
    const over = start + this.left;
    this.left = 0;
    return over;
  }

  isWithin(limitBytes: number): boolean {
    return this.left <= limitBytes;
  }
}

/** An answer that ends with its connection. */
export class UntilCloseFraming implements BodyFraming {
  take(): number {
    return BODY_GOES_ON;
  }

  isWithin(): boolean {
    return false;
  }
}
