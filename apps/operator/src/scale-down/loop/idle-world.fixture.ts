import { ElastiService, type ElastiServiceSpec, type ElastiServiceStatus } from '@elasti/api';
import { type Clock, type Frozen, type KubeWriter, type Logger, type ResourceCache, type Service } from '@elasti/operator-kit';
import { FakeClock, fakeClient, RecordingLogger } from '@elasti/operator-kit/testing';
import { type IdleReport, IdleReports, TargetScales, Waker, type WakeOutcome } from '../../controller';
import { ElastiDirectory } from '../../crd-directory';
import { formatTarget } from '../../informer';
import type { Activity, ActivitySnapshot } from '../../resolvers';
import { DryRunLedger } from '../dry-run';
import { PrometheusClient, type PrometheusDefaults, type QueryTransport, TriggerReader } from '../triggers';
import { isHealthQuery, type Reply, sample, ScriptedTransport } from '../triggers/query-transport.fixture';
import { IdleEffects } from './idle-effects';
import { IdleJudge } from './idle-judge';
import { IdleLoop } from './idle-loop';
import { Ticker } from './ticker';
import { TroubleLog } from './trouble-log';

export interface ServiceWish {
  spec?: Partial<ElastiServiceSpec>;
  status?: ElastiServiceStatus;
  createdAt?: string;
  deletedAt?: string;
  uid?: string;
}

/** Old, with one trigger whose query is the name. Each has a Service and a target of its own. */
export function anElastiService(name: string, { spec, status, createdAt, deletedAt, uid }: ServiceWish = {}): ElastiService {
  const triggers = [{ type: 'prometheus' as const, metadata: { serverAddress: 'http://prometheus:9090', query: name, threshold: '1' } }];
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  const created = ElastiService.create(
    name,
    { service: name, scaleTargetRef, triggers, cooldownPeriod: 900, ...spec },
    { namespace: 'shop' },
  );
  const metadata = {
    ...created.metadata,
    uid: uid ?? `uid-${name}`,
    creationTimestamp: createdAt ?? '2029-01-01T00:00:00Z',
    ...(deletedAt && { deletionTimestamp: deletedAt }),
  };
  return { ...created, metadata, ...(status && { status }) };
}

type Scale = number | undefined | Error | 'silence';

class FakeScales extends TargetScales {
  /** By the name of the target; 1 unless a test says otherwise. */
  readonly scales = new Map<string, Scale>();

  async replicasOf({ spec }: Frozen<ElastiService>): Promise<number | undefined> {
    const { name } = spec.scaleTargetRef;
    const scale = this.scales.has(name) ? this.scales.get(name) : 1;
    if (scale instanceof Error) throw scale;
    return scale === 'silence' ? new Promise<never>(() => undefined) : scale;
  }
}

class FakeWaker extends Waker {
  readonly isRushed = false;
  /** `wake web` or `stamp web`, with the reason of the first. */
  readonly calls: string[] = [];
  readonly failures = new Map<string, Error>();
  /** Everything waits for it. */
  gate: Promise<void> = Promise.resolve();
  open = 0;
  mostOpen = 0;

  async wake({ metadata: { name = '' } }: Frozen<ElastiService>, why: string): Promise<WakeOutcome> {
    await this.act(`wake ${name}`, name, why);
    return 'scaled';
  }

  stampBusy({ metadata: { name = '' } }: Frozen<ElastiService>): Promise<void> {
    return this.act(`stamp ${name}`, name);
  }

  private async act(call: string, name: string, why?: string): Promise<void> {
    this.calls.push(why === undefined ? call : `${call}: ${why}`);
    this.mostOpen = Math.max(this.mostOpen, ++this.open);
    await this.gate.finally(() => this.open--);
    const failure = this.failures.get(name);
    if (failure) throw failure;
  }
}

/** Ticks by the clock of the test. */
class ClockTicker extends Ticker {
  running = 0;

  constructor(private readonly clock: Clock) {
    super();
  }

