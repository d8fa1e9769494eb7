import type { Clock } from '@elasti/operator-kit';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

/** What is asked of the disk. */
export interface SecretDisk {
  version(path: string): Promise<string>;
  read(path: string): Promise<string>;
}

const systemDisk: SecretDisk = {
  version: async (path) => {
    // Kubernetes swaps a link to a new folder, so the inode tells what the time may not.
    const { ino, mtimeMs, size } = await stat(path);
    return `${ino}/${mtimeMs}/${size}`;
  },
  read: (path) => readFile(path, 'utf8'),
};

const lookEveryMs = 1_000;

/**
 * The hashes of the secrets in a file, one secret a line: two lines let the old and the new one in while they are being exchanged.
 *
 * As current as a second ago; the file is read only when it has changed.
 */
export class SecretFile {
  private version = '';
  private hashes: readonly Buffer[] = [];
  private lookedAtMs = -Infinity;
  private looking?: Promise<readonly Buffer[]>;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
    private readonly disk: SecretDisk = systemDisk,
  ) {}

  /** @throws when the file cannot be read, or is empty */
  async secretHashes(): Promise<readonly Buffer[]> {
    if (this.clock.monotonic() - this.lookedAtMs < lookEveryMs) return this.hashes;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async look(): Promise<readonly Buffer[]> {
    const version = await this.disk.version(this.path);
    if (version !== this.version) {
      const lines = (await this.disk.read(this.path)).split('\n').map((line) => line.trim());
      const hashes = lines.filter(Boolean).map(hashOf);
      if (hashes.length === 0) throw new Error('the file of the shared secret is empty: write the secret into it');
      this.hashes = hashes;
      this.version = version;
    }
    this.lookedAtMs = this.clock.monotonic();
    return this.hashes;
  }
}

/** Of one length whatever is hashed, as a comparison in constant time needs it. */
export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
