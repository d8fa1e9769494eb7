import { connect } from 'node:net';
import type { TryConnect } from './rehearsal';

/** Leaves no socket behind, however it ends. */
export const tcpConnect: TryConnect = (address, port, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const socket = connect({ host: address, port });
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      settle();
    };
    const onAbort = () => end(() => reject(signal.reason as Error));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('connect', () => end(resolve));
    // Stays for errors that come after the end, which would bring the process down.
    socket.on('error', (error) => end(() => reject(error)));
  });
