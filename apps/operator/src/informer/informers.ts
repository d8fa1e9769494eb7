import { ElastiService, routesLabel } from '@elasti/api';
import {
  apiVersionOf,
  type CacheProvider,
  ConfigMap,
  Deployment,
  EndpointSlice,
  type Frozen,
  type KubeObject,
  type ResourceCache,
  type ResourceDefinition,
  Service,
  StatefulSet,
} from '@elasti/operator-kit';
import { privateServiceLabel, sliceManager } from '../names';
import { Ingress, servicesOfIngress, slimIngress } from './ingress';
import { formatTarget, targetKindOf } from './target-ref';
import { slimOwnSlice, slimPodSlice, slimService } from './slim-objects';
import { slimWorkload, type Workload } from './workload';

export interface InformersConfig {
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  readonly operator: { readonly namespace: string };
  readonly resolver: { readonly namespace: string; readonly serviceName: string };
}

/** Kinds of targets; each costs a watch, so their number is bounded. */
const maxKinds = 32;

/** `lent`: watched for as long as an ElastiService names its kind. */
interface WatchedKind {
  readonly kind: ResourceDefinition;
  readonly cache: ResourceCache<Workload>;
  readonly term: 'kept' | 'lent';
}

/**
 * The one owner of the operator's watches: one for each kind and scope, whatever the number of services.
 *
 * Everything here is read-only and as current as the watch. Watches heal by themselves; the manager's health says when one does not.
 */
export class Informers {
  /** Indexed `byService`, `byTarget` and `byTargetKind`. */
  readonly elastiServices: ResourceCache<ElastiService>;
  /** Indexed `bySelector`, without the private ones: those that select the same pods share an entry of it. */
  readonly services: ResourceCache<Service>;
  /** The slices that the operator writes. */
  readonly ownSlices: ResourceCache<EndpointSlice>;
  /** The slices Kubernetes makes for the private Services, indexed `byService`: the pods of every target. */
  readonly podSlices: ResourceCache<EndpointSlice>;
  readonly resolverSlices: ResourceCache<EndpointSlice>;
  readonly routeShards: ResourceCache<ConfigMap>;
  /** Indexed `byService`; empty where the operator may not read them. */
  readonly ingresses: ResourceCache<Ingress>;
  private readonly targets = new Map<string, WatchedKind>();
  private readonly listeners: ((cache: ResourceCache<Workload>) => void)[] = [];

  /** `caches` count for the operator's readiness; `furtherCaches` do not, because their kinds come and go with other people's CRDs. */
  constructor(
    caches: CacheProvider,
    private readonly furtherCaches: CacheProvider,
    private readonly config: InformersConfig,
  ) {
    const { operator, resolver } = config;
    this.elastiServices = caches.acquire(ElastiService, {
      indexes: { byService: servicesOf, byTarget: targetsOf, byTargetKind: targetKindsOf },
    });
    this.services = caches.acquire(Service, { transform: slimService, indexes: { bySelector: selectorEntriesOf } });
    this.ownSlices = caches.acquire(EndpointSlice, {
      labelSelector: `endpointslice.kubernetes.io/managed-by=${sliceManager}`,
      transform: slimOwnSlice,
    });
    this.podSlices = caches.acquire(EndpointSlice, {
      labelSelector: privateServiceLabel,
      transform: slimPodSlice,
      indexes: { byService: serviceOfSlice },
    });
    this.resolverSlices = caches.acquire(EndpointSlice, {
      namespace: resolver.namespace,
      labelSelector: `kubernetes.io/service-name=${resolver.serviceName}`,
    });
    this.routeShards = caches.acquire(ConfigMap, { namespace: operator.namespace, labelSelector: `${routesLabel}=true` });
    this.ingresses = furtherCaches.acquire(Ingress, { ...this.scope, transform: slimIngress, indexes: { byService: servicesOfIngress } });
    for (const kind of [Deployment, StatefulSet]) {
      const cache = caches.acquire(kind as ResourceDefinition<Workload>, { transform: slimWorkload });
      this.targets.set(keyOf(kind), { kind, cache, term: 'kept' });
    }
    this.elastiServices.subscribe((event) => {
      if (event.type === 'deleted' || event.type === 'updated') this.releaseUnnamed();
    });
  }

  /** The workloads of a kind that the server is known to have; `undefined` when too many kinds are watched already. */
  workloads(kind: ResourceDefinition): ResourceCache<Workload> | undefined {
    const key = keyOf(kind);
    const known = this.targets.get(key)?.cache;
    if (known || this.targets.size >= maxKinds) return known;

    const cache = this.furtherCaches.acquire(kind, { ...this.scope, transform: slimWorkload });
    this.targets.set(key, { kind, cache, term: 'lent' });
    for (const listener of this.listeners) listener(cache);
    return cache;
  }

  /** Called with every workload cache, those of today and those to come. */
  onWorkloads(listener: (cache: ResourceCache<Workload>) => void): void {
    this.listeners.push(listener);
    for (const { cache } of this.targets.values()) listener(cache);
  }

  /** A reconcile that is under way reads the last state of a released one; the next that names the kind watches it anew. */
  private releaseUnnamed(): void {
    for (const [key, { kind, cache, term }] of this.targets) {
      if (term === 'kept' || this.elastiServices.byIndex('byTargetKind', `${apiVersionOf(kind)}/${kind.kind}`).length > 0) continue;
      this.targets.delete(key);
      cache.release();
    }
  }

  private get scope(): { namespaces?: readonly string[] } {
    const { watchNamespaces } = this.config;
    return watchNamespaces.length > 0 ? { namespaces: watchNamespaces } : {};
  }
}

function keyOf(kind: ResourceDefinition): string {
  return `${apiVersionOf(kind)}/${kind.plural}`;
}

function servicesOf({ metadata, spec }: Frozen<ElastiService>): string[] {
  return [spec.service, ...(spec.additionalServices ?? [])].map((service) => `${metadata.namespace ?? ''}/${service}`);
}

function targetsOf({ metadata, spec }: Frozen<ElastiService>): string[] {
  return [formatTarget(metadata.namespace ?? '', spec.scaleTargetRef)];
}

function targetKindsOf({ spec }: Frozen<ElastiService>): string[] {
  return [`${spec.scaleTargetRef.apiVersion}/${targetKindOf(spec.scaleTargetRef)}`];
}

function serviceOfSlice({ metadata }: Frozen<KubeObject>): string[] {
  const service = metadata.labels?.['kubernetes.io/service-name'];
  return service ? [`${metadata.namespace ?? ''}/${service}`] : [];
}

/** One entry for each label that a public Service selects by. */
export function selectorEntriesOf({ metadata, spec }: Frozen<Service>): string[] {
  if (metadata.labels?.[privateServiceLabel] !== undefined) return [];
  return Object.entries(spec?.selector ?? {}).map(([label, value]) => `${metadata.namespace ?? ''}/${label}=${value}`);
}
