import { type Deployment, type KubeClient, type KubeObject, Lease, Pod } from '@elasti/operator-kit';
import { eventually } from '../../eventually';
import { applyYaml, getObject, kubectl } from '../kubectl';
import { logsOf, type Restart, restartsIn } from '../pod-logs';
import { elastiFolder, setVariables, synthesizedObjects } from '../synthesized';
import { vacate, vacatingMs } from '../vacate';

export const installed = 'elasti';
export const resolverName = 'elasti-resolver';
export const operatorName = 'elasti-operator-controller-manager';
const labelOf: Readonly<Record<string, string>> = {
  [operatorName]: 'control-plane=controller-manager',
  [resolverName]: `app=${resolverName}`,
};

/** Waits of the operator that a test can sit through. */
const shortWaits = { POLLING_INTERVAL: '1s', ELASTI_SETTLE_TIME: '1s', ELASTI_HANDOVER_GRACE: '1s' };

export interface OwnPod {
  readonly name: string;
  readonly ip: string;
}

export type ResolverPod = OwnPod;

/** The whole product as the synthesized manifests have it: operators and resolvers, two of each. */
export class ElastiInstallation {
  private constructor(private readonly client: KubeClient) {}

  /** At most how long its parts wait for each other. */
  static readonly installingMs = 270_000;
  static readonly uninstallingMs = vacatingMs + 120_000;

  static async install(client: KubeClient): Promise<ElastiInstallation> {
    const elasti = new ElastiInstallation(client);
    await elasti.apply();
    await kubectl('wait', '--for=condition=Established', 'crd/elastiservices.elasti.truefoundry.com', '--timeout=30s');
    await elasti.rolledOut();
    return elasti;
  }

  /** Applies the manifests, be it over what runs; a new `version` replaces every pod. */
  async apply(version = 'first'): Promise<void> {
    const items = synthesizedObjects();
    for (const object of items.filter(({ kind }) => kind === 'Deployment')) {
      if (object.metadata.name === operatorName) setVariables(object, shortWaits);
      markPods(object, version);
    }
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  async rolledOut(): Promise<void> {
    for (const name of [resolverName, operatorName]) await rolledOut(name);
  }

  static async uninstall(): Promise<void> {
    await vacate(installed);
    await kubectl('delete', '-f', elastiFolder, '--ignore-not-found', '--wait=false');
    await letGo();
    // The next suite must not find them on their way out.
    for (const one of [`namespace/${installed}`, 'crd/elastiservices.elasti.truefoundry.com']) {
      await kubectl('wait', '--for=delete', one, '--timeout=60s');
    }
  }

  /** The resolver pods that are ready. */
  async resolvers(): Promise<ResolverPod[]> {
    return (await this.pods(resolverName)).filter(isReady).map(podOf);
  }

  async resolver(): Promise<ResolverPod> {
    return eventually('a resolver', async () => (await this.resolvers())[0]);
  }

  /** The operator pods that are ready. */
  async operators(): Promise<OwnPod[]> {
    return (await this.pods(operatorName)).filter(isReady).map(podOf);
  }

  /** Asks a resolver to leave, and does not wait for it. */
  async dismiss({ name }: ResolverPod): Promise<void> {
    await kubectl('delete', 'pod', name, '-n', installed, '--wait=false');
  }

  /** Replaces every resolver as a new version would. */
  async rollResolvers(): Promise<void> {
    await kubectl('rollout', 'restart', `deployment/${resolverName}`, '-n', installed);
    await rolledOut(resolverName);
  }

  async gone({ name }: ResolverPod): Promise<void> {
    await kubectl('wait', '--for=delete', `pod/${name}`, '-n', installed, '--timeout=60s');
  }

  async scaleOperator(replicas: number): Promise<void> {
    await kubectl('scale', `deployment/${operatorName}`, '-n', installed, `--replicas=${replicas}`);
    if (replicas > 0) return rolledOut(operatorName);
    await eventually('no operator', async () => ((await this.pods(operatorName)).length === 0 ? true : undefined));
  }

  /** The name of the operator's pod that leads; empty while nobody does. */
  async leader(): Promise<string> {
    const { spec } = await this.client.get(Lease, { namespace: installed, name: 'acf50383.truefoundry.io' });
    return spec?.holderIdentity?.split('_')[0] ?? '';
  }

  /** With no time to say goodbye. */
  async kill(pod: string): Promise<void> {
    await kubectl('delete', 'pod', pod, '-n', installed, '--grace-period=0', '--force');
  }

  /** Everything that the pods of a program which are there have logged. */
  logs(of = resolverName): Promise<string> {
    return logsOf(installed, labelOf[of] ?? '');
  }

  /** Of its pods that are there: crashes, but for those of pods that have been replaced. */
  restarts(): Promise<Restart[]> {
    return restartsIn(installed);
  }

  /** The names of the pods, ready or not, that nobody has told to go. */
  async podNames(): Promise<string[]> {
    const pods = (await Promise.all([operatorName, resolverName].map((of) => this.pods(of)))).flat();
    return pods.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name ?? '');
  }

  private async pods(of: string): Promise<Pod[]> {
    return (await this.client.list(Pod, { namespace: installed, labelSelector: labelOf[of] })).items;
  }
}

/** The objects of that name in the synthesized manifests, such as the roles of a program. */
export function manifestOf(name: string): KubeObject[] {
  return synthesizedObjects().filter(({ metadata }) => metadata.name === name);
}

/** Takes the finalizer off what nobody has given back, in one namespace or in all: it would hold its namespace, and the CRD, for ever. */
export async function letGo(namespace?: string): Promise<void> {
  const where = namespace === undefined ? ['--all-namespaces'] : ['-n', namespace];
  // Without the CRD there are none.
  const listed = await getObject<{ items: KubeObject[] }>('elastiservices', ...where).catch(() => undefined);
  for (const { metadata } of listed?.items ?? []) {
    const named = [metadata.name ?? '', '-n', metadata.namespace ?? ''];
    const patched = kubectl('patch', 'elastiservice', ...named, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    // It may have gone meanwhile.
    await patched.catch(async (error: unknown) => {
      if (await getObject('elastiservice', ...named).catch(() => undefined)) throw error;
    });
  }
}

async function rolledOut(name: string): Promise<void> {
  await kubectl('rollout', 'status', `deployment/${name}`, '-n', installed, '--timeout=120s');
}

function isReady({ metadata, status }: Pod): boolean {
  return !metadata.deletionTimestamp && (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

function podOf({ metadata, status }: Pod): OwnPod {
  return { name: metadata.name ?? '', ip: status?.podIP ?? '' };
}

function markPods({ spec }: Deployment, version: string): void {
  if (!spec) throw new Error('the Deployment has no pods');
  const { metadata } = spec.template;
  spec.template.metadata = { ...metadata, annotations: { ...metadata?.annotations, 'example.com/version': version } };
}
