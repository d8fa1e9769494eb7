import { once } from 'node:events';
import { createServer } from 'node:net';
import { PlaygroundError } from './playground.errors';

export interface NeededPort {
  readonly host: string;
  readonly port: number;
  /** Who needs it. */
  readonly what: string;
  /** What to do when it cannot be had. */
  readonly wayOut: string;
}

/**
 * Looks before anything is started, since a pod could only crash.
 *
 * @throws PlaygroundError naming every port that cannot be had, and the way out
 */
export async function assertFree(ports: readonly NeededPort[]): Promise<void> {
  const problems: string[] = [];
  for (const needed of ports) {
    const code = await tryToListen(needed);
    if (code !== undefined) problems.push(describe(needed, code));
  }
  if (problems.length > 0) throw new PlaygroundError(problems.join('\n'));
}

function describe({ host, port, what, wayOut }: NeededPort, code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port}, which ${what} would listen on, is taken, perhaps by another playground: stop it, or ${wayOut}.`;
    case 'EACCES':
      return `Port ${port}, which ${what} would listen on, needs permission that this user does not have: ${wayOut}.`;
    case 'EADDRNOTAVAIL':
      return `The address ${host}, which ${what} would listen on, is not on this machine: \`npm start -- --network ports\` does without.`;
    default:
      return `Port ${port} of ${host}, which ${what} would listen on, cannot be had (${code}): ${wayOut}.`;
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
