import { connect, Socket } from 'node:net';
import { KEEP_ALIVE_MS, Link, NOBODY, type OpenCount, plainAddress } from './link';
import type { ReadBuffers } from './read-buffers';

/** A link by net.Socket, for a Node whose handles are not what we know. */
export class SocketLink extends Link {
  readonly hasUnread = false;
  /** What a socket was given may be with the kernel. */
  readonly isAllGiven = true;
  private socket!: Socket;
  private error: Error | undefined;

  /** Takes a connection just accepted: a bare handle is read into the shared buffer, a socket by its events. */
  static accepted(source: object | Socket, buffers: ReadBuffers): SocketLink {
    const link = new SocketLink(buffers);
    if (source instanceof Socket) {
      source.on('data', (bytes: Buffer) => link.owner.onBytes(bytes, bytes.length));
      link.attach(source);
    } else {
      // `handle` is what net.Server itself passes here; it is not in the documentation.
      const options = { handle: source, allowHalfOpen: true, onread: link.reading(buffers.client) };
      link.attach(new Socket(options as ConstructorParameters<typeof Socket>[0]));
      link.socket.setNoDelay(true);
    }
    link.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return link;
  }

  static dial(address: string, port: number, buffers: ReadBuffers, dialled: OpenCount, onOpen: () => void): SocketLink {
    const link = new SocketLink(buffers);
    link.countIn(dialled);
    const onread = link.reading(buffers.upstream);
    const kept = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const socket = connect({ host: address, port, noDelay: true, ...kept, allowHalfOpen: true, autoSelectFamily: false, onread });
    socket.once('connect', onOpen);
    link.attach(socket);
    return link;
  }

  get remoteAddress(): string {
    return plainAddress(this.socket.remoteAddress);
  }

  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  withdraw(): void {
    // What a socket was given may be with the kernel.
  }

  write(latin1: string): boolean {
    this.given += latin1.length;
    return this.taken(this.socket.write(latin1, 'latin1'));
  }

  end(onFlushed?: () => void): void {
    // A socket that ends tells no drain.
    this.socket.once('finish', () => {
      this.congested = false;
      onFlushed?.();
    });
    this.socket.end();
  }

  destroy(): void {
    this.owner = NOBODY;
    this.socket.destroy();
  }

  reset(): void {
    this.owner = NOBODY;
    this.socket.resetAndDestroy();
  }

  protected writeTogether(latin1: string, bytes: Buffer, start: number, end: number): boolean {
    return this.write(latin1 + bytes.toString('latin1', start, end));
  }

  protected stopReading(): void {
    this.socket.pause();
  }

  protected startReading(): void {
    this.socket.resume();
  }

  protected writeLasting(bytes: Buffer, slab?: Buffer): boolean {
    this.given += bytes.length;
    return this.taken(this.socket.write(bytes, () => slab && this.buffers.giveBack(slab)));
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
      this.countOut();
      socket.removeAllListeners();
      // A write still on its way may fail after the close.
      socket.on('error', () => undefined);
      this.owner.onClosed(this.error);
      this.owner = NOBODY;
    });
    socket.resume();
  }
}
