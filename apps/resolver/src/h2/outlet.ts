import type { Link } from '../proxy';

/** What a way out needs of its connection. */
export type OutletLink = Pick<Link, 'write' | 'writeWith' | 'isCongested'>;

/**
 * The way out to one side: what one read brings leaves in one write.
 *
 * Frames that pass unchanged and lie side by side are never touched. What is passed must be flushed before its read is over.
 */
export class Outlet {
  private text = '';
  private run: Buffer | undefined;
  private runStart = 0;
  private runEnd = 0;

  constructor(private readonly link: OutletLink) {}

  /** Whether the other side takes less than it is given. */
  get isCongested(): boolean {
    return this.link.isCongested;
  }

  get unflushedBytes(): number {
    return this.text.length;
  }

  /** A frame as it was read. */
  pass(bytes: Buffer, start: number, end: number): void {
    if (this.run === bytes && this.runEnd === start) {
      this.runEnd = end;
      return;
    }
    this.settleRun();
    this.run = bytes;
    this.runStart = start;
    this.runEnd = end;
  }

  /** Frames of our own, as latin1 text. */
  put(frames: string): void {
    this.settleRun();
    this.text += frames;
  }

  flush(): void {
    const { text, run } = this;
    this.text = '';
    this.run = undefined;
    if (run !== undefined) this.link.writeWith(text, run, this.runStart, this.runEnd);
    else if (text !== '') this.link.write(text);
  }

  private settleRun(): void {
    if (this.run === undefined) return;
    if (this.runEnd - this.runStart > SMALL_BYTES) this.flush();
    else this.text += this.run.toString('latin1', this.runStart, this.runEnd);
    this.run = undefined;
  }
}

/** Longer runs are not worth turning into text. */
const SMALL_BYTES = 8 * 1024;
