import { type ClusterAccess, type ElastiServiceView, ForbiddenError, type TargetView } from './cluster-access';
import type { Installed, Manifest } from './installed-objects';
import { type Kubectl, KubectlError } from './kubectl';

const plural = 'elastiservices.elasti.truefoundry.com';
/** Of these kinds the status says how many pods are ready; of others only the scale is known, for they may keep the number of pods anywhere. */
const groupsWithReadyPods = ['apps', 'argoproj.io'];

/** A target that says how many of its pods are ready, or the scale of another one. */
interface Scaled {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number; readonly availableReplicas?: number };
}

interface ScaledObject {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly minReplicaCount?: number };
}

/** A cluster by way of kubectl, which has every kind of credentials and knows every kind of object. */
export class KubectlCluster implements ClusterAccess {
  constructor(private readonly kubectl: Kubectl) {}

  async elastiServices(namespaces: readonly string[]): Promise<ElastiServiceView[]> {
    const crd = await this.lookAtCrd();
    if (crd === 'absent') return [];
    try {
      const lists = await Promise.all(scopesOf(namespaces).map((scope) => this.find<ElastiServiceView>(plural, ...scope)));
      return lists.flat();
    } catch (error) {
      if (crd === 'unknown' && error instanceof KubectlError && error.isUnknownKind) return [];
      throw error;
    }
  }

  async deleteElastiServices(services: readonly ElastiServiceView[]): Promise<void> {
    await this.delete(services.map(identityOf), ['--wait=false']);
  }

  async readyOperators({ operator }: Installed): Promise<number> {
    const [deployment] = await this.find<Scaled>('deployment', operator.name, '-n', operator.namespace);
    return deployment?.status?.availableReplicas ?? 0;
  }

  async targetsOf(services: readonly ElastiServiceView[]): Promise<TargetView[]> {
    const views = new Map<ElastiServiceView, TargetView>();
    // One call for all of a kind in a namespace: there may be a thousand of them.
    for (const [scope, alike] of Map.groupBy(services, targetScopeOf)) {
      const names = new Set(alike.map(({ spec }) => spec.scaleTargetRef.name));
      const found = await this.findSome<Scaled>(...scope.split(' '), ...names);
      for (const service of alike) views.set(service, viewOf(service, found));
    }
    for (const service of await this.leftToKeda(services.filter((one) => views.get(one)?.state === 'at zero'))) {
      const { kind, name } = service.spec.scaleTargetRef;
      views.set(service, { state: 'back', words: `its target ${kind} ${name} is at zero, where KEDA may keep it` });
    }
    return services.flatMap((service) => views.get(service) ?? []);
  }

  async stop(programs: readonly Manifest[], timeoutSeconds: number): Promise<void> {
    await this.delete(programs.map(identityOf), ['--cascade=foreground', `--timeout=${timeoutSeconds}s`]);
  }

  async remove(objects: readonly Manifest[], timeoutSeconds: number): Promise<void> {
    await this.delete(objects.map(identityOf), [`--timeout=${timeoutSeconds}s`]);
  }

  async workloadsIn(namespace: string): Promise<string[]> {
    const names = await this.run(['get', 'all,persistentvolumeclaims', '-n', namespace, '-o', 'name']);
    return names.split('\n').filter((name) => name !== '');
  }

  /** Whoever administers only some namespaces may not look at it, and need not. */
  private async lookAtCrd(): Promise<'present' | 'absent' | 'unknown'> {
    try {
      return (await this.find('crd', plural)).length > 0 ? 'present' : 'absent';
    } catch (error) {
      if (error instanceof ForbiddenError) return 'unknown';
      throw error;
    }
  }

  private async delete(items: readonly object[], options: readonly string[]): Promise<void> {
    if (items.length === 0) return;
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await this.run(['delete', '-f', '-', '--ignore-not-found', ...options], list);
  }

