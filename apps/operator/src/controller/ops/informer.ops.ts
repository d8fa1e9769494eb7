import type { ElastiService } from '@elasti/api';
import {
  type CacheEvent,
  type ConfigMap,
  type Controller,
  type EndpointSlice,
  findCondition,
  type Frozen,
  groupOf,
  type KubeObject,
  type ObjectRef,
  priorities,
  refOf,
  type ResourceCache,
  type Service,
} from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import { bypassedServicesOf, type Informers, type Ingress, selectorEntriesOf, type Workload } from '../../informer';
import type { OperatorMetrics } from '../../metrics';
import { privateServiceLabel } from '../../names';
import type { ResolverPods, ServiceName } from '../../resolvers';
import { ownersConcerned } from '../../routes';
import { triggersWords } from '../decisions/build-conditions';
import { selectsTheSame } from '../decisions/service-fitness';
import type { IdleReport, IdleReports } from '../idle-reports';
import type { LifecycleOps } from './lifecycle.ops';

/** When a thousand wake at once, their statuses wait until the API server has taken the wakes. */
const scaledUpMs = 1_000;

/** From what changed to the ElastiServices that it concerns; nothing is decided here. */
export class InformerOps {
  constructor(
    private readonly informers: Informers,
    private readonly directory: ElastiDirectory,
    private readonly resolvers: Pick<ResolverPods, 'onChange'>,
    private readonly reports: Pick<IdleReports, 'onNews'>,
    private readonly lifecycle: Pick<LifecycleOps, 'freshest'>,
    private readonly metrics: Pick<OperatorMetrics, 'forget'>,
  ) {}

  feed(controller: Pick<Controller, 'enqueue' | 'enqueueAfter'>): void {
    const { elastiServices, services, ownSlices, podSlices, routeShards, ingresses } = this.informers;
    const enqueue = (elastiService: Frozen<ElastiService> | undefined) => elastiService && controller.enqueue(refOf(elastiService));

    onChange(elastiServices, (elastiService) => this.concernedBy(elastiService).forEach(enqueue));
    elastiServices.subscribe(({ type, object }) => {
      this.lifecycle.freshest(object);
      const { namespace = '', name = '' } = object.metadata;
      // On every replica: each has counted the wakes that it answered.
      if (type === 'deleted') this.metrics.forget(namespace, name, object.spec.service);
    });
    onChange(services, ({ metadata }) => {
      const service = metadata.labels?.[privateServiceLabel] ?? metadata.name ?? '';
      enqueue(this.directory.forService(metadata.namespace ?? '', service));
    });
    services.subscribe((event) => {
      if (isNews(event)) this.sharingPods(event).forEach(enqueue);
    });
    ingresses.subscribe((event) => {
      // They may be listed later than all else, so their first ones count; what waits for its first reconcile is not enqueued twice.
      const priority = event.type === 'added' && event.initial ? priorities.low : priorities.normal;
      for (const elastiService of this.behindIngress(event)) controller.enqueue(refOf(elastiService), priority);
    });
    onChange(ownSlices, (slice) => ownersOf(slice).forEach((ref) => controller.enqueue(ref)));
    onChange(podSlices, (slice) => enqueue(this.behind(slice)));
    this.informers.onWorkloads((workloads) =>
      workloads.subscribe((event) => {
        if (!isNews(event)) return;
        const concerned = this.directory.onTarget(event.object).map(refOf);
        if (isScaledUp(event)) concerned.forEach((ref) => controller.enqueueAfter(ref, scaledUpMs));
        else concerned.forEach((ref) => controller.enqueue(ref));
      }),
    );
    // When a ConfigMap vanishes, every service must look whether its routes were in it.
    routeShards.subscribe((event) => {
      if (event.type === 'deleted') this.enqueueAll(controller);
      else if (isNews(event)) this.routedBy(event).forEach(enqueue);
    });
    this.resolvers.onChange(() => this.enqueueAll(controller));
    this.reports.onNews((ref, report, before) => {
      if (before || !isSaid(elastiServices.get(ref), report)) controller.enqueue(ref);
    });
  }

  /** Those that share a Service or the target with it: what it does may be their turn. */
  private concernedBy(elastiService: Frozen<ElastiService>): Frozen<ElastiService>[] {
    const { metadata, spec } = elastiService;
    const speakers = [spec.service, ...(spec.additionalServices ?? [])].flatMap((service) =>
      this.directory.allOfService(metadata.namespace ?? '', service),
    );
    return [...speakers, ...this.directory.onTargetOf(elastiService)].filter((other) => other.metadata.uid !== metadata.uid);
  }

