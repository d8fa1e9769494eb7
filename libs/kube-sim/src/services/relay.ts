import { type Socket, connect } from 'node:net';
import { type Backend } from './endpoint-choice';

/**
 * Carries the bytes of one connection to a backend and back, each way at the pace of who reads them and until it ends by itself.
 *
 * Either side's failure resets the other. The answer is the socket to the backend.
 */
export function relay(client: Socket, backend: Backend): Socket {
  const upstream = connect({ ...backend, allowHalfOpen: true, noDelay: true });
  client.setNoDelay(true);
  linkFailures(client, upstream);
  client.pipe(upstream);
  upstream.pipe(client);
  return upstream;
}

function linkFailures(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => undefined);
    // Gone before it had said and heard everything: by an error, or by somebody's destroy.
    from.on('close', () => {
      if (!from.readableEnded || !from.writableFinished) to.resetAndDestroy();
    });
  }
}
