import { ElastiService, type RehearsalSubject } from '@elasti/api';
import { type Clock, ConflictError, done, type EventNote, type ReconcileResult } from '@elasti/operator-kit';
import { RecordingLogger } from '@elasti/operator-kit/testing';
import { ElastiDirectory } from '../crd-directory';
import { Informers } from '../informer';
import type { OperatorMetrics } from '../metrics';
import { type OperatorConfig, parseOperatorConfig } from '../operator.config';
import { type Rehearsed, type RehearsalOutcome, type ResolverPod, ResolverPods, type ServiceName, type Silence } from '../resolvers';
import { RouteLedger } from '../routes';
import { ElastiServiceReconciler } from './elastiservice.reconciler';
import type { FakeCluster } from './fake-cluster.fixture';
import { IdleReports } from './idle-reports';
import type { LaggingCaches } from './lagging-caches.fixture';
import { EndpointSliceOps } from './ops/endpoint-slice.ops';
import { FormerTargetOps } from './ops/former-target.ops';
import { HandOps } from './ops/hand.ops';
import { KedaOps } from './ops/keda.ops';
import { LifecycleOps } from './ops/lifecycle.ops';
import { ModeOps } from './ops/mode.ops';
import { ResolverMembershipOps } from './ops/resolver-membership.ops';
import { RestoreOps } from './ops/restore.ops';
import { RolloutOps } from './ops/rollout.ops';
import { RouteOps } from './ops/route.ops';
import { SceneOps } from './ops/scene.ops';
import { ServiceOps } from './ops/service.ops';
import { SleepOps } from './ops/sleep.ops';
import { TargetOps } from './ops/target.ops';
import { TrafficOps } from './ops/traffic.ops';
import { WakeOps } from './ops/wake.ops';
import { Pace } from './pace';
import { Standing } from './standing';

/** Answers as a test says, and remembers who could, as the real one does. */
export class FakeRehearsals {
  /** Every question that was asked, as `service@address`. */
  readonly asked: string[] = [];
  answer: (pod: ResolverPod, subject: RehearsalSubject) => RehearsalOutcome = () => 'can';
  private readonly able = new Set<string>();

  rehearse(subject: RehearsalSubject, pods: readonly ResolverPod[]): Promise<Rehearsed[]> {
    return Promise.resolve(
      pods.map((pod) => {
        this.asked.push(`${subject.service}@${pod.address}`);
        const outcome = this.answer(pod, subject);
        if (outcome === 'can') this.trust(subject, pod);
        else this.able.delete(keyOf(subject, pod));
        return { pod, outcome };
      }),
    );
  }

  known(subject: RehearsalSubject, pod: ResolverPod): boolean {
    return this.able.has(keyOf(subject, pod));
  }

  trust(subject: RehearsalSubject, pod: ResolverPod): void {
    this.able.add(keyOf(subject, pod));
  }

  forget(namespace: string, service: string): void {
    for (const key of this.able) if (key.startsWith(`${namespace}/${service} `)) this.able.delete(key);
  }
}

function keyOf({ namespace, service, routes }: RehearsalSubject, { address, uid }: ResolverPod): string {
  return `${namespace}/${service} ${JSON.stringify(routes)} ${address} ${uid ?? ''}`;
}

/** What the resolvers saw. */
export class FakeActivity {
  heard: Silence = { state: 'silent', forMs: Infinity, since: 'the counting began' };
  readonly asked: (readonly ServiceName[])[] = [];

  silence(services: readonly ServiceName[]): Promise<Silence> {
    this.asked.push(services);
    return Promise.resolve(this.heard);
  }
}

/** Every report as one line. */
export class RecordingMetrics implements OperatorMetrics {
  readonly lines: string[] = [];
  reconciled = this.recorder('reconciled');
  mode = this.recorder('mode');
  triggers = this.recorder('triggers');
  resolversReady = this.recorder('resolversReady');
  dryRun: OperatorMetrics['dryRun'] = (namespace, name, service, figures) =>
    void this.lines.push(
      ['dryRun', namespace, name, service, figures ? `${figures.sleptSeconds} s, ${figures.wakes} wakes` : 'none'].join(' '),
    );
  forget = this.recorder('forget');
  statusWritten = this.recorder('statusWritten');
  finalized = this.recorder('finalized');
  scaled = this.recorder('scaled');

  private recorder(what: string): (...details: (string | number | undefined)[]) => void {
    return (...details) => void this.lines.push([what, ...details].join(' '));
  }
}

/** One process of the operator, with caches, a memory and a life of its own, on a fake cluster. */
export class Replica {
  readonly events: EventNote[] = [];
  readonly metrics = new RecordingMetrics();
  readonly logger = new RecordingLogger();
  readonly rehearsals = new FakeRehearsals();
  readonly activity = new FakeActivity();
  readonly reports = new IdleReports();
  readonly config: OperatorConfig;
  readonly caches: LaggingCaches;
  readonly informers: Informers;
  readonly directory: ElastiDirectory;
  readonly pods: ResolverPods;
  readonly standing: Standing;
  readonly pace: Pace;
  readonly target: TargetOps;
  readonly keda: KedaOps;
  readonly wakes: WakeOps;
  readonly sleeps: SleepOps;
  readonly slices: EndpointSliceOps;
  readonly services: ServiceOps;
  readonly modes: ModeOps;
  readonly hands: HandOps;
  readonly traffic: TrafficOps;
  readonly scenes: SceneOps;
  readonly routes: RouteOps;
  readonly restores: RestoreOps;
  readonly lifecycle: LifecycleOps;
  readonly reconciler: ElastiServiceReconciler;

