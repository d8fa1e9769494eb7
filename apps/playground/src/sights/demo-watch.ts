import { ElastiService } from '@elasti/api';
import {
  type CacheEvent,
  type Clock,
  Deployment,
  Event,
  type Frozen,
  KitMetrics,
  type KubeReader,
  Pod,
  SharedCache,
} from '@elasti/operator-kit';
import { findCondition, silentLogger, sleep } from '@elasti/operator-kit';
import { demoNamespace as namespace, installationNamespace } from '../manifests';
import type { ResolverFigures } from './resolver-figures';
import { decideState, type ServiceSight, type WakeSight } from './service-sight';
import { WakeTimeline } from './wake-timeline';

export interface DemoWatchDependencies {
  readonly reader: KubeReader;
  readonly clock: Clock;
  readonly services: readonly { readonly name: string; readonly url: string }[];
  /** By service; rejects while no resolver answers. */
  readonly askResolver: (signal: AbortSignal) => Promise<ReadonlyMap<string, ResolverFigures>>;
  /** Something is to be seen anew. */
  readonly onChange: (sights: readonly ServiceSight[]) => void;
  readonly onNews: (service: string, news: News) => void;
}

/** What happened to a service. */
export type News =
  | { readonly kind: 'held'; readonly count: number }
  | { readonly kind: 'awake'; readonly wake: WakeSight }
  | { readonly kind: 'event'; readonly note: string }
  | { readonly kind: 'restarted' };

interface Watched {
  readonly name: string;
  readonly url: string;
  readonly timeline: WakeTimeline;
  figures: ResolverFigures;
}

const askAgainMs = 250;
const nothing: ResolverFigures = { held: 0, wakes: 0, wakeSeconds: 0 };

/**
 * Watches the services of the demonstration as anybody could who may read the API and the resolver's metrics.
 *
 * Reads and never writes. After `stop` no watch and no timer is left.
 */
export class DemoWatch {
  private readonly caches: SharedCache;
  private readonly services: readonly Watched[];
  private readonly stopping = new AbortController();
  private readonly elastiServices;
  private readonly deployments;
  private readonly pods;
  private readonly events;
  /** Operator and resolver. */
  private readonly programs;
  private asking: Promise<void> | undefined;

  constructor(private readonly dependencies: DemoWatchDependencies) {
    const { reader, clock, services } = dependencies;
    this.services = services.map((service) => ({ ...service, timeline: new WakeTimeline(), figures: nothing }));
    this.caches = new SharedCache({ reader, clock, logger: silentLogger, metrics: new KitMetrics() });
    this.elastiServices = this.caches.acquire(ElastiService, { namespace });
    this.deployments = this.caches.acquire(Deployment, { namespace });
    this.pods = this.caches.acquire(Pod, { namespace });
    this.events = this.caches.acquire(Event, { namespace });
    this.programs = this.caches.acquire(Pod, { namespace: installationNamespace });
  }

  start(): void {
    this.elastiServices.subscribe(() => this.changed());
    this.deployments.subscribe((event) => this.deploymentChanged(event));
    this.pods.subscribe((event) => this.podChanged(event));
    this.events.subscribe((event) => this.eventChanged(event));
    this.programs.subscribe((event) => this.programChanged(event));
    this.asking = this.askOnAndOn();
  }

  sights(): ServiceSight[] {
    return this.services.map(({ name, url, timeline, figures: { held } }) => {
      const { mode } = this.elastiServices.get({ namespace, name })?.status ?? {};
      const { spec, status } = this.deployments.get({ namespace, name }) ?? {};
      const replicas = { ready: status?.readyReplicas ?? 0, wanted: spec?.replicas ?? 0 };
      return { name, url, state: decideState({ mode, replicas }), mode, replicas, held, lastWake: timeline.lastWake };
    });
  }

  /** Whether each service sleeps and a request to it would be held: from then on there is something to try. */
  get isAsleep(): boolean {
    return this.services.every(({ name }) => {
      const { status } = this.elastiServices.get({ namespace, name }) ?? {};
      const isHeldFor = findCondition(status?.conditions, 'ResolverAvailable')?.status === 'True';
      return status?.mode === 'proxy' && isHeldFor && this.deployments.get({ namespace, name })?.spec?.replicas === 0;
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.asking;
    await this.caches.stop();
  }

  private changed(): void {
    if (!this.stopping.signal.aborted) this.dependencies.onChange(this.sights());
  }

  private deploymentChanged({ object }: CacheEvent<Deployment>): void {
    this.find(object.metadata.name)?.timeline.scaledTo(object.spec?.replicas ?? 1, this.dependencies.clock.monotonic());
    this.changed();
  }

  private podChanged({ type, object }: CacheEvent<Pod>): void {
    const timeline = this.find(object.metadata.labels?.app)?.timeline;
    if (!timeline || type === 'deleted' || object.metadata.deletionTimestamp) return;
    const { clock } = this.dependencies;
    if (object.status?.phase === 'Running') timeline.podRuns(clock.monotonic());
    if (isReady(object)) timeline.podIsReady(clock.monotonic(), clock.now());
    this.changed();
  }

  private eventChanged({ type, object }: CacheEvent<Event>): void {
    const service = object.regarding?.kind === 'ElastiService' ? this.find(object.regarding.name) : undefined;
    if (type !== 'deleted' && service) this.dependencies.onNews(service.name, { kind: 'event', note: object.note ?? object.reason ?? '' });
  }

  private programChanged(event: CacheEvent<Pod>): void {
    if (event.type !== 'updated' || restartsOf(event.object) <= restartsOf(event.before)) return;
    this.dependencies.onNews(event.object.status?.containerStatuses?.[0]?.name ?? '', { kind: 'restarted' });
  }

  private async askOnAndOn(): Promise<void> {
    const { clock, askResolver } = this.dependencies;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // A resolver that restarts is asked again.
      const figures = await askResolver(signal).catch(() => undefined);
      for (const service of figures ? this.services : []) this.heard(service, figures?.get(service.name) ?? nothing);
      this.changed();
      await sleep(clock, askAgainMs, signal).catch(() => undefined);
    }
  }

  private heard(service: Watched, figures: ResolverFigures): void {
    const { name, timeline, figures: before } = service;
    const { onNews } = this.dependencies;
    service.figures = figures;
    if (before.held === 0 && figures.held > 0) onNews(name, { kind: 'held', count: figures.held });
    // A resolver that has restarted begins to count anew.
    const wakes = figures.wakes - before.wakes;
    if (wakes > 0) timeline.resolverSaw(((figures.wakeSeconds - before.wakeSeconds) / wakes) * 1_000);
    const wake = timeline.takeFinished();
    if (wake) onNews(name, { kind: 'awake', wake });
  }

  private find(name: string | undefined): Watched | undefined {
    return this.services.find((service) => service.name === name);
  }
}

function restartsOf({ status }: Frozen<Pod>): number {
  return status?.containerStatuses?.reduce((sum, { restartCount }) => sum + restartCount, 0) ?? 0;
}

function isReady({ status }: Frozen<Pod>): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}
