import { getSystemErrorName } from 'node:util';
import { KEEP_ALIVE_MS, Link, NOBODY, type OpenCount, plainAddress } from './link';
import type { ReadBuffers } from './read-buffers';
import type { LateRead, ReadTurns } from './read-turns';
import { END_OF_STREAM, type HandleListener, NOT_CONNECTED, type TcpHandle, type TcpHandles } from './tcp-handles';
import type { LateWriter, Side, WriteTurns } from './write-turns';

/** What all links by handles share. */
export interface HandleShared {
  readonly handles: TcpHandles;
  readonly buffers: ReadBuffers;
  readonly turns: ReadTurns;
  readonly writes: WriteTurns;
  readonly dialled: OpenCount;
}

/** What waits for a later turn is a copy that no queue counts, so it is small: a crowd sends heads. Larger pieces go at once. */
const LATE_READ_BYTES = 4 * 1024;

/** Larger writes go at once: they take longer than what is saved by waiting. */
const LATE_WRITE_BYTES = 16 * 1024;

/**
 * A link by a bare TCP handle, without the streams of net.Socket around it.
 *
 * Its owner is never called from inside one of its own calls but for `end` with nothing left to write. Once both directions have ended,
 * or an error has, the handle is closed and `onClosed` follows in a later turn.
 */
export class HandleLink extends Link implements HandleListener, LateRead, LateWriter {
  private state: 'open' | 'closing' = 'open';
  /** Writes that the kernel has not taken yet. */
  private late = 0;
  private ending: 'not yet' | 'asked' | 'done' = 'not yet';
  private heardEnd = false;
  /** Why a write failed. Nothing more is written then, but what the other side had said before is still read: it may be its answer. */
  private failure = 0;
  /** Something was written that the kernel was never given. */
  private hasDropped = false;

  /** Read when the turn was spent. */
  private lateBytes: Buffer | undefined;

  /** Written, and to go out when the turn's reading is over, or with whatever comes after it. */
  private waiting: string | Buffer | undefined;

  private constructor(
    private readonly handle: TcpHandle,
    private readonly shared: HandleShared,
    private readonly buffer: Buffer,
    private readonly side: Side,
  ) {
    super(shared.buffers);
    shared.handles.attach(handle, buffer, this);
    handle.setNoDelay(true);
  }

  /** Takes a handle just accepted. */
  static accepted(handle: TcpHandle, shared: HandleShared): HandleLink {
    const link = new HandleLink(handle, shared, shared.buffers.client, 'client');
    handle.setKeepAlive(true, KEEP_ALIVE_MS / 1_000);
    handle.readStart();
    return link;
  }

