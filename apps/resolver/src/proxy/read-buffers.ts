import { HELD_BODY_BYTES } from './proxy-settings';

/** As much as a pod's answer may bring at once: four times as many bytes for each call of the system as with 64 KiB, at half the cost. */
const LARGE_BYTES = 256 * 1024;
const SMALL_BYTES = 64 * 1024;
const DESK_BYTES = 32 * 1024;
/** Of each size, to be used again. */
const KEPT_SLABS = 16;

/**
 * The memory that all sockets are read into: one buffer for clients, one for pods.
 *
 * What was read is gone with the next read, so it is never handed to a write: small pieces go out by the desk, larger ones as copies on
 * slabs that come back once they are written. A client's reads are half of what a held request may keep, so that the last read before
 * the pause still fits.
 */
export class ReadBuffers {
  readonly client = Buffer.allocUnsafeSlow(HELD_BODY_BYTES / 2);
  readonly upstream = Buffer.allocUnsafeSlow(LARGE_BYTES);
  /** Where a small write is put together; free again when the kernel took all of it at once. A string would be made, copied and collected for each. */
  desk = Buffer.allocUnsafeSlow(DESK_BYTES);
  private readonly small: Buffer[] = [];
  private readonly large: Buffer[] = [];

  isShared(bytes: Buffer): boolean {
    return bytes === this.client || bytes === this.upstream;
  }

  /** The desk went with a write that waits. */
  giveDeskAway(): void {
    this.desk = Buffer.allocUnsafeSlow(DESK_BYTES);
  }

  /** Room for a copy to write; the slab is `giveBack`ed when that is done. */
  slab(bytes: number): Buffer {
    if (bytes <= SMALL_BYTES) return this.small.pop() ?? Buffer.allocUnsafeSlow(SMALL_BYTES);
    return this.large.pop() ?? Buffer.allocUnsafeSlow(LARGE_BYTES);
  }

  giveBack(slab: Buffer): void {
    const kept = slab.length === SMALL_BYTES ? this.small : this.large;
    if (kept.length < KEPT_SLABS) kept.push(slab);
  }
}
