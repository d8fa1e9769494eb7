import { Controller, Get, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { KubeSim } from '@elasti/kube-sim';
import {
  ConfigMap,
  ControllerBuilder,
  ControllerManager,
  type Frozen,
  JsonLogger,
  KubeClient,
  Lease,
  type Lister,
  type ReconcileResult,
  type Reconciler,
  done,
} from '@elasti/operator-kit';
import { CachesHealthIndicator, InjectLister, KitLogger, LeaderHealthIndicator, OperatorKitModule } from '@elasti/operator-kit/nest';
import { eventually } from '../conformance/eventually';

@Injectable()
class SettingsReconciler implements Reconciler<ConfigMap>, OnModuleInit {
  readonly reconciled = new Set<string>();

  constructor(
    private readonly manager: ControllerManager,
    @InjectLister('ConfigMap') private readonly settings: Lister<ConfigMap>,
  ) {}

  onModuleInit(): void {
    ControllerBuilder.for(ConfigMap).named('settings').withReconciler(this).build(this.manager);
  }

  reconcile(resource: Frozen<ConfigMap>): Promise<ReconcileResult> {
    const name = resource.metadata.name ?? '';
    if (this.settings.get({ namespace: 'default', name })) this.reconciled.add(name);
    return Promise.resolve(done);
  }
}

@Controller('ready')
class ReadyController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly caches: CachesHealthIndicator,
    private readonly leader: LeaderHealthIndicator,
  ) {}

  @Get()
  check(): Promise<unknown> {
    return this.health.check([() => this.caches.check('caches'), () => this.leader.check('leader')]);
  }
}

describe('OperatorKitModule in an application', () => {
  let sim: KubeSim;

  beforeEach(async () => {
    sim = await KubeSim.start();
  });

  afterEach(() => sim.stop());

  it('reconciles, reports health and metrics, and lets go of the lease when it is closed', async () => {
    const lines: string[] = [];
    const logger = new JsonLogger({ sink: (line) => lines.push(line) });
    const client = KubeClient.forServer({ server: sim.url });
    @Module({
      imports: [
        PrometheusModule.register({ defaultMetrics: { enabled: false } }),
        TerminusModule,
        OperatorKitModule.forRoot({
          name: 'settings-operator',
          client,
          logger,
          leaderElection: { namespace: 'default', name: 'settings' },
        }),
        OperatorKitModule.forLister(ConfigMap),
      ],
      controllers: [ReadyController],
      providers: [SettingsReconciler],
    })
    class SettingsModule {}
    const app = await NestFactory.create(SettingsModule, { logger: new KitLogger(logger) });
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();

    const metadata = { namespace: 'default', name: 'colours' };
    await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await eventually(() => expect([...app.get(SettingsReconciler).reconciled]).toEqual(['colours']));
    const ready = await fetch(`${url}/ready`);
    expect(await ready.json()).toMatchObject({
      status: 'ok',
      details: { caches: { status: 'up' }, leader: { status: 'up', isLeader: true } },
    });
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/reconcile_total\{controller="settings",result="\w+"\} 1/);

    await app.close();
    expect((await client.get(Lease, { namespace: 'default', name: 'settings' })).spec?.holderIdentity).toBe('');
    expect(lines.some((line) => line.includes('"context":"NestApplication"'))).toBe(true);
    await client.close();
  });
});