  /** Those whose pods another Service begins or ceases to select. */
  private sharingPods(event: CacheEvent<Service>): Frozen<ElastiService>[] {
    const states = event.type === 'updated' ? [event.before, event.object] : [event.object];
    const [first, last] = states.map((service) => selectorEntriesOf(service).join());
    if (states.length > 1 && first === last) return [];

    const { services } = this.informers;
    const sharing = states.flatMap((service) =>
      [...new Set(selectorEntriesOf(service).flatMap((entry) => services.byIndex('bySelector', entry)))].filter(
        (other) => other.metadata.name !== service.metadata.name && selectsTheSame(other.spec?.selector, service.spec?.selector),
      ),
    );
    return this.speakersFor(sharing.map(({ metadata }) => ({ namespace: metadata.namespace ?? '', service: metadata.name ?? '' })));
  }

  /** Those whose Services an Ingress begins or ceases to send past. */
  private behindIngress(event: CacheEvent<Ingress>): Frozen<ElastiService>[] {
    const before = event.type === 'updated' ? bypassedServicesOf(event.before) : [];
    const after = bypassedServicesOf(event.object);
    const [beforeSet, afterSet] = [new Set(before), new Set(after)];
    const changed = [...before.filter((service) => !afterSet.has(service)), ...after.filter((service) => !beforeSet.has(service))];
    const namespace = event.object.metadata.namespace ?? '';
    return this.speakersFor(changed.map((service) => ({ namespace, service })));
  }

  private routedBy(event: Exclude<CacheEvent<ConfigMap>, { type: 'deleted' }>): Frozen<ElastiService>[] {
    const others = this.informers.routeShards.list().filter(({ metadata }) => metadata.name !== event.object.metadata.name);
    return this.speakersFor(ownersConcerned(event.type === 'updated' ? event.before : undefined, event.object, others));
  }

  private speakersFor(names: readonly ServiceName[]): Frozen<ElastiService>[] {
    return [...new Set(names.flatMap(({ namespace, service }) => this.directory.forService(namespace, service) ?? []))];
  }

  private behind({ metadata }: Frozen<EndpointSlice>): Frozen<ElastiService> | undefined {
    return this.directory.forService(metadata.namespace ?? '', metadata.labels?.[privateServiceLabel] ?? '');
  }

  private enqueueAll(controller: Pick<Controller, 'enqueue'>): void {
    for (const elastiService of this.directory.list()) controller.enqueue(refOf(elastiService), priorities.normal);
  }
}

/** What was there at the start is reconciled anyway, as part of every ElastiService. */
function onChange<T extends KubeObject>(cache: ResourceCache<T>, listener: (object: Frozen<T>) => void): void {
  cache.subscribe((event: CacheEvent<T>) => {
    if (!isNews(event)) return;
    if (event.type === 'updated') listener(event.before);
    listener(event.object);
  });
}

function isNews(event: CacheEvent<KubeObject>): boolean {
  return !(event.type === 'added' && event.initial) && !(event.type === 'updated' && event.resync);
}

/** From zero: nothing is to be done before its pods are ready, which their slices tell; only the status has something to say. */
function isScaledUp(event: CacheEvent<Workload>): boolean {
  return event.type === 'updated' && event.before.spec?.replicas === 0 && (event.object.spec?.replicas ?? 0) > 0;
}

/** What the status says already needs no reconcile: in the first round of a process thousands of services hear the same. Later the cached status may lag. */
function isSaid(elastiService: Frozen<ElastiService> | undefined, report: IdleReport): boolean {
  const said = findCondition(elastiService?.status?.conditions, 'TriggersHealthy');
  const { status, message } = triggersWords(report.triggers);
  return report.wants === 'stay' && said?.status === status && said.message === message;
}

function ownersOf({ metadata }: Frozen<KubeObject>): ObjectRef[] {
  return (metadata.ownerReferences ?? [])
    .filter(({ kind, apiVersion }) => kind === 'ElastiService' && groupOf(apiVersion) === 'elasti.truefoundry.com')
    .map(({ name }) => ({ namespace: metadata.namespace, name }));
}
