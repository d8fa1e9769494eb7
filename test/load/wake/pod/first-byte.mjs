import { connect } from 'node:net';
import { nowMs } from './clock.mjs';

/** Sends one request on a connection of its own and tells when that was, when the first byte of the answer came, and its head. */
export function firstByte(host, port) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const socket = connect({ host, port, noDelay: true });
  let sentAtMs;
  socket.on('error', reject);
  socket.on('connect', () => {
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nX-Elasti-Timing: 1\r\nConnection: close\r\n\r\n`);
    sentAtMs = nowMs();
  });
  socket.once('data', (bytes) => {
    resolve({ sentAtMs, firstByteAtMs: nowMs(), head: bytes.toString('latin1').split('\r\n\r\n')[0] });
    socket.destroy();
  });
  socket.on('close', () => reject(new Error('closed without an answer')));
  return promise;
}