  every(intervalMs: number, tick: () => void): { cancel(): void } {
    this.running++;
    const next = () =>
      this.clock.after(intervalMs, () => {
        timer = next();
        tick();
      });
    let timer = next();
    return {
      cancel: () => {
        this.running--;
        timer.cancel();
      },
    };
  }
}

export interface IdleWorldParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly client: Pick<KubeWriter, 'patch'>;
  /** Default: the scripted one. */
  readonly transport?: QueryTransport;
  readonly prometheus?: PrometheusDefaults;
}

/** A cluster in memory, and the loop that looks at it. */
export class IdleWorld {
  readonly services: ElastiService[] = [];
  readonly kubeServices = new Map<string, Service['spec']>();
  readonly scales = new FakeScales();
  readonly waker = new FakeWaker();
  readonly reports = new IdleReports();
  readonly ticker: ClockTicker;
  /** By the query of a trigger; 0, which is idle, unless a test says otherwise. */
  readonly replies = new Map<string, Reply>();
  readonly transport = new ScriptedTransport((query) => (isHealthQuery(query) ? sample(1) : (this.replies.get(query) ?? sample(0))));
  /** By the name of the Service; quiet unless a test says otherwise. */
  readonly activities = new Map<string, Activity>();
  activityReads = 0;
  synced: Promise<void> = Promise.resolve();
  readonly pressure = { isOn: false };
  readonly loop: IdleLoop;

  constructor({ clock, logger, client, transport, prometheus = {} }: IdleWorldParts) {
    this.ticker = new ClockTicker(clock);
    const reader = new TriggerReader({ get: ({ name }) => this.kubeService(name) }, prometheus);
    const troubles = new TroubleLog(logger);
    this.loop = new IdleLoop(
      {
        clock,
        logger,
        troubles,
        directory: new ElastiDirectory({ elastiServices: this.elastiServices() }),
        judge: new IdleJudge(this.scales, reader),
        effects: new IdleEffects(this.reports, this.waker, new DryRunLedger(client), troubles),
        prometheus: new PrometheusClient(transport ?? this.transport, clock),
        activity: { read: () => Promise.resolve(this.readActivity()) },
        ticker: this.ticker,
        pressure: this.pressure,
        synced: () => this.synced,
      },
      { pollingIntervalMs: 30_000, prometheus: { maxConcurrency: 8 } },
    );
  }

  add(...services: ElastiService[]): void {
    this.services.push(...services);
    for (const { spec } of services) this.kubeServices.set(spec.service, {});
  }

  report(name: string): IdleReport | undefined {
    return this.reports.of({ namespace: 'shop', name });
  }

  private readActivity(): ActivitySnapshot {
    this.activityReads++;
    return { of: (_namespace, service) => this.activities.get(service) ?? 'quiet' };
  }

  private kubeService(name: string): Service | undefined {
    return this.kubeServices.has(name)
      ? { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'shop', name }, spec: this.kubeServices.get(name) }
      : undefined;
  }

  private elastiServices(): ResourceCache<ElastiService> {
    const indexes: Record<string, (object: ElastiService) => string[]> = {
      byService: ({ spec }) => [spec.service, ...(spec.additionalServices ?? [])].map((service) => `shop/${service}`),
      byTarget: ({ spec }) => [formatTarget('shop', spec.scaleTargetRef)],
    };
    const lister: Pick<ResourceCache<ElastiService>, 'list' | 'byIndex'> = {
      list: () => [...this.services],
      byIndex: (index, value) => this.services.filter((service) => indexes[index]?.(service).includes(value)),
    };
    return lister as ResourceCache<ElastiService>;
  }
}

export interface IdleSetup {
  readonly world: IdleWorld;
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  readonly patches: ReturnType<typeof fakeClient>['patches'];
  readonly abort: AbortController;
  runRound(): Promise<void>;
}

/** A world with these services on paused time, and what a test of a round looks at. */
export function setupIdleWorld(...services: ElastiService[]): IdleSetup {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const { client, patches } = fakeClient();
  const world = new IdleWorld({ clock, logger, client });
  world.add(...services);
  const abort = new AbortController();
  const runRound = () => world.loop.runRound(abort.signal);
  return { world, clock, logger, patches, abort, runRound };
}
