import { parseArgs } from 'node:util';

/** Whether each pod has an address of its own, or its own ports on 127.0.0.1: macOS has no other loopback address. */
export type PodNetwork = 'addresses' | 'ports';

export type PlaygroundOptions = SimulatorOptions | ClusterOptions | { readonly on: 'paper' };

interface RunOptions {
  /** Of the simulated API server; the addresses of pods and Services follow from it. */
  readonly port: number;
  readonly network: PodNetwork;
  readonly logs: LogChoice;
}

export interface SimulatorOptions extends RunOptions {
  readonly on: 'simulator';
}

export interface ClusterOptions extends RunOptions {
  readonly on: 'cluster';
  readonly kubeconfig: string;
  readonly context?: string;
}

/** Whether what operator and resolver log is shown too. */
export type LogChoice = 'shown' | 'hidden';

/** What is wrong with the command line, all of it. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';

  constructor(readonly mistakes: readonly string[]) {
    super(`${mistakes.join('\n')}\n\n${usage}`);
  }
}

const defaultPort = 6464;
/** Two neighbours are used as well; above are those of the resolver's routes and those that the system gives out. */
const highestPort = 19_990;
const portStep = 10;

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
  if (values.context !== undefined && values.kubeconfig === undefined)
    mistakes.push('--context needs --kubeconfig: the file that has the context.');
  if (mistakes.length > 0) throw new OptionsError(mistakes);

  const logs = values.logs ? 'shown' : 'hidden';
  if (values.help) return { on: 'paper' };
  const run = { port, network: network as PodNetwork, logs } as const;
  if (values.kubeconfig !== undefined) return { on: 'cluster', kubeconfig: values.kubeconfig, context: values.context, ...run };
  return { on: 'simulator', ...run };
}

/** What to type for a run that differs from this one in its port or its network. */
export function formatCommand(
  options: SimulatorOptions | ClusterOptions,
  change: { readonly port?: number; readonly network?: PodNetwork },
): string {
  const { network, logs } = { ...options, ...change };
  const cluster = options.on === 'cluster' ? { kubeconfig: options.kubeconfig, context: options.context } : {};
  const port = change.port ?? (options.port === defaultPort ? undefined : options.port);
  const named = { ...cluster, port: port?.toString(), network: network === 'ports' ? network : undefined };
  const args = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, quote(value)]));
  return ['npm start --', ...args, ...(logs === 'shown' ? ['--logs'] : [])].join(' ');
}

/** A port of which this run uses nothing, nor do its neighbours. */
export function otherPort(port: number): number {
  return port < 1_024 || port + portStep > highestPort ? defaultPort : port + portStep;
}

/** As shells read it. */
function quote(value: string): string {
  return /^[\w./:@~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

function defaultNetwork(platform: NodeJS.Platform): PodNetwork {
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
