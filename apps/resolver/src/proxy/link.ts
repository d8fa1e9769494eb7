import type { ReadBuffers } from './read-buffers';

/** Who a link reports to. */
export interface LinkOwner {
  /** `bytes` are good until the call returns, unless `Link.isShared` says otherwise. */
  onBytes(bytes: Buffer, length: number): void;
  onDrain(): void;
  /** What has waited is with the kernel now. */
  onGiven?(): void;
  /** The other side writes no more. */
  onEnd(): void;
  /** The link is gone, and not by our own `destroy`. */
  onClosed(error: Error | undefined): void;
}

export const NOBODY: LinkOwner = {
  onBytes: () => undefined,
  onDrain: () => undefined,
  onEnd: () => undefined,
  onClosed: () => undefined,
};

/** A connection without traffic for this long is probed: whoever vanished without a word would stay open for ever. */
export const KEEP_ALIVE_MS = 30_000;

/** How many of some links are open. */
export interface OpenCount {
  open: number;
}

/** Up to this size a write is put together first: the kernel takes it at once, nearly always. */
const SMALL_WRITE_BYTES = 16 * 1024;

/**
 * A connection and the one who listens to it.
 *
 * After `destroy` the owner hears nothing any more. What is written goes out in order; what is not taken at once is reported by a `false`.
 */
export abstract class Link {
  owner: LinkOwner = NOBODY;
  /** So many bytes the kernel may have: those that wait, or that it refused, are not among them. */
  given = 0;
  /**
   * Writes of what is read wait until the turn's reading is over, which may tell that the other side has gone. Only where that is known in time can
   * something be taken elsewhere that must not be sent twice.
   */
  isCautious = false;
  protected congested = false;
  protected paused = false;
  private count: OpenCount | undefined;

  protected constructor(protected readonly buffers: ReadBuffers) {}

  abstract get remoteAddress(): string;
  /** Taken from the other side so far. */
  abstract get bytesRead(): number;

  /** These three give false when the other side takes less than it is given: wait for `onDrain`. */
  abstract write(latin1: string): boolean;

  writeBytes(bytes: Buffer, start: number, end: number): boolean {
    if (start === end) return !this.congested;
    if (!this.isShared(bytes)) return this.writeLasting(bytes.subarray(start, end));
    if (end - start <= SMALL_WRITE_BYTES) return this.writeTogether('', bytes, start, end);
    const slab = this.buffers.slab(end - start);
    bytes.copy(slab, 0, start, end);
    return this.writeLasting(slab.subarray(0, end - start), slab);
  }

  /** One write instead of two, when the bytes are few. */
  writeWith(latin1: string, bytes: Buffer, start: number, end: number): boolean {
    if (start === end) return this.write(latin1);
    if (end - start <= SMALL_WRITE_BYTES) return this.writeTogether(latin1, bytes, start, end);
    this.write(latin1);
    return this.writeBytes(bytes, start, end);
  }

  /** Whether the kernel may have all that was written. */
  abstract get isAllGiven(): boolean;

  /** Whatever the kernel was not given yet is never given: `isAllGiven` is false from then on, if there was any. */
  abstract withdraw(): void;

  /** Whether something has come that its owner has not been told yet. */
  abstract get hasUnread(): boolean;

  /** Bytes of a shared buffer must be copied by whoever wants to keep them. */
  isShared(bytes: Buffer): boolean {
    return this.buffers.isShared(bytes);
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.stopReading();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.startReading();
  }

  /** Whether what was written still waits for the other side to take it. */
  get isCongested(): boolean {
    return this.congested;
  }

  /** Writes no more; `onFlushed` is called once all is with the kernel, unless the link is lost before. */
  abstract end(onFlushed?: () => void): void;

  abstract destroy(): void;

  /** Ends the connection so that the other side cannot take it for a proper end. */
  abstract reset(): void;

  /** From here to its end it is one more. */
  protected countIn(count: OpenCount): void {
    count.open++;
    this.count = count;
  }

  protected countOut(): void {
    if (this.count) this.count.open--;
    this.count = undefined;
  }

  /** Few bytes, behind a text that may be empty, by one write. They are free again when it returns. */
  protected abstract writeTogether(latin1: string, bytes: Buffer, start: number, end: number): boolean;
  protected abstract startReading(): void;
  protected abstract stopReading(): void;
  /** `bytes` stay as they are until they are written; then the slab, if they lie on one, is given back. */
  protected abstract writeLasting(bytes: Buffer, slab?: Buffer): boolean;
}

/** As people write it: an IPv4 address is one also where it came in by IPv6. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
