import type { AddressInfo } from 'node:net';
import { type CacheProvider, type Frozen, SharedCache } from '../cache';
import type { KubeClient, KubeObject, KubeReader, KubeWriter } from '../client';
import { type Clock, systemClock, untilAborted } from '../clock';
import type { ControllerHost, LeaderRunnable } from '../controller';
import { EventRecorder, type ObjectEvents } from '../events';
import { LeaderElector, type LeaderElectionOptions, LeaseLostError } from '../leader-election';
import { type Logger, silentLogger } from '../logging';
import { KitMetrics } from '../metrics';
import { type HealthCheck, HealthChecks } from './health-checks';
import { HttpListener, type ListenOptions } from './http-listener';
import { Leadership } from './leadership';
import { ManagedCaches, type StoppableCaches } from './managed-caches';
import { RunnableFailedError } from './manager.errors';
import { type SignalSource, keepProcessAlive, runUntilSignal } from './process-signals';
import { healthRoute, metricsRoute } from './routes';
import { stopInReverse } from './shutdown';
import type { ReplicaRunnable, StartStep } from './start-step';

export interface ControllerManagerOptions {
  client: KubeReader & KubeWriter & Pick<Partial<KubeClient>, 'defaultNamespace' | 'metrics'>;
  /** Names this program in events: `webapp-operator`. */
  name: string;
  /** Default: silent. */
  logger?: Logger;
  /** Default: a shared cache of its own over the client. */
  caches?: StoppableCaches;
  /** Absent: this process is the only one and always leads. The Lease's namespace is by default the one the client runs in. */
  leaderElection?: Omit<LeaderElectionOptions, 'namespace'> & { namespace?: string };
  /** Where /healthz and /readyz are served; nowhere when absent. */
  probes?: ListenOptions;
  /** Where /metrics is served; the same port as the probes is fine. Nowhere when absent. */
  metrics?: ListenOptions & {
    /** Default: off. */
    nodeMetrics?: 'on' | 'off';
  };
  /** Default: the client's, so that its requests are among them. */
  kitMetrics?: KitMetrics;
  /** For everything together to stop in. Default 30 s. */
  gracePeriodMs?: number;
  /** For the caches to fill in. Default 2 min. */
  cacheSyncTimeoutMs?: number;
  /** Namespaced kinds are watched in these only. Default: all. */
  watchNamespaces?: readonly string[];
  clock?: Clock;
}

type ManagerState = 'new' | 'starting' | 'running' | 'stopping' | 'stopped';

/**
 * Owns the life of an operator: what is started, in which order, and that all of it is stopped again.
 *
 * Started in this order: probes and metrics, what runs on every replica, caches, and at last, on the leader alone, the controllers; stopped
 * in reverse within one grace period. The first failure of any of them stops the rest, and `start` rejects with it: the process is meant to exit then.
 */
export class ControllerManager implements ControllerHost {
  readonly client: KubeReader & KubeWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: KitMetrics;
  private readonly managedCaches: ManagedCaches;
  private readonly recorder: EventRecorder;
  private readonly elector?: LeaderElector;
  private readonly leadership: Leadership;
  private readonly health: HealthChecks;
  private readonly readiness: HealthChecks;
  private readonly probesListener?: HttpListener;
  private readonly metricsListener?: HttpListener;
  private readonly leaderRunnables: LeaderRunnable[] = [];
  private readonly replicaRunnables: ReplicaRunnable[] = [];
  private readonly stopping = new AbortController();
  private state: ManagerState = 'new';
  private failure?: Error;

  /** @throws LeaderElectionConfigError */
  constructor(private readonly options: ControllerManagerOptions) {
    const { client, logger = silentLogger, clock = systemClock, kitMetrics = client.metrics ?? new KitMetrics() } = options;
    const caches = options.caches ?? new SharedCache({ reader: client, logger, clock, metrics: kitMetrics });
    this.client = client;
    this.logger = logger;
    this.clock = clock;
    this.metrics = kitMetrics;
    this.managedCaches = new ManagedCaches(caches, options.watchNamespaces ?? [], options.cacheSyncTimeoutMs ?? 120_000, clock);
    if (options.leaderElection) {
      const namespace = options.leaderElection.namespace ?? client.defaultNamespace ?? '';
      this.elector = new LeaderElector({ ...options.leaderElection, namespace }, { client, clock, logger, metrics: kitMetrics });
    }
    this.leadership = new Leadership(this.leaderRunnables, this.elector, (name, error) => this.fail(name, error));
    this.recorder = new EventRecorder({
      client,
      clock,
      logger,
      metrics: kitMetrics,
      reportingController: options.name,
      reportingInstance: this.elector?.config.identity,
    });
    this.health = new HealthChecks('healthz', clock, logger);
    this.readiness = new HealthChecks('readyz', clock, logger);
    this.addOwnChecks();
    if (options.metrics?.nodeMetrics === 'on') kitMetrics.collectNodeMetrics();
    ({ probes: this.probesListener, metrics: this.metricsListener } = this.buildListeners());
  }

  get caches(): CacheProvider {
    return this.managedCaches;
  }

  /** Always true, once running, without an election. */
  get isLeader(): boolean {
    return this.leadership.isLeader;
  }

  /** True when the lease is held in this process's name but its renewal is overdue. */
  get isLeaseOverdue(): boolean {
    return this.elector?.isOverdue ?? false;
  }

  /** The identity last seen to hold the lease; empty when nobody does, or there is no election. */
  get leaderIdentity(): string {
    return this.elector?.leaderIdentity ?? '';
  }

  /** The kinds whose cache is not filled yet, and those that lag behind because their watch keeps failing. */
  get cacheTrouble(): { unsynced: string[]; stale: string[] } {
    return { unsynced: this.managedCaches.unsynced, stale: this.managedCaches.stale };
  }