  /** Those that have a ScaledObject which may scale to zero and is free to: nobody else has to bring their targets back. */
  private async leftToKeda(services: readonly ElastiServiceView[]): Promise<ElastiServiceView[]> {
    const scaled = services.filter(({ spec }) => spec.autoscaler?.type === 'keda');
    const left: ElastiServiceView[] = [];
    for (const [namespace, alike] of Map.groupBy(scaled, ({ metadata }) => metadata.namespace)) {
      const names = new Set(alike.map(({ spec }) => spec.autoscaler?.name ?? ''));
      const found = await this.findSome<ScaledObject>('ScaledObject.v1alpha1.keda.sh', '-n', namespace, ...names);
      // Who cannot see them does not know.
      if (found instanceof Error) continue;
      const free = new Set(found.filter(mayScaleToZero).map(({ metadata }) => metadata.name));
      left.push(...alike.filter(({ spec }) => free.has(spec.autoscaler?.name ?? '')));
    }
    return left;
  }

  private async findSome<T>(...what: string[]): Promise<readonly T[] | Error> {
    try {
      return await this.find<T>(...what);
    } catch (error) {
      if (error instanceof KubectlError && error.isUnknownKind) return [];
      return error as Error;
    }
  }

  /** What is there of it: kubectl prints nothing, the one object that was named, or a list. */
  private async find<T>(...what: string[]): Promise<readonly T[]> {
    const text = await this.run(['get', ...what, '--ignore-not-found', '-o', 'json']);
    if (text.trim() === '') return [];
    const found = JSON.parse(text) as T & { readonly items?: readonly T[] };
    return found.items ?? [found];
  }

  private async run(args: readonly string[], input?: string): Promise<string> {
    try {
      return await this.kubectl(args, input);
    } catch (error) {
      if (error instanceof KubectlError && error.isForbidden) throw new ForbiddenError(error.message, { cause: error });
      throw error;
    }
  }
}

function viewOf({ spec }: ElastiServiceView, found: readonly Scaled[] | Error): TargetView {
  const { apiVersion, kind, name } = spec.scaleTargetRef;
  const words = `its target ${kind} ${name}`;
  if (found instanceof Error) return { state: 'not ready', words: `${words} cannot be seen: ${found.message}` };
  const target = found.find(({ metadata }) => metadata.name === name);
  if (!target) return { state: 'back', words: `${words} cannot be found` };
  if (!saysHowManyAreReady(apiVersion)) {
    // A scale leaves out its zero.
    const asked = target.spec?.replicas ?? 0;
    return { state: asked === 0 ? 'at zero' : 'back', words: `${words} is scaled to ${asked}` };
  }
  const replicas = target.spec?.replicas ?? 1;
  const ready = target.status?.readyReplicas ?? 0;
  return { state: replicas === 0 ? 'at zero' : ready > 0 ? 'back' : 'not ready', words: `${words} has ${ready} of ${replicas} pods ready` };
}

/** Unless somebody has paused it; its own default is zero. */
function mayScaleToZero({ metadata: { annotations = {} }, spec }: ScaledObject): boolean {
  const isPaused = annotations['autoscaling.keda.sh/paused'] === 'true' || 'autoscaling.keda.sh/paused-replicas' in annotations;
  return !isPaused && (spec?.minReplicaCount ?? 0) === 0;
}

/** The kind and the namespace, as kubectl takes them, and what of it to look at. */
function targetScopeOf({ metadata, spec }: ElastiServiceView): string {
  const { apiVersion, kind } = spec.scaleTargetRef;
  const version = apiVersion.split('/').at(-1) ?? '';
  const scope = `${kind}.${version}.${groupOf(apiVersion)} -n ${metadata.namespace}`;
  return saysHowManyAreReady(apiVersion) ? scope : `${scope} --subresource=scale`;
}

function saysHowManyAreReady(apiVersion: string): boolean {
  return groupsWithReadyPods.includes(groupOf(apiVersion));
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

function identityOf({ apiVersion, kind, metadata: { namespace, name } }: Pick<Manifest, 'apiVersion' | 'kind' | 'metadata'>): object {
  return { apiVersion, kind, metadata: { namespace, name } };
}

function scopesOf(namespaces: readonly string[]): string[][] {
  return namespaces.length === 0 ? [['--all-namespaces']] : namespaces.map((namespace) => ['-n', namespace]);
}
