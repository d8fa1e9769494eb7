import type { Server } from 'node:net';
import type { Logger } from '@elasti/operator-kit';
import type { RouteIdentity } from './route-claim';
import type { OpenPort, PortOpener } from './route-listeners';

/** Connections that may wait to be accepted; the kernel has its own limit above it. */
const backlog = 4_096;

/** Opens ports with `node:net`; the server that is made for each decides what becomes of its connections. */
export function netPortOpener(
  createServer: (identityOf: () => RouteIdentity | undefined) => Server,
  { host, logger }: { readonly host?: string; readonly logger: Logger },
): PortOpener {
  return (resolverPort, identityOf) =>
    new Promise<OpenPort>((resolve, reject) => {
      const server = createServer(identityOf);
      server.once('error', reject);
      server.listen({ port: resolverPort, host, backlog }, () => {
        server.off('error', reject);
        // Too many open files and the like: the port goes on listening.
        server.on('error', (error) => logger.warn('connection could not be accepted', { resolverPort, error }));
        resolve({ close: () => void server.close() });
      });
    });
}