  /** Where it listens, once started. */
  get addresses(): { probes?: AddressInfo; metrics?: AddressInfo } {
    return { probes: this.probesListener?.address, metrics: this.metricsListener?.address };
  }

  eventsFor(object: Frozen<KubeObject>): ObjectEvents {
    return this.recorder.for(object);
  }

  add(runnable: LeaderRunnable): void {
    this.checkNewName(runnable.name);
    this.leaderRunnables.push(runnable);
  }

  /** Runs it on every replica. @throws when the name is taken, or the manager has started. */
  addToEveryReplica(runnable: ReplicaRunnable): void {
    this.checkNewName(runnable.name);
    this.replicaRunnables.push(runnable);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.health.add(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.readiness.add(name, check);
  }

  /**
   * Runs until the signal fires, then stops everything, and keeps the process alive until then. Once in a manager's life.
   * @throws RunnableFailedError, LeaseLostError or ShutdownTimeoutError
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.state !== 'new') throw new Error('a ControllerManager is started once: make a new one');

    this.state = 'starting';
    const onStop = () => this.stopping.abort(signal.reason);
    signal.addEventListener('abort', onStop, { once: true });
    if (signal.aborted) onStop();

    const started: StartStep[] = [];
    const alive = keepProcessAlive();
    try {
      await this.startInOrder(started);
      await untilAborted(new Promise<never>(() => undefined), this.stopping.signal);
    } catch (error) {
      if (error !== this.stopping.signal.reason) throw error;
    } finally {
      signal.removeEventListener('abort', onStop);
      await this.stopAll(started).finally(() => alive.release());
    }
  }

  /** As `start`, until SIGTERM or SIGINT; a second one exits at once. */
  async runUntilSignal(source: SignalSource = process): Promise<void> {
    await runUntilSignal(source, (signal) => this.start(signal));
  }

  private async startInOrder(started: StartStep[]): Promise<void> {
    const { signal } = this.stopping;
    for (const step of this.buildSteps()) {
      signal.throwIfAborted();
      started.push(step);
      await untilAborted(step.start(signal), signal).catch((error: unknown) => this.fail(step.name, error));
    }
    signal.throwIfAborted();
    this.state = 'running';
    this.logger.info('the manager is running');
  }

  private buildSteps(): StartStep[] {
    const listeners = new Set([this.probesListener, this.metricsListener].filter((listener) => listener !== undefined));
    const events: StartStep = { name: 'events', start: () => Promise.resolve(), stop: () => this.recorder.stop() };
    return [...listeners, ...this.replicaRunnables, events, this.managedCaches, this.leadership];
  }

  private async stopAll(started: StartStep[]): Promise<void> {
    this.state = 'stopping';
    this.logger.info('the manager is stopping');
    try {
      await stopInReverse(started, this.gracePeriodMs(), this.clock, this.logger);
    } catch (error) {
      this.failure ??= error as Error;
    }
    this.state = 'stopped';
    if (this.failure) throw this.failure;
  }

  /** After a lost lease only the time until another may lead is left. */
  private gracePeriodMs(): number {
    const { gracePeriodMs = 30_000 } = this.options;
    if (!(this.failure instanceof LeaseLostError) || !this.elector) return gracePeriodMs;
    return Math.min(gracePeriodMs, this.elector.config.leaseDurationMs - this.elector.config.renewDeadlineMs);
  }

  private fail(name: string, error: unknown): void {
    if (error === this.stopping.signal.reason) return;
    if (this.stopping.signal.aborted) {
      this.logger.warn('something failed while stopping', { runnable: name, error });
      return;
    }
    this.failure = error instanceof LeaseLostError ? error : new RunnableFailedError(name, { cause: error });
    this.stopping.abort(this.failure);
  }

  private addOwnChecks(): void {
    this.health.add('ping', () => undefined);
    this.health.add('runnables', () => {
      if (this.failure) throw this.failure;
    });
    this.health.add('lease', () => {
      if (this.isLeaseOverdue) throw new Error('the lease is held but its renewal is overdue');
    });
    this.readiness.add('started', () => {
      if (this.state !== 'running') throw new Error(`the manager is ${this.state}`);
    });
    this.readiness.add('caches', () => {
      const { unsynced } = this.managedCaches;
      if (unsynced.length > 0) throw new Error(`not synced: ${unsynced.join(', ')}`);
    });
    this.readiness.add('watches', () => {
      const { stale } = this.managedCaches;
      if (stale.length > 0) throw new Error(`not heard of for a while: ${stale.join(', ')}`);
    });
  }

  private buildListeners(): { probes?: HttpListener; metrics?: HttpListener } {
    const { probes: probesAt, metrics: metricsAt } = this.options;
    const probes = probesAt && new HttpListener('probes', probesAt, this.logger);
    const isShared = probesAt?.port !== 0 && probesAt?.port === metricsAt?.port && probesAt?.host === metricsAt?.host;
    const metrics = isShared ? probes : metricsAt && new HttpListener('metrics', metricsAt, this.logger);

    probes?.add(healthRoute(this.health));
    probes?.add(healthRoute(this.readiness));
    metrics?.add(metricsRoute(this.metrics.registry));
    return { probes, metrics };
  }

  private checkNewName(name: string): void {
    if (this.state !== 'new') throw new Error(`cannot add ${name}: the manager has started; add everything before start()`);
    const isTaken = [...this.leaderRunnables, ...this.replicaRunnables].some((runnable) => runnable.name === name);
    if (isTaken) throw new Error(`cannot add ${name}: something of this name is there already; give it another name`);
  }
}
