import { EndpointSlice, type KubeClient, Lease, Pod } from '@elasti/operator-kit';
import { eventually } from '../../eventually';
import { applyYaml, kubectl } from '../kubectl';
import { logsOf } from '../pod-logs';
import { elastiFolder, setVariables, synthesizedObjects } from '../synthesized';
import { stubResolverManifests, tokenFile } from './stub-resolver.manifests';

export const installed = 'elasti';
export const operatorName = 'elasti-operator-controller-manager';

const labelSelector = 'control-plane=controller-manager';

/** Waits that a test can sit through. */
const shortWaits = { POLLING_INTERVAL: '1s', ELASTI_SETTLE_TIME: '1s', ELASTI_HANDOVER_GRACE: '1s' };

/** An HTTP call that the resolver makes. */
export interface Call {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  /** `projected`: the token that the resolver's pod has been given for the operator. */
  readonly token?: 'projected' | { readonly token: string };
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** How the program of a pod ended that was told to go. Who has to be killed has another exit code. */
export interface PodEnd {
  readonly exitCode?: number;
  readonly within: 'its grace' | 'more than its grace' | 'a time that nobody saw';
}

const callScript = `
const token = require('node:fs').readFileSync('${tokenFile}', 'utf8');
const call = async ({ url, method, body, token: own }) => {
  const bearer = own === 'projected' ? token : own?.token;
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: 'Bearer ' + bearer }) };
  const response = await fetch(url, { method, body, headers });
  return { status: response.status, body: await response.text() };
};
Promise.all(JSON.parse(process.argv[1]).map(call)).then((answers) => console.log(JSON.stringify(answers)));
`;

// No signal ends the first process of a container from inside it, but its debugger does as it is told.
const crashScript = `
process.kill(1, 'SIGUSR1');
const attach = async () => {
  const [{ webSocketDebuggerUrl }] = await (await fetch('http://127.0.0.1:9229/json/list')).json();
  const debuggee = new WebSocket(webSocketDebuggerUrl);
  const params = { expression: 'setTimeout(() => process.reallyExit(1)), 0' };
  debuggee.onopen = () => debuggee.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  // It has heard, and ends once nobody looks on: a process waits for its debugger to go.
  debuggee.onmessage = () => process.exit(0);
};
const again = () => attach().catch(() => setTimeout(again, 50));
again();
`;

/** Two replicas of the operator as the synthesized manifests have them, and two pods that play the resolver. */
export class Installation {
  private constructor(private readonly client: KubeClient) {}

