import { once } from 'node:events';
import { createServer } from 'node:net';
import { PlaygroundError } from './playground.errors';

export interface NeededPort {
  readonly host: string;
  readonly port: number;
  /** Who needs it. */
  readonly what: string;
  /** `everywhere`: the host stands for all addresses of this machine. */
  readonly scope: 'everywhere' | 'address';
  /** What to do when it cannot be had, beside stopping whoever has it. */
  readonly wayOut?: string;
}

/**
 * Looks before anything is started, since a pod could only crash. In the order given: what follows from a port that is taken is not said too.
 *
 * @throws PlaygroundError naming the first that cannot be had, and the way out
 */
export async function assertFree(ports: readonly NeededPort[]): Promise<void> {
  for (const needed of ports) {
    const code = await tryToListen(needed);
    if (code !== undefined) throw new PlaygroundError(describeRefusal(needed, code));
  }
}

/** One sentence. */
export function describeRefusal({ host, port, what, scope, wayOut }: NeededPort, code: string): string {
  const name = scope === 'everywhere' ? `Port ${port}` : `Port ${host}:${port}`;
  switch (code) {
    case 'EADDRINUSE': {
      const how = scope === 'everywhere' ? ' on every address of this machine' : ', perhaps by another playground';
      return `${name}, which ${what} would listen on, is taken${how}: stop whoever has it${wayOut ? `, or ${wayOut}` : ''}.`;
    }
    case 'EACCES':
      return `${name}, which ${what} would listen on, needs permission that this user does not have: ${wayOut ?? 'it has to be given'}.`;
    case 'EADDRNOTAVAIL':
      return `The address ${host}, which ${what} would listen on, is not on this machine: ${wayOut ?? 'it has to be added'}.`;
    default:
      return `${name}, which ${what} would listen on, cannot be had (${code}): ${wayOut ?? 'nothing can be done about it here'}.`;
  }
}

async function tryToListen({ host, port }: NeededPort): Promise<string | undefined> {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen(port, host);
    await listening;
    const closed = once(server, 'close');
    server.close();
    await closed;
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
