import { type KubeClient, type KubeObject, Lease, Pod } from '@elasti/operator-kit';
import { eventually } from '../../eventually';
import { applyYaml, kubectl } from '../kubectl';
import { elastiFolder, setVariables, synthesizedObjects } from '../synthesized';

export const installed = 'elasti';
export const resolverName = 'elasti-resolver';
const operatorName = 'elasti-operator-controller-manager';
const labelOf: Readonly<Record<string, string>> = {
  [operatorName]: 'control-plane=controller-manager',
  [resolverName]: `app=${resolverName}`,
};

/** Waits of the operator that a test can sit through. */
const shortWaits = { POLLING_INTERVAL: '1s', ELASTI_SETTLE_TIME: '1s', ELASTI_HANDOVER_GRACE: '1s' };

export interface ResolverPod {
  readonly name: string;
  readonly ip: string;
}

export interface Permission {
  readonly verb: string;
  readonly resource: string;
}

interface RoleObject extends KubeObject {
  readonly rules?: readonly { readonly verbs: readonly string[]; readonly resources?: readonly string[] }[];
}

/** The whole product as the synthesized manifests have it: operators and resolvers, two of each. */
export class ElastiInstallation {
  private constructor(private readonly client: KubeClient) {}

  static async install(client: KubeClient): Promise<ElastiInstallation> {
    const items = synthesizedObjects();
    for (const object of items) if (object.kind === 'Deployment' && object.metadata.name === operatorName) setVariables(object, shortWaits);
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await kubectl('wait', '--for=condition=Established', 'crd/elastiservices.elasti.truefoundry.com', '--timeout=30s');
    for (const name of [resolverName, operatorName]) await rolledOut(name);
    return new ElastiInstallation(client);
  }

  static async uninstall(): Promise<void> {
    await kubectl('delete', '-f', elastiFolder, '--ignore-not-found', '--wait=false');
    // Resolvers may take their time to leave, and these tests are done with them.
    await kubectl('delete', 'pod', '--all', '-n', installed, '--grace-period=0', '--force');
    await kubectl('wait', '--for=delete', `namespace/${installed}`, '--timeout=60s');
  }

  /** The resolver pods that are ready. */
  async resolvers(): Promise<ResolverPod[]> {
    const isReady = ({ metadata, status }: Pod) =>
      !metadata.deletionTimestamp && status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    return (await this.pods(resolverName)).filter(isReady).map(podOf);
  }

  async resolver(): Promise<ResolverPod> {
    return eventually('a resolver', async () => (await this.resolvers())[0]);
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

  /** The name of the operator's pod that leads. */
  async leader(): Promise<string> {
    const { spec } = await this.client.get(Lease, { namespace: installed, name: 'acf50383.truefoundry.io' });
    return spec?.holderIdentity?.split('_')[0] ?? '';
  }

  /** With no time to say goodbye. */
  async kill(pod: string): Promise<void> {
    await kubectl('delete', 'pod', pod, '-n', installed, '--grace-period=0', '--force');
  }

  /** Everything that the resolvers which are there have logged. */
  logs(): Promise<string> {
    return kubectl('logs', '-n', installed, '-l', labelOf[resolverName] ?? '', '--tail=-1');
  }

  private async pods(of: string): Promise<Pod[]> {
    return (await this.client.list(Pod, { namespace: installed, labelSelector: labelOf[of] })).items;
  }
}

/** What the resolver's roles allow, one by one. */
export function resolverPermissions(): Permission[] {
  const isOwn = ({ kind, metadata }: KubeObject) => /^(Cluster)?Role$/.test(kind) && metadata.name === resolverName;
  const roles = synthesizedObjects().filter(isOwn) as RoleObject[];
  const rules = roles.flatMap(({ rules: own }) => own ?? []);
  return rules.flatMap(({ verbs, resources = [] }) => resources.flatMap((resource) => verbs.map((verb) => ({ verb, resource }))));
}

async function rolledOut(name: string): Promise<void> {
  await kubectl('rollout', 'status', `deployment/${name}`, '-n', installed, '--timeout=120s');
}

function podOf({ metadata, status }: Pod): ResolverPod {
  return { name: metadata.name ?? '', ip: status?.podIP ?? '' };
}
