const SLAB_BYTES = 64 * 1024;
const KEPT_SLABS = 64;

/**
 * The memory that all sockets are read into: one buffer for clients, one for pods.
 *
 * What was read is gone with the next read, so it is never handed to a write: small pieces go out as strings, larger ones as copies on
 * slabs that come back once they are written. A client's reads are half of what a held request may keep, so that the last read before
 * the pause still fits.
 */
export class ReadBuffers {
  readonly client = Buffer.allocUnsafeSlow(SLAB_BYTES / 2);
  readonly upstream = Buffer.allocUnsafeSlow(SLAB_BYTES);
  private readonly slabs: Buffer[] = [];

  isShared(bytes: Buffer): boolean {
    return bytes === this.client || bytes === this.upstream;
  }

  /** A copy to write; the slab is `giveBack`ed when that is done. */
  slab(): Buffer {
    return this.slabs.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
  }

  giveBack(slab: Buffer): void {
    if (this.slabs.length < KEPT_SLABS) this.slabs.push(slab);
  }
}
