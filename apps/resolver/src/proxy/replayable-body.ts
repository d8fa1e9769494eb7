import { HELD_BODY_BYTES } from './proxy-settings';

/**
 * The part of a body that was already sent, kept to send it once more to another pod.
 *
 * Once it grows beyond what a held request may keep, it is let go, and the request can no longer be repeated.
 */
export class ReplayableBody {
  private pieces: Buffer[] = [];
  private length = 0;
  private lost = false;

  get isWhole(): boolean {
    return !this.lost;
  }

  /** `bytes` are copied only when they do not last. */
  keep(bytes: Buffer, start: number, end: number, lasting: 'lasting' | 'shared'): void {
    if (this.lost || start === end) return;
    this.length += end - start;
    if (this.length > HELD_BODY_BYTES) {
      this.lose();
      return;
    }
    const piece = bytes.subarray(start, end);
    this.pieces.push(lasting === 'lasting' ? piece : Buffer.from(piece));
  }

  lose(): void {
    this.lost = true;
    this.pieces = [];
  }

  get sent(): readonly Buffer[] {
    return this.pieces;
  }
}
