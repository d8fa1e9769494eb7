import { getSystemErrorMap, types } from 'node:util';

/** Whoever a handle reports to. */
export interface HandleListener {
  /** More than 0: so many bytes are in the buffer. Less: a code of the operating system, or the end. */
  onRead(length: number): void;
}

/** A write that the kernel has not taken yet. */
export interface WriteRequest {
  oncomplete?: (this: WriteRequest, status: number) => void;
  /** Ours: who wrote, the memory that must last until it is written, and the slab to give back then. */
  writer?: { onWritten(status: number, slab: Buffer | undefined): void };
  bytes?: Buffer;
  slab?: Buffer;
}

export interface EndRequest {
  oncomplete?: (status: number) => void;
}

export interface ConnectRequest {
  oncomplete?: (status: number) => void;
}

/** The methods of Node's own TCP handle that net.Socket calls, with their codes: 0 is good, below 0 is an error. */
export interface TcpHandle {
  listener?: HandleListener;
  onread: (this: TcpHandle) => void;
  readonly bytesRead: number;
  useUserBuffer(buffer: Uint8Array): void;
  readStart(): number;
  readStop(): number;
  writeLatin1String(request: WriteRequest, latin1: string): number;
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number;
  /** 1: done at once. */
  shutdown(request: EndRequest): number;
  connect(request: ConnectRequest, address: string, port: number): number;
  connect6(request: ConnectRequest, address: string, port: number): number;
  setNoDelay(noDelay: boolean): number;
  setKeepAlive(keepAlive: boolean, initialDelaySeconds: number): number;
  getpeername(out: { address?: string }): number;
  reset(): number;
  close(onClosed?: () => void): void;
}

interface StreamBinding {
  readonly WriteWrap: new () => WriteRequest;
  readonly ShutdownWrap: new () => EndRequest;
  readonly streamBaseState: Int32Array;
  readonly kReadBytesOrError: number;
  readonly kLastWriteWasAsync: number;
}

interface TcpBinding {
  readonly TCP: new (type: number) => TcpHandle;
  readonly TCPConnectWrap: new () => ConnectRequest;
  readonly constants: { readonly SOCKET: number };
}

/** What the operating system's codes are called by libuv, the end of a stream among them. */
const codes = new Map([...getSystemErrorMap()].map(([code, [name]]) => [name, code]));
export const END_OF_STREAM = codes.get('EOF');
export const NOT_CONNECTED = codes.get('ENOTCONN');

/**
 * The TCP handles beneath net.Socket.
 *
 * Why not sockets: of the processor time of a forwarded request, a tenth went into the streams around the handle, and of a held one
 * a third. Node's own modules get the same objects from the same place; it is not in the documentation, so `find` looks whether all
 * is there, and where it is not, sockets do the work.
 */
export class TcpHandles {
  /** One serves every write that the kernel takes at once: only one that it does not take is kept by Node. */
  private spare: WriteRequest;
  private readonly onRead: TcpHandle['onread'];

  private constructor(
    private readonly streams: StreamBinding,
    private readonly tcp: TcpBinding,
  ) {
    const { streamBaseState, kReadBytesOrError } = streams;
    this.spare = new streams.WriteWrap();
    this.onRead = function () {
      this.listener?.onRead(streamBaseState[kReadBytesOrError] ?? 0);
    };
  }

  static find(): TcpHandles | undefined {
    const { binding } = process as unknown as { binding?: (name: string) => unknown };
    if (typeof binding !== 'function') return undefined;
    const streams = binding('stream_wrap') as Partial<StreamBinding>;
    const tcp = binding('tcp_wrap') as Partial<TcpBinding>;
    return isWhole(streams) && isTcp(tcp) ? new TcpHandles(streams, tcp) : undefined;
  }

  /** The listener hears what comes from now on, once reading has begun; all bytes come in this buffer. */
  attach(handle: TcpHandle, buffer: Uint8Array, listener: HandleListener): void {
    handle.listener = listener;
    handle.useUserBuffer(buffer);
    handle.onread = this.onRead;
  }

  create(): TcpHandle {
    return new this.tcp.TCP(this.tcp.constants.SOCKET);
  }

  connect(handle: TcpHandle, address: string, port: number, onConnected: (status: number) => void): number {
    const request = new this.tcp.TCPConnectWrap();
    request.oncomplete = onConnected;
    return address.includes(':') ? handle.connect6(request, address, port) : handle.connect(request, address, port);
  }

  end(handle: TcpHandle, onEnded: (status: number) => void): number {
    const request = new this.streams.ShutdownWrap();
    request.oncomplete = onEnded;
    return handle.shutdown(request);
  }

  /** The request for the next write: used up only when `isLate` says so after it. */
  get request(): WriteRequest {
    return this.spare;
  }

  /** Whether the last write of all handles is not yet with the kernel. */
  get isLate(): boolean {
    return this.streams.streamBaseState[this.streams.kLastWriteWasAsync] === 1;
  }

  /** The last write is late: its writer is told when it is done. */
  follow(writer: NonNullable<WriteRequest['writer']>, bytes: Buffer | undefined, slab: Buffer | undefined): void {
    const request = this.spare;
    this.spare = new this.streams.WriteWrap();
    request.writer = writer;
    request.bytes = bytes;
    request.slab = slab;
    request.oncomplete = reportWritten;
  }
}

function reportWritten(this: WriteRequest, status: number): void {
  this.writer?.onWritten(status, this.slab);
}

function isWhole(found: Partial<StreamBinding>): found is StreamBinding {
  const { WriteWrap, ShutdownWrap, streamBaseState, kReadBytesOrError, kLastWriteWasAsync } = found;
  const isThere = typeof WriteWrap === 'function' && typeof ShutdownWrap === 'function' && types.isInt32Array(streamBaseState);
  return isThere && typeof kReadBytesOrError === 'number' && typeof kLastWriteWasAsync === 'number' && END_OF_STREAM !== undefined;
}

function isTcp(found: Partial<TcpBinding>): found is TcpBinding {
  const methods = [
    'useUserBuffer',
    'readStart',
    'readStop',
    'writeLatin1String',
    'writeBuffer',
    'shutdown',
    'connect',
    'connect6',
    'reset',
    'close',
  ];
  const prototype = found.TCP?.prototype as Record<string, unknown> | undefined;
  return typeof found.TCPConnectWrap === 'function' && methods.every((method) => typeof prototype?.[method] === 'function');
}
