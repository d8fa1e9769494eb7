const NONE = Buffer.alloc(0);

/** Bytes that were read before their turn: a held body, or the next request of a client that does not wait. */
export class PendingBytes {
  private bytes: Buffer | undefined;

  get length(): number {
    return this.bytes?.length ?? 0;
  }

  get firstByte(): number | undefined {
    return this.bytes?.[0];
  }

  /** Whether a request waits here: an empty line, as some clients send behind a body, is none. */
  get holdsRequest(): boolean {
    return this.length > 2;
  }

  /** What there is, for a look. */
  peek(): Buffer {
    return this.bytes ?? NONE;
  }

  /** Copies, since what is read into a shared buffer does not last. */
  add(bytes: Buffer, start: number, end: number): void {
    if (start === end) return;
    const before = this.length;
    const larger = Buffer.allocUnsafeSlow(before + end - start);
    this.bytes?.copy(larger);
    bytes.copy(larger, before, start, end);
    this.bytes = larger;
  }

  /** Puts what was not used back in front. Takes over `bytes`. */
  putBack(bytes: Buffer, start: number): void {
    if (start === bytes.length) return;
    const rest = bytes.subarray(start);
    this.bytes = this.bytes === undefined ? rest : Buffer.concat([rest, this.bytes]);
  }

  take(): Buffer | undefined {
    const taken = this.bytes;
    this.bytes = undefined;
    return taken;
  }
}
