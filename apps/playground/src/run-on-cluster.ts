import { ElastiService } from '@elasti/api';
import {
  CustomResourceDefinition,
  Deployment,
  KubeClient,
  KitMetrics,
  Namespace,
  SharedCache,
  silentLogger,
  untilAborted,
  withTimeout,
} from '@elasti/operator-kit';
import { access, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { installationNamespace, planNetwork, resolverServiceName } from './manifests';
import { listNeededPorts } from './needed-ports';
import type { ClusterOptions } from './options';
import type { PlaygroundPlace } from './playground-place';
import { assertFree, InstalledSimulator, LastWords, PlaygroundError } from './system';

const readyWithinMs = 90_000;
/** The cluster stays: the operator gives its Lease back, and the resolver answers what it holds. */
const endWithinMs = 5_000;

/**
 * Operator and resolver as local processes that work on somebody's cluster, for development, until the signal fires.
 *
 * They are pods of a simulator all the same, which starts them anew when they crash and lets none outlive this process; nothing else of it is used.
 * @throws PlaygroundError
 */
export async function runOnCluster(options: ClusterOptions, place: PlaygroundPlace, signal: AbortSignal): Promise<void> {
  const { root, folder, clock, view } = place;
  const { port, network } = options;
  const plan = planNetwork(port, network);
  const kubeconfig = await findKubeconfig(options, folder);
  const server = await checkCluster(options, signal);
  await assertFree(listNeededPorts(options, plan));
  const lastWords = new LastWords();
  const simulator = await InstalledSimulator.start({
    root,
    folder,
    port,
    network,
    plan,
    // Logging in may need anything of it: profiles, proxies, agents.
    elsewhere: { kubeconfig, env: ownEnvironment() },
    onOutput: (pod, line) => {
      lastWords.add(`${pod}: ${line}`);
      if (options.logs === 'shown') view.say(`${pod}: ${line}`);
    },
    onRefused: (message) => view.say(message),
  });
  try {
    const reason = () =>
      new PlaygroundError(`Operator and resolver were not ready within ${readyWithinMs / 1_000} s. Their last words:\n${lastWords.text}`);
    await withTimeout({ clock, timeoutMs: readyWithinMs, reason, signal }, (limited) => untilReady(simulator, place, limited));
    const shared = simulator.addressOf(installationNamespace, resolverServiceName, 'http-resolver-reverse-proxy') ?? '';
    view.say(formatAdvice(server, shared, options));
    await untilAborted(new Promise<never>(() => undefined), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await simulator.stop(endWithinMs);
  }
}

/** `--context` chooses in a further file, which comes first, as kubectl merges them. */
async function findKubeconfig({ kubeconfig, context }: ClusterOptions, folder: string): Promise<string> {
  const path = pathOf(kubeconfig);
  await access(path).catch((cause: unknown) => {
    throw new PlaygroundError(`There is no file ${path} that this user can read: give the path of a kubeconfig.`, { cause });
  });
  if (context === undefined) return path;
  const choice = join(folder, 'context');
  await writeFile(choice, JSON.stringify({ apiVersion: 'v1', kind: 'Config', 'current-context': context }));
  return [choice, path].join(delimiter);
}

/** npm runs scripts in the repository's folder, wherever it was called. */
function pathOf(kubeconfig: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), kubeconfig);
}

/** @throws PlaygroundError when it cannot be talked to, or lacks what operator and resolver need */
async function checkCluster({ kubeconfig, context }: ClusterOptions, signal: AbortSignal): Promise<string> {
  const missing: string[] = [];
  const crd = ElastiService.crd().metadata.name ?? '';
  let client: KubeClient | undefined;
  try {
    client = await KubeClient.fromKubeConfig({ path: pathOf(kubeconfig), context });
    if (!(await client.find(CustomResourceDefinition, { name: crd }, { signal }))) missing.push(`the CustomResourceDefinition ${crd}`);
    if (!(await client.find(Namespace, { name: installationNamespace }, { signal })))
      missing.push(`the Namespace ${installationNamespace}`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PlaygroundError(`The cluster of ${kubeconfig} cannot be used: ${why}`, { cause });
  } finally {
    await client?.close();
  }
  if (missing.length > 0) {
    throw new PlaygroundError(
      `The cluster of ${kubeconfig} lacks ${missing.join(' and ')}: \`npm run synth\`, and apply what infra/manifests/elasti has of them.`,
    );
  }
  return context === undefined ? 'its current context' : `the context ${context}`;
}

async function untilReady({ client }: InstalledSimulator, { clock }: PlaygroundPlace, signal: AbortSignal): Promise<void> {
  const caches = new SharedCache({ reader: client, clock, logger: silentLogger, metrics: new KitMetrics() });
  try {
    const deployments = caches.acquire(Deployment, { namespace: installationNamespace });
    const ready = Promise.withResolvers<undefined>();
    deployments.subscribe(() => {
      const all = deployments.list();
      if (all.length > 1 && all.every(({ status }) => (status?.readyReplicas ?? 0) > 0)) ready.resolve(undefined);
    });
    await untilAborted(ready.promise, signal);
  } finally {
    await caches.stop();
  }
}

function ownEnvironment(): Record<string, string> {
  const { ELASTI_PLAYGROUND_FOLDER, ...env } = process.env;
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function formatAdvice(which: string, shared: string, { kubeconfig }: ClusterOptions): string {
  // The operator has this process's environment.
  const { ELASTI_RESOLVER_ABSENCE: absence = '30s' } = process.env;
  return `
Operator and resolver run on this machine, outside of the cluster of ${kubeconfig} (${which}), for development.

What works:
- The operator reconciles the ElastiServices of the cluster, once it leads: an operator inside the cluster would have to stop first.
- A request to the local resolver that names a service wakes it, and is forwarded where this machine reaches the addresses of pods:
    curl -H 'Host: SERVICE.NAMESPACE' http://${shared}/
What does not:
- The cluster's Services cannot lead to a resolver outside of it. Unless resolvers run inside too, nothing is put to sleep: scale a target to 0 yourself to see it woken.
- Without resolvers inside, the operator brings every sleeping target back by itself, ${absence} after it has begun to lead. For more time: ELASTI_RESOLVER_ABSENCE=1h npm start -- ...

Ctrl-C ends both, and leaves the cluster as it is.
`;
}
