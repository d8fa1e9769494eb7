import { getSystemErrorName } from 'node:util';
import { KEEP_ALIVE_MS, Link, NOBODY, plainAddress } from './link';
import type { ReadBuffers } from './read-buffers';
import { END_OF_STREAM, type HandleListener, NOT_CONNECTED, type TcpHandle, type TcpHandles } from './tcp-handles';

/**
 * A link by a bare TCP handle, without the streams of net.Socket around it.
 *
 * Its owner is never called from inside one of its own calls but for `end` with nothing left to write. Once both directions have ended,
 * or an error has, the handle is closed and `onClosed` follows in a later turn.
 */
export class HandleLink extends Link implements HandleListener {
  private state: 'open' | 'closing' = 'open';
  /** Writes that the kernel has not taken yet. */
  private late = 0;
  private ending: 'not yet' | 'asked' | 'done' = 'not yet';
  private heardEnd = false;

  private constructor(
    private readonly handle: TcpHandle,
    private readonly handles: TcpHandles,
    buffers: ReadBuffers,
    private readonly buffer: Buffer,
  ) {
    super(buffers);
    handles.attach(handle, buffer, this);
    handle.setNoDelay(true);
  }

  /** Takes a handle just accepted. */
  static accepted(handle: TcpHandle, handles: TcpHandles, buffers: ReadBuffers): HandleLink {
    const link = new HandleLink(handle, handles, buffers, buffers.client);
    handle.setKeepAlive(true, KEEP_ALIVE_MS / 1_000);
    handle.readStart();
    return link;
  }

  /** `address` is an IP address. */
  static dial(address: string, port: number, handles: TcpHandles, buffers: ReadBuffers, onOpen: () => void): HandleLink {
    const link = new HandleLink(handles.create(), handles, buffers, buffers.upstream);
    const status = handles.connect(link.handle, address, port, (code) => link.onConnected(code, onOpen));
    if (status !== 0) link.fail(status);
    return link;
  }

  get remoteAddress(): string {
    const out: { address?: string } = {};
    this.handle.getpeername(out);
    return plainAddress(out.address);
  }

  get bytesRead(): number {
    return this.handle.bytesRead;
  }

  write(latin1: string): boolean {
    if (this.state !== 'open') return false;
    const { handles } = this;
    const status = this.handle.writeLatin1String(handles.request, latin1);
    return status === 0 && !handles.isLate ? !this.congested : this.notTaken(status);
  }

  end(onFlushed?: () => void): void {
    if (this.state !== 'open' || this.ending !== 'not yet') return;
    this.ending = 'asked';
    const status = this.handles.end(this.handle, (code) => this.onEnded(code, onFlushed));
    if (status === 1 || status === NOT_CONNECTED) this.onEnded(0, onFlushed);
    else if (status < 0) this.fail(status);
  }

  destroy(): void {
    this.owner = NOBODY;
    this.close();
  }

  reset(): void {
    this.owner = NOBODY;
    if (this.state !== 'open') return;
    // Not possible while an end waits for its bytes.
    if (this.handle.reset() === 0) this.state = 'closing';
    else this.close();
  }

  onRead(length: number): void {
    if (length > 0) {
      this.owner.onBytes(this.buffer, length);
    } else if (length === END_OF_STREAM) {
      this.heardEnd = true;
      this.handle.readStop();
      this.owner.onEnd();
      this.closeIfOver();
    } else if (length < 0) {
      this.fail(length);
    }
  }

  onWritten(status: number, slab: Buffer | undefined): void {
    if (slab) this.buffers.giveBack(slab);
    this.late--;
    if (this.state !== 'open') return;
    if (status < 0) {
      this.fail(status);
    } else if (this.late === 0) {
      this.congested = false;
      this.owner.onDrain();
    }
  }

  protected stopReading(): void {
    if (this.state === 'open') this.handle.readStop();
  }

  protected startReading(): void {
    if (this.state === 'open' && !this.heardEnd) this.handle.readStart();
  }

  protected writeLasting(bytes: Buffer, slab?: Buffer): boolean {
    if (this.state !== 'open') return false;
    const { handles } = this;
    const status = this.handle.writeBuffer(handles.request, bytes);
    if (status !== 0 || handles.isLate) return this.notTaken(status, bytes, slab);
    if (slab) this.buffers.giveBack(slab);
    return !this.congested;
  }

  private notTaken(status: number, bytes?: Buffer, slab?: Buffer): false {
    this.congested = true;
    if (status !== 0) {
      this.fail(status);
    } else {
      this.late++;
      this.handles.follow(this, bytes, slab);
    }
    return false;
  }

  private onConnected(status: number, onOpen: () => void): void {
    if (this.state !== 'open') return;
    if (status !== 0) {
      this.fail(status);
      return;
    }
    this.handle.setKeepAlive(true, KEEP_ALIVE_MS / 1_000);
    if (!this.paused) this.handle.readStart();
    onOpen();
  }

  private onEnded(status: number, onFlushed: (() => void) | undefined): void {
    this.ending = 'done';
    if (this.state !== 'open') return;
    if (status === 0) onFlushed?.();
    this.closeIfOver();
  }

  private closeIfOver(): void {
    if (this.heardEnd && this.ending === 'done') this.close(() => this.gone(undefined));
  }

  private fail(code: number): void {
    const error = new Error(`the connection failed: ${getSystemErrorName(code)}`);
    this.close(() => this.gone(error));
  }

  private gone(error: Error | undefined): void {
    const { owner } = this;
    this.owner = NOBODY;
    owner.onClosed(error);
  }

  private close(onClosed?: () => void): void {
    if (this.state !== 'open') return;
    this.state = 'closing';
    this.handle.close(onClosed);
  }
}
