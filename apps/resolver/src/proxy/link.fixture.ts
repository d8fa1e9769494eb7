import { Link } from './link';
import { ReadBuffers } from './read-buffers';

/** A link whose other side is played by the test; it takes what it is given, unless it is told not to. */
export class FakeLink extends Link {
  readonly remoteAddress = '10.0.0.9';
  hasUnread = false;
  readonly isAllGiven = true;
  bytesRead = 0;
  written = '';
  state: 'open' | 'ended' | 'destroyed' | 'reset' = 'open';
  /** Takes nothing more after each write, until the test says so. */
  isSlow = false;
  private onFlushed: (() => void) | undefined;

  constructor() {
    super(new ReadBuffers());
  }

  says(text: string): void {
    this.bytesRead += text.length;
    this.owner.onBytes(Buffer.from(text, 'latin1'), text.length);
  }

  endsItsSide(): void {
    this.owner.onEnd();
  }

  fails(): void {
    const { owner } = this;
    this.state = 'destroyed';
    owner.onClosed(new Error('the connection failed: ECONNRESET'));
  }

  takesNothing(): void {
    this.congested = true;
  }

  takesAll(): void {
    this.congested = false;
    this.owner.onDrain();
    if (this.state === 'ended') this.onFlushed?.();
  }

  get isPaused(): boolean {
    return this.paused;
  }

  write(latin1: string): boolean {
    this.written += latin1;
    this.given += latin1.length;
    if (this.isSlow) this.congested = true;
    return !this.congested;
  }

  withdraw(): void {
    // It has taken everything.
  }

  end(onFlushed?: () => void): void {
    if (this.state === 'open') this.state = 'ended';
    this.onFlushed = onFlushed;
  }

  destroy(): void {
    this.state = 'destroyed';
  }

  reset(): void {
    this.state = 'reset';
  }

  protected startReading(): void {
    // What it reads comes by `says`.
  }

  protected stopReading(): void {
    // As above.
  }

  protected writeLasting(bytes: Buffer): boolean {
    return this.write(bytes.toString('latin1'));
  }

  protected writeTogether(latin1: string, bytes: Buffer, start: number, end: number): boolean {
    return this.write(latin1 + bytes.toString('latin1', start, end));
  }
}