  constructor(
    readonly cluster: FakeCluster,
    readonly clock: Clock,
    env: Readonly<Record<string, string>> = {},
  ) {
    const { reports, rehearsals, activity, metrics, logger } = this;
    const eventsFor = () => ({ emit: (event: EventNote) => void this.events.push(event) });
    this.config = parseOperatorConfig(env);
    this.caches = cluster.attach();
    this.informers = new Informers(this.caches, this.caches, this.config);
    this.directory = new ElastiDirectory(this.informers);
    this.pods = new ResolverPods({ informers: this.informers, resolver: this.config.resolver, logger });
    this.standing = new Standing(clock);
    this.pace = new Pace(10, clock);
    this.target = new TargetOps(cluster, this.informers, clock);
    this.keda = new KedaOps(cluster, this.directory);
    const shared = { client: cluster, target: this.target, keda: this.keda, clock, metrics, eventsFor };
    this.wakes = new WakeOps(shared);
    this.sleeps = new SleepOps({ ...shared, activity, waker: this.wakes });
    this.slices = new EndpointSliceOps(cluster, this.informers);
    this.services = new ServiceOps(cluster, this.informers);
    this.modes = new ModeOps(this.slices, new ResolverMembershipOps(this.pods, rehearsals), this.target);
    this.hands = new HandOps(this.target);
    this.traffic = new TrafficOps({
      modes: this.modes,
      sleeps: this.sleeps,
      hands: this.hands,
      rollouts: new RolloutOps(),
      waker: this.wakes,
      reports,
      directory: this.directory,
      standing: this.standing,
      pace: this.pace,
      clock,
      config: this.config,
      eventsFor,
    });
    this.scenes = new SceneOps({
      client: cluster,
      informers: this.informers,
      directory: this.directory,
      resolvers: this.pods,
      target: this.target,
      standing: this.standing,
      clock,
      config: this.config,
    });
    const ledger = new RouteLedger({
      kube: cluster,
      routeShards: this.informers.routeShards,
      namespace: this.config.operator.namespace,
      clock,
      logger,
    });
    this.routes = new RouteOps(ledger, this.config);
    this.restores = new RestoreOps({
      slices: this.slices,
      modes: this.modes,
      services: this.services,
      routes: this.routes,
      rehearsals,
      waker: this.wakes,
      directory: this.directory,
      keda: this.keda,
      standing: this.standing,
      config: this.config,
      resolvers: this.pods,
      logger,
    });
    this.lifecycle = new LifecycleOps(cluster, clock, metrics, logger);
    this.reconciler = new ElastiServiceReconciler({
      scenes: this.scenes,
      routes: this.routes,
      services: this.services,
      traffic: this.traffic,
      restores: this.restores,
      formerTargets: new FormerTargetOps({ target: this.target, keda: this.keda, directory: this.directory, metrics, eventsFor }),
      keda: this.keda,
      wakes: this.wakes,
      lifecycle: this.lifecycle,
      reports,
      standing: this.standing,
      clock,
      metrics,
    });
  }

  /** One reconcile of what the watch shows, as the controller would do it. */
  async reconcile(name = 'web', signal = new AbortController().signal): Promise<ReconcileResult> {
    const elastiService = this.informers.elastiServices.get({ namespace: 'shop', name });
    if (!elastiService) return done;
    const { cluster: client, logger } = this;
    const cache = () => {
      throw new Error('the reconciler has caches of its own');
    };
    const context = { client, logger, signal, cache, events: { emit: (event: EventNote) => void this.events.push(event) } };
    if (elastiService.metadata.deletionTimestamp === undefined) return this.reconciler.reconcile(elastiService, context);
    return this.reconciler.finalize(elastiService, context);
  }

  /** As the loop does it: again when the object had changed meanwhile. */
  async reconcileUntilDone(name = 'web'): Promise<ReconcileResult> {
    try {
      return await this.reconcile(name);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      return this.reconcile(name);
    }
  }

  /** The idle loop has found it idle. */
  wantSleep(name = 'web', silenceMs = 0): void {
    this.reports.put({ namespace: 'shop', name }, { wants: 'sleep', reason: 'idle', silenceMs, triggers: 'healthy' });
  }

  wantStay(name = 'web'): void {
    this.reports.put({ namespace: 'shop', name }, { wants: 'stay', reason: 'busy', silenceMs: 0, triggers: 'healthy' });
  }

  /** The ElastiService as the API server has it. */
  elastiService(name = 'web'): ElastiService {
    return this.cluster.look(ElastiService, { namespace: 'shop', name });
  }

  conditionOf(type: string, name = 'web'): { status?: string; reason?: string; message?: string } {
    return this.elastiService(name).status?.conditions?.find((condition) => condition.type === type) ?? {};
  }
}
