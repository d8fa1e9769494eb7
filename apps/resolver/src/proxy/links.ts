import { Socket } from 'node:net';
import { HandleLink } from './handle-link';
import type { Link } from './link';
import { ReadBuffers } from './read-buffers';
import { SocketLink } from './socket-link';
import { type TcpHandle, TcpHandles } from './tcp-handles';

/** Makes the links of one forwarder, which share their memory: by handles where this Node offers them, else by sockets. */
export class Links {
  private readonly buffers = new ReadBuffers();

  constructor(private readonly handles: TcpHandles | undefined = TcpHandles.find()) {}

  /** Of a connection just accepted. */
  accept(source: object | Socket): Link {
    const { handles, buffers } = this;
    if (handles === undefined || source instanceof Socket) return SocketLink.accepted(source, buffers);
    return HandleLink.accepted(source as TcpHandle, handles, buffers);
  }

  /** To an IP address. A connection that fails is reported as closed. */
  dial(address: string, port: number, onOpen: () => void): Link {
    const { handles, buffers } = this;
    if (handles === undefined) return SocketLink.dial(address, port, buffers, onOpen);
    return HandleLink.dial(address, port, handles, buffers, onOpen);
  }
}
