import { parseArgs } from 'node:util';

/** Whether each pod has an address of its own, or its own ports on 127.0.0.1: macOS has no other loopback address. */
export type PodNetwork = 'addresses' | 'ports';

export type PlaygroundOptions =
  | {
      readonly on: 'simulator';
      /** Of the simulated API server; the addresses of pods and Services follow from it. */
      readonly port: number;
      readonly network: PodNetwork;
      readonly logs: LogChoice;
    }
  | { readonly on: 'cluster'; readonly kubeconfig: string; readonly context?: string; readonly port: number; readonly logs: LogChoice }
  | { readonly on: 'paper' };

/** Whether what operator and resolver log is shown too. */
export type LogChoice = 'shown' | 'hidden';

/** What is wrong with the command line, all of it. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';

  constructor(readonly mistakes: readonly string[]) {
    super(`${mistakes.join('\n')}\n\n${usage}`);
  }
}

export const defaultPort = 6464;
/** Two neighbours are used as well; above are those of the resolver's routes and those that the system gives out. */
const highestPort = 19_990;

export const usage = `npm start -- [options]
  --port N             port of the simulated API server (default ${defaultPort}); another one for each playground on this machine
  --network N          addresses: every pod has a loopback address of its own; ports: all share 127.0.0.1, as they must on macOS
  --logs               shows what operator and resolver log, too
  --kubeconfig F       no simulator: operator and resolver as local processes against the cluster of this file, for development
  --context C          the context of that file to use`;

/** @throws OptionsError */
export function parseOptions(args: readonly string[], platform: NodeJS.Platform): PlaygroundOptions {
  const { values, mistakes } = readArgs(args);
  const port = Number(values.port ?? defaultPort);
  if (!Number.isInteger(port) || port < 1 || port > highestPort) mistakes.push(`--port must be a number from 1 to ${highestPort}.`);
  const network = values.network ?? defaultNetwork(platform);
  if (network !== 'addresses' && network !== 'ports') mistakes.push('--network must be addresses or ports.');
  else if (network === 'addresses' && platform === 'darwin')
    mistakes.push('--network must be ports on macOS, which has one loopback address.');
  if (values.kubeconfig !== undefined && values.network !== undefined)
    mistakes.push('--network is for the simulator: leave it out with --kubeconfig.');
  if (values.context !== undefined && values.kubeconfig === undefined)
    mistakes.push('--context needs --kubeconfig: the file that has the context.');
  if (mistakes.length > 0) throw new OptionsError(mistakes);

  const logs = values.logs ? 'shown' : 'hidden';
  if (values.help) return { on: 'paper' };
  if (values.kubeconfig !== undefined) return { on: 'cluster', kubeconfig: values.kubeconfig, context: values.context, port, logs };
  return { on: 'simulator', port, network: network as PodNetwork, logs };
}

export function defaultNetwork(platform: NodeJS.Platform): PodNetwork {
  return platform === 'darwin' ? 'ports' : 'addresses';
}

interface Values {
  port?: string;
  network?: string;
  kubeconfig?: string;
  context?: string;
  logs?: boolean;
  help?: boolean;
}

function readArgs(args: readonly string[]): { values: Values; mistakes: string[] } {
  const options = {
    port: { type: 'string' },
    network: { type: 'string' },
    kubeconfig: { type: 'string' },
    context: { type: 'string' },
    logs: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  try {
    return { values: parseArgs({ args: [...args], options }).values, mistakes: [] };
  } catch (error) {
    return { values: {}, mistakes: [error instanceof Error ? error.message : String(error)] };
  }
}
