import type { Server, Socket } from 'node:net';

/** The part of a listening handle that hands out connections; net.Server sets this very callback on it. */
interface ListeningHandle {
  onconnection: (error: unknown, handle: object | undefined) => void;
}

/**
 * Gives every connection of a listening server to `take`: as a bare handle where this Node offers it, else as a socket.
 *
 * A handle can be read into one shared buffer, which spares an allocation with every read; sockets that net.Server makes cannot.
 * The handles taken are not counted by the server, so its `close` does not wait for them.
 */
export function acceptConnections(server: Server, take: (source: object | Socket) => void): 'handles' | 'sockets' {
  const handle = (server as Server & { _handle?: Partial<ListeningHandle> | null })._handle;
  if (typeof handle?.onconnection === 'function') {
    handle.onconnection = (error, connection) => {
      if (!error && connection) take(connection);
    };
    return 'handles';
  }
  server.on('connection', take);
  return 'sockets';
}
