import { getSystemErrorName } from 'node:util';
import { KEEP_ALIVE_MS, Link, NOBODY, type OpenCount, plainAddress } from './link';
import type { ReadBuffers } from './read-buffers';
import type { LateRead, ReadTurns } from './read-turns';
import { END_OF_STREAM, type HandleListener, NOT_CONNECTED, type TcpHandle, type TcpHandles } from './tcp-handles';

/** What all links by handles share. */
export interface HandleShared {
  readonly handles: TcpHandles;
  readonly buffers: ReadBuffers;
  readonly turns: ReadTurns;
  readonly dialled: OpenCount;
}

/** What waits for a later turn is a copy that no queue counts, so it is small: a crowd sends heads. Larger pieces go at once. */
const LATE_READ_BYTES = 4 * 1024;

/**
 * A link by a bare TCP handle, without the streams of net.Socket around it.
 *
 * Its owner is never called from inside one of its own calls but for `end` with nothing left to write. Once both directions have ended,
 * or an error has, the handle is closed and `onClosed` follows in a later turn.
 */
export class HandleLink extends Link implements HandleListener, LateRead {
  private state: 'open' | 'closing' = 'open';
  /** Writes that the kernel has not taken yet. */
  private late = 0;
  private ending: 'not yet' | 'asked' | 'done' = 'not yet';
  private heardEnd = false;

  /** Read when the turn was spent. */
  private lateBytes: Buffer | undefined;

  private constructor(
    private readonly handle: TcpHandle,
    private readonly shared: HandleShared,
    private readonly buffer: Buffer,
  ) {
    super(shared.buffers);
    shared.handles.attach(handle, buffer, this);
    handle.setNoDelay(true);
  }

  /** Takes a handle just accepted. */
  static accepted(handle: TcpHandle, shared: HandleShared): HandleLink {
    const link = new HandleLink(handle, shared, shared.buffers.client);
    handle.setKeepAlive(true, KEEP_ALIVE_MS / 1_000);
    handle.readStart();
    return link;
  }

  /** `address` is an IP address. */
  static dial(address: string, port: number, shared: HandleShared, onOpen: () => void): HandleLink {
    const { handles, buffers } = shared;
    const link = new HandleLink(handles.create(), shared, buffers.upstream);
    link.countIn(shared.dialled);
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
    const { handles } = this.shared;
    const status = this.handle.writeLatin1String(handles.request, latin1);
    return status === 0 && !handles.isLate ? !this.congested : this.notTaken(status);
  }

  end(onFlushed?: () => void): void {
    if (this.state !== 'open' || this.ending !== 'not yet') return;
    this.ending = 'asked';
    const status = this.shared.handles.end(this.handle, (code) => this.onEnded(code, onFlushed));
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
    if (this.handle.reset() === 0) this.leave();
    else this.close();
  }

  onRead(length: number): void {
    if (length > 0) {
      if (this.shared.turns.take() || length > LATE_READ_BYTES) this.owner.onBytes(this.buffer, length);
      else this.keepForLater(length);
    } else if (length === END_OF_STREAM) {
      this.heardEnd = true;
      this.handle.readStop();
      this.owner.onEnd();
      this.closeIfOver();
    } else if (length < 0) {
      this.fail(length);
    }
  }

  onTurn(): void {
    const bytes = this.lateBytes;
    this.lateBytes = undefined;
    if (bytes === undefined || this.state !== 'open') return;
    if (!this.paused) this.handle.readStart();
    this.owner.onBytes(bytes, bytes.length);
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

  protected writeTogether(latin1: string, bytes: Buffer, start: number, end: number): boolean {
    if (this.state !== 'open') return false;
    const { handles, buffers } = this.shared;
    const { desk } = buffers;
    const length = latin1.length + end - start;
    // A write that waits takes the whole desk with it, however small it is.
    if (this.congested || length > desk.length) return this.write(latin1 + bytes.toString('latin1', start, end));
    if (latin1 !== '') desk.write(latin1, 0, 'latin1');
    bytes.copy(desk, latin1.length, start, end);
    const written = desk.subarray(0, length);
    const status = this.handle.writeBuffer(handles.request, written);
    if (status === 0 && !handles.isLate) return !this.congested;
    buffers.giveDeskAway();
    return this.notTaken(status, written);
  }

  protected stopReading(): void {
    if (this.state === 'open') this.handle.readStop();
  }

  protected startReading(): void {
    if (this.state === 'open' && !this.heardEnd && this.lateBytes === undefined) this.handle.readStart();
  }

  protected writeLasting(bytes: Buffer, slab?: Buffer): boolean {
    if (this.state !== 'open') return false;
    const { handles } = this.shared;
    const status = this.handle.writeBuffer(handles.request, bytes);
    if (status !== 0 || handles.isLate) return this.notTaken(status, bytes, slab);
    if (slab) this.buffers.giveBack(slab);
    return !this.congested;
  }

  private keepForLater(length: number): void {
    this.handle.readStop();
    this.lateBytes = Buffer.from(this.buffer.subarray(0, length));
    this.shared.turns.wait(this);
  }

  private notTaken(status: number, bytes?: Buffer, slab?: Buffer): false {
    this.congested = true;
    if (status !== 0) {
      this.fail(status);
    } else {
      this.late++;
      this.shared.handles.follow(this, bytes, slab);
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
    this.leave();
    this.handle.close(onClosed);
  }

  private leave(): void {
    this.state = 'closing';
    this.countOut();
  }
}
