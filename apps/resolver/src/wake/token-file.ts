import { readFile } from 'node:fs/promises';
import type { Clock } from '@elasti/operator-kit';

/** The kubelet renews a projected token long before it ends, so a minute's delay is harmless. */
const keepMs = 60_000;

/**
 * The ServiceAccount token that the kubelet keeps in a file, read again as it changes.
 *
 * A file that cannot be read once leaves the token that is known; without any, it throws.
 */
export class TokenFile {
  private token: string | undefined;
  private readAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
    private readonly read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8'),
  ) {}

  async current(): Promise<string> {
    const nowMs = this.clock.monotonic();
    if (this.token !== undefined && nowMs - this.readAtMs < keepMs) return this.token;
    try {
      this.token = (await this.read(this.path)).trim();
      this.readAtMs = nowMs;
    } catch (error) {
      if (this.token === undefined) throw new Error('the token for the operator cannot be read: is the volume mounted?', { cause: error });
    }
    return this.token;
  }

  /** It was not accepted: the next call reads the file again. */
  forget(): void {
    this.readAtMs = Number.NEGATIVE_INFINITY;
  }
}