  /** `address` is an IP address. */
  static dial(address: string, port: number, shared: HandleShared, onOpen: () => void): HandleLink {
    const { handles, buffers } = shared;
    const link = new HandleLink(handles.create(), shared, buffers.upstream, 'pod');
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

  get hasUnread(): boolean {
    return this.lateBytes !== undefined;
  }

  get isAllGiven(): boolean {
    return this.waiting === undefined && !this.hasDropped;
  }

  write(latin1: string): boolean {
    if (this.mayWait(latin1.length)) return this.wait(latin1);
    this.flush();
    return this.writeText(latin1);
  }

  flush(): void {
    const { waiting } = this;
    if (waiting === undefined) return;
    this.waiting = undefined;
    if (typeof waiting === 'string') this.writeText(waiting);
    else this.writeDesk(waiting);
    if (!this.hasDropped) this.owner.onGiven?.();
  }

  withdraw(): void {
    if (this.waiting === undefined) return;
    this.waiting = undefined;
    this.hasDropped = true;
  }

  end(onFlushed?: () => void): void {
    if (this.state !== 'open' || this.ending !== 'not yet') return;
    this.flush();
    if (this.failure !== 0) return;
    this.ending = 'asked';
    const status = this.shared.handles.end(this.handle, (code) => this.onEnded(code, onFlushed));
    if (status === 1 || status === NOT_CONNECTED) this.onEnded(0, onFlushed);
    else if (status < 0) this.fail(status);
  }

  destroy(): void {
    this.owner = NOBODY;
    this.flush();
    this.close();
  }

  reset(): void {
    this.owner = NOBODY;
    this.flush();
    if (this.state !== 'open') return;
    // Not possible while an end waits for its bytes.
    if (this.handle.reset() === 0) this.leave();
    else this.close();
  }

  onRead(length: number): void {
    if (length > 0) {
      const { turns, writes } = this.shared;
      if (!turns.take() && length <= LATE_READ_BYTES) {
        this.keepForLater(length);
        return;
      }
      writes.reading = turns.isCrowded ? 'much' : 'little';
      this.owner.onBytes(this.buffer, length);
      writes.reading = 'nothing';
    } else if (length < 0 && this.failure !== 0) {
      this.fail(this.failure);
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
    if (!this.mayWrite) return;
    if (status < 0) {
      this.onWriteFailed(status);
    } else if (this.late === 0) {
      this.congested = false;
      this.owner.onDrain();
    }
  }

  protected writeTogether(latin1: string, bytes: Buffer, start: number, end: number): boolean {
    if (!this.mayWrite) return this.drop();
    const { handles, buffers, writes } = this.shared;
    const { desk } = buffers;
    const length = latin1.length + end - start;
    const reserved = this.mayWait(length) ? writes.reserve(length) : undefined;
    if (reserved) {
      putTogether(reserved, latin1, bytes, start, end);
      return this.wait(reserved);
    }
    this.flush();
    // A write that waits takes the whole desk with it, however small it is.
    if (this.congested || length > desk.length) return this.write(latin1 + bytes.toString('latin1', start, end));
    putTogether(desk, latin1, bytes, start, end);
    const written = desk.subarray(0, length);
    const status = this.handle.writeBuffer(handles.request, written);
    if (status === 0) this.given += length;
    if (status === 0 && !handles.isLate) return !this.congested;
    buffers.giveDeskAway();
    return this.notTaken(status, written);
  }

  protected stopReading(): void {
    if (this.state !== 'open') return;
    this.handle.readStop();
    if (this.failure !== 0) this.fail(this.failure);
  }

  protected startReading(): void {
    if (this.state === 'open' && !this.heardEnd && this.lateBytes === undefined) this.handle.readStart();
  }

  protected writeLasting(bytes: Buffer, slab?: Buffer): boolean {
    this.flush();
    if (!this.mayWrite) {
      if (slab) this.buffers.giveBack(slab);
      return this.drop();
    }
    const { handles } = this.shared;
    const status = this.handle.writeBuffer(handles.request, bytes);
    if (status === 0) this.given += bytes.length;
    if (status !== 0 || handles.isLate) return this.notTaken(status, bytes, slab);
    if (slab) this.buffers.giveBack(slab);
    return !this.congested;
  }

  /** Never behind something that is on its way already, and one at a time: a second takes the first with it. */
  private mayWait(lengthBytes: number): boolean {
    const { reading } = this.shared.writes;
    if (reading === 'nothing' || (reading === 'little' && !this.isCautious)) return false;
    return this.waiting === undefined && !this.congested && this.mayWrite && lengthBytes <= LATE_WRITE_BYTES;
  }

  /** Counts as taken: whether it is shows with the next write. */
  private wait(written: string | Buffer): true {
    this.waiting = written;
    this.shared.writes.wait(this, this.side);
    return true;
  }

  private get mayWrite(): boolean {
    return this.state === 'open' && this.failure === 0;
  }

  private drop(): false {
    this.hasDropped = true;
    return false;
  }

  private writeText(latin1: string): boolean {
    if (!this.mayWrite) return this.drop();
    const { handles } = this.shared;
    const status = this.handle.writeLatin1String(handles.request, latin1);
    if (status === 0) this.given += latin1.length;
    return status === 0 && !handles.isLate ? !this.congested : this.notTaken(status, latin1);
  }

  private writeDesk(reserved: Buffer): boolean {
    if (!this.mayWrite) return this.drop();
    const { handles, writes } = this.shared;
    const status = this.handle.writeBuffer(handles.request, reserved);
    if (status === 0) this.given += reserved.length;
    if (status === 0 && !handles.isLate) return true;
    writes.giveDeskAway(reserved);
    return this.notTaken(status, reserved);
  }

  private keepForLater(length: number): void {
    this.handle.readStop();
    this.lateBytes = Buffer.from(this.buffer.subarray(0, length));
    this.shared.turns.wait(this);
  }

  private notTaken(status: number, written: string | Buffer, slab?: Buffer): false {
    this.congested = true;
    if (status !== 0) {
      if (slab) this.buffers.giveBack(slab);
      this.drop();
      this.onWriteFailed(status);
    } else {
      this.late++;
      this.shared.handles.follow(this, typeof written === 'string' ? undefined : written, slab);
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

  /** Reading will come to the end of what was said. Where nobody reads, its owner must know at once: it may wait for just this link before it reads again. */
  private onWriteFailed(code: number): void {
    this.failure = code;
    this.congested = true;
    if (this.heardEnd || this.paused) this.fail(code);
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

function putTogether(desk: Buffer, latin1: string, bytes: Buffer, start: number, end: number): void {
  if (latin1 !== '') desk.write(latin1, 0, 'latin1');
  bytes.copy(desk, latin1.length, start, end);
}