  static async install(client: KubeClient): Promise<Installation> {
    const objects = synthesizedObjects(elastiFolder, { without: ['resolver'] });
    for (const object of objects) if (object.kind === 'Deployment') setVariables(object, shortWaits);
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...objects, ...stubResolverManifests(installed)] }));
    await kubectl('wait', '--for=condition=Established', 'crd/elastiservices.elasti.truefoundry.com', '--timeout=30s');
    for (const name of ['elasti-resolver', operatorName]) {
      await kubectl('rollout', 'status', `deployment/${name}`, '-n', installed, '--timeout=120s');
    }
    return new Installation(client);
  }

  static async uninstall(): Promise<void> {
    await kubectl('delete', '-f', elastiFolder, '--ignore-not-found', '--timeout=60s');
  }

  /** Makes the calls from inside a resolver pod, all at once. */
  async callFromResolver(...calls: Call[]): Promise<Answer[]> {
    const printed = await kubectl('exec', '-n', installed, 'deploy/elasti-resolver', '--', 'node', '-e', callScript, JSON.stringify(calls));
    return JSON.parse(printed) as Answer[];
  }

  /** The running operator pods that are ready. */
  async replicas(): Promise<{ name: string; ip: string }[]> {
    const isReady = ({ metadata, status }: Pod) =>
      !metadata.deletionTimestamp && status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    return (await this.pods()).filter(isReady).map(({ metadata, status }) => ({ name: metadata.name ?? '', ip: status?.podIP ?? '' }));
  }

  /** The addresses of the resolvers that are ready. */
  async resolverAddresses(): Promise<string[]> {
    const labelSelector = 'kubernetes.io/service-name=elasti-resolver-service';
    const { items } = await this.client.list(EndpointSlice, { namespace: installed, labelSelector });
    const endpoints = items.flatMap((slice) => slice.endpoints ?? []);
    return endpoints.filter(({ conditions }) => conditions?.ready).flatMap(({ addresses }) => addresses);
  }

  async leader(): Promise<{ pod: string; identity: string } | undefined> {
    const lease = await this.client.find(Lease, { namespace: installed, name: 'acf50383.truefoundry.io' });
    const identity = lease?.spec?.holderIdentity;
    return identity ? { identity, pod: identity.split('_')[0] ?? '' } : undefined;
  }

  async scaleOperator(replicas: number): Promise<void> {
    await kubectl('scale', `deployment/${operatorName}`, '-n', installed, `--replicas=${replicas}`);
    await this.replicasReady(replicas);
  }

  /** Waits for so many pods, all ready, and none beside them. */
  async replicasReady(replicas: number): Promise<void> {
    await eventually(`${replicas} operators`, async () => {
      const [pods, ready] = [await this.pods(), await this.replicas()];
      return pods.length === replicas && ready.length === replicas ? true : undefined;
    });
  }

  /** Deletes a pod as if its node were lost. */
  async forceOut(pod: string): Promise<void> {
    await kubectl('delete', 'pod', pod, '-n', installed, '--grace-period=0', '--force');
  }

  /** Ends a pod's program on the spot, with no time to give back its lease. */
  async crash(pod: string): Promise<void> {
    await kubectl('exec', '-n', installed, pod, '--', 'node', '-e', crashScript);
  }

  /** Deletes all operator pods as a rollout does, waits until they are gone, and says how each ended. */
  async stopAll(): Promise<PodEnd[]> {
    const { items, metadata: list } = await this.client.list(Pod, { namespace: installed, labelSelector });
    const names = items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name ?? '');
    await kubectl('delete', 'pod', ...names, '-n', installed, '--wait=false');
    return this.endsOf(names, list.resourceVersion);
  }

  /** What became of pods that are told to go after this version of the list of them. */
  private async endsOf(names: readonly string[], resourceVersion?: string): Promise<PodEnd[]> {
    const [mustEndBy, ends] = [new Map<string, number>(), new Map<string, PodEnd>()];
    const gone = new Set<string>();
    const signal = AbortSignal.timeout(60_000);
    for await (const event of this.client.watch(Pod, { namespace: installed, labelSelector, resourceVersion, signal })) {
      if (event.type !== 'MODIFIED' && event.type !== 'DELETED') continue;
      const { metadata, status } = event.object;
      const { name = '', deletionTimestamp } = metadata;
      // The first says when its grace is over; whoever takes it away in the end writes another.
      if (deletionTimestamp && !mustEndBy.has(name)) mustEndBy.set(name, Date.parse(deletionTimestamp));
      const end = status?.containerStatuses?.[0]?.state?.terminated;
      if (end) {
        const isInTime = Date.parse(end.finishedAt ?? '') < (mustEndBy.get(name) ?? 0);
        ends.set(name, { exitCode: end.exitCode, within: isInTime ? 'its grace' : 'more than its grace' });
      }
      if (event.type === 'DELETED') gone.add(name);
      if (names.every((one) => gone.has(one))) break;
    }
    return names.map((name) => ends.get(name) ?? { within: 'a time that nobody saw' });
  }

  /** Waits until both programs have just begun: they listen, and know nothing of the cluster yet. */
  async begun(): Promise<void> {
    await eventually('two programs that listen', async () => {
      const pods = (await this.pods()).filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running');
      const logs = await Promise.all(pods.map(({ metadata }) => kubectl('logs', metadata.name ?? '', '-n', installed)));
      return logs.filter((log) => log.includes('"listening"')).length === 2 ? true : undefined;
    });
  }

  /** Everything that the operators which are there have logged. */
  logs(): Promise<string> {
    return logsOf(installed, labelSelector);
  }

  private async pods(): Promise<Pod[]> {
    return (await this.client.list(Pod, { namespace: installed, labelSelector })).items;
  }
}
