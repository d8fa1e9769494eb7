import { Socket } from 'node:net';
import type { Clock } from '@elasti/operator-kit';
import { HandleLink, type HandleShared } from './handle-link';
import type { Link, OpenCount } from './link';
import { ReadBuffers } from './read-buffers';
import { ReadTurns } from './read-turns';
import { SocketLink } from './socket-link';
import { type TcpHandle, TcpHandles } from './tcp-handles';
import { WriteTurns } from './write-turns';

/** Makes the links of one forwarder, which share their memory: by handles where this Node offers them, else by sockets. */
export class Links {
  private readonly buffers = new ReadBuffers();
  private readonly shared: HandleShared | undefined;
  private readonly dialled: OpenCount = { open: 0 };

  /** `sockets` does without what Node does not document. */
  constructor(clock: Clock, by: 'handles' | 'sockets' = 'handles') {
    const handles = by === 'handles' ? TcpHandles.find() : undefined;
    const { buffers, dialled } = this;
    const writes = new WriteTurns();
    this.shared = handles && { handles, buffers, turns: new ReadTurns(clock, writes), writes, dialled };
  }

  /** Of those that were dialled, whatever is spoken on them. */
  get openDialled(): number {
    return this.dialled.open;
  }

  /** Of a connection just accepted. */
  accept(source: object | Socket): Link {
    const { shared, buffers } = this;
    if (shared === undefined || source instanceof Socket) return SocketLink.accepted(source, buffers);
    return HandleLink.accepted(source as TcpHandle, shared);
  }

  /** To an IP address. A connection that fails is reported as closed. */
  dial(address: string, port: number, onOpen: () => void): Link {
    const { shared, buffers, dialled } = this;
    if (shared === undefined) return SocketLink.dial(address, port, buffers, dialled, onOpen);
    return HandleLink.dial(address, port, shared, onOpen);
  }
}
