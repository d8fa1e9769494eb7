import { connect, Socket } from 'node:net';

import type { ReadBuffers } from './read-buffers';

/** Who a link reports to. */
export interface LinkOwner {
  /** `bytes` are good until the call returns, unless `Link.isShared` says otherwise. */
  onBytes(bytes: Buffer, length: number): void;
  onDrain(): void;
  /** The other side writes no more. */
  onEnd(): void;
  /** The link is gone, and not by our own `destroy`. */
  onClosed(error: Error | undefined): void;
}

/** A connection without traffic for this long is probed: whoever vanished without a word would stay open for ever. */
const KEEP_ALIVE_MS = 30_000;

const NOBODY: LinkOwner = { onBytes: () => undefined, onDrain: () => undefined, onEnd: () => undefined, onClosed: () => undefined };

/** Up to this size a string costs less than a copy: the kernel takes it at once, nearly always. */
const STRING_LIMIT_BYTES = 16 * 1024;

/**
 * A socket and the one who listens to it.
 *
 * After `destroy` the owner hears nothing any more; after a close, whoever closed, no listener is left on the socket.
 */
export class Link {
  owner: LinkOwner = NOBODY;
  private socket!: Socket;
  private paused = false;
  private congested = false;
  private error: Error | undefined;

  private constructor(private readonly buffers: ReadBuffers) {}

  /** Takes a connection just accepted: a bare handle is read into the shared buffer, a socket by its events. */
  static accepted(source: object | Socket, buffers: ReadBuffers): Link {
    const link = new Link(buffers);
    if (source instanceof Socket) {
      source.on('data', (bytes: Buffer) => link.owner.onBytes(bytes, bytes.length));
      link.attach(source);
      source.setKeepAlive(true, KEEP_ALIVE_MS);
      return link;
    }
    // `handle` is what net.Server itself passes here; it is not in the documentation.
    const options = { handle: source, allowHalfOpen: true, onread: link.reading(buffers.client) };
    link.attach(new Socket(options as ConstructorParameters<typeof Socket>[0]));
    link.socket.setNoDelay(true);
    link.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return link;
  }

  static dial(address: string, port: number, buffers: ReadBuffers, onOpen: () => void): Link {
    const link = new Link(buffers);
    const onread = link.reading(buffers.upstream);
    const kept = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const socket = connect({ host: address, port, noDelay: true, ...kept, allowHalfOpen: true, autoSelectFamily: false, onread });
    socket.once('connect', onOpen);
    link.attach(socket);
    return link;
  }

  get remoteAddress(): string {
    const address = this.socket.remoteAddress ?? 'unknown';
    return address.startsWith('::ffff:') ? address.slice(7) : address;
  }

  /** Bytes of a shared buffer must be copied by whoever wants to keep them. */
  isShared(bytes: Buffer): boolean {
    return this.buffers.isShared(bytes);
  }

  /** These three give false when the other side takes less than it is given: wait for `onDrain`. */
  write(latin1: string): boolean {
    return this.taken(this.socket.write(latin1, 'latin1'));
  }

  writeBytes(bytes: Buffer, start: number, end: number): boolean {
    if (start === end) return !this.isCongested;
    if (!this.buffers.isShared(bytes)) return this.taken(this.socket.write(bytes.subarray(start, end)));
    if (end - start <= STRING_LIMIT_BYTES) return this.write(bytes.toString('latin1', start, end));
    const slab = this.buffers.slab(end - start);
    bytes.copy(slab, 0, start, end);
    return this.taken(this.socket.write(slab.subarray(0, end - start), () => this.buffers.giveBack(slab)));
  }

  /** One write instead of two, when the bytes are few. */
  writeWith(latin1: string, bytes: Buffer, start: number, end: number): boolean {
    if (end - start <= STRING_LIMIT_BYTES) return this.write(end === start ? latin1 : latin1 + bytes.toString('latin1', start, end));
    this.write(latin1);
    return this.writeBytes(bytes, start, end);
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.socket.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.socket.resume();
  }

  /** Whether what was written still waits for the other side to take it. */
  get isCongested(): boolean {
    return this.congested;
  }

  /** Writes no more; `onFlushed` is called once all is with the kernel, unless the link is lost before. */
  end(onFlushed?: () => void): void {
    if (onFlushed) this.socket.once('finish', onFlushed);
    this.socket.end();
  }

  destroy(): void {
    this.owner = NOBODY;
    this.socket.destroy();
  }

  /** Ends the connection so that the other side cannot take it for a proper end. */
  reset(): void {
    this.owner = NOBODY;
    this.socket.resetAndDestroy();
  }

  private taken(all: boolean): boolean {
    if (!all) this.congested = true;
    return all;
  }

  private reading(buffer: Buffer): { buffer: Buffer; callback: (length: number, bytes: Uint8Array) => boolean } {
    return {
      buffer,
      callback: (length) => {
        this.owner.onBytes(buffer, length);
        return true;
      },
    };
  }

  private attach(socket: Socket): void {
    this.socket = socket;
    socket.on('drain', () => {
      this.congested = false;
      this.owner.onDrain();
    });
    socket.on('end', () => this.owner.onEnd());
    socket.on('error', (error) => (this.error = error));
    socket.on('close', () => {
      socket.removeAllListeners();
      // A write still on its way may fail after the close.
      socket.on('error', () => undefined);
      this.owner.onClosed(this.error);
      this.owner = NOBODY;
    });
    socket.resume();
  }
}
