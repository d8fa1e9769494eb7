import { ElastiService } from '@elasti/api';
import { ControllerBuilder, ControllerManager, KubeClient } from '@elasti/operator-kit';
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { CrdDirectoryModule, ElastiDirectory } from '../crd-directory';
import { Informers } from '../informer';
import { OperatorMetrics } from '../metrics';
import { finalizerName } from '../names';
import { type OperatorConfig, operatorConfigToken } from '../operator.config';
import { ActivitySource, Rehearsals, ResolverPods, ResolversModule } from '../resolvers';
import { RouteLedger, RoutesModule } from '../routes';
import { saysSomethingNew } from './decisions/says-something-new';
import { ElastiServiceReconciler } from './elastiservice.reconciler';
import { IdleReports } from './idle-reports';
import { EndpointSliceOps } from './ops/endpoint-slice.ops';
import { FormerTargetOps } from './ops/former-target.ops';
import { HandOps } from './ops/hand.ops';
import { InformerOps } from './ops/informer.ops';
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
import { RouteSweep } from './route-sweep';
import { Standing } from './standing';
import { TargetScales } from './target-scales';
import { Waker } from './waker';

/** ElastiServices reconciled at the same time; most of their time is spent waiting for the API server. */
const concurrency = 48;
/** In case something was missed that no watch tells; costs no request when nothing changed. */
const resyncMs = 600_000;
/** How many sleeping services a second come back when no resolver is left. */
const restoresPerSecond = 10;

/**
 * Reconciles ElastiServices on the leader, and offers every replica what a wake needs.
 *
 * Needs OperatorKitModule, InformerModule, MetricsModule and the settings, all global.
 */
@Module({
  imports: [CrdDirectoryModule, ResolversModule, RoutesModule],
  providers: [
    IdleReports,
    RolloutOps,
    { provide: Standing, inject: [ControllerManager], useFactory: ({ clock }: ControllerManager) => new Standing(clock) },
    {
      provide: TargetOps,
      inject: [KubeClient, Informers, ControllerManager],
      useFactory: (client: KubeClient, informers: Informers, { clock }: ControllerManager) => new TargetOps(client, informers, clock),
    },
    { provide: TargetScales, useExisting: TargetOps },
    {
      provide: KedaOps,
      inject: [KubeClient, ElastiDirectory],
      useFactory: (client: KubeClient, directory: ElastiDirectory) => new KedaOps(client, directory),
    },
    {
      provide: Waker,
      inject: [KubeClient, TargetOps, KedaOps, ControllerManager, OperatorMetrics],
      useFactory: (client: KubeClient, target: TargetOps, keda: KedaOps, manager: ControllerManager, metrics: OperatorMetrics) =>
        new WakeOps({ client, target, keda, clock: manager.clock, metrics, eventsFor: (object) => manager.eventsFor(object) }),
    },
    {
      provide: ServiceOps,
      inject: [KubeClient, Informers],
      useFactory: (client: KubeClient, informers: Informers) => new ServiceOps(client, informers),
    },
    {
      provide: EndpointSliceOps,
      inject: [KubeClient, Informers],
      useFactory: (client: KubeClient, informers: Informers) => new EndpointSliceOps(client, informers),
    },
    {
      provide: ResolverMembershipOps,
      inject: [ResolverPods, Rehearsals],
      useFactory: (pods: ResolverPods, rehearsals: Rehearsals) => new ResolverMembershipOps(pods, rehearsals),
    },
    {
      provide: ModeOps,
      inject: [EndpointSliceOps, ResolverMembershipOps, TargetOps],
      useFactory: (slices: EndpointSliceOps, membership: ResolverMembershipOps, target: TargetOps) =>
        new ModeOps(slices, membership, target),
    },
    {
      provide: SleepOps,
      inject: [KubeClient, TargetOps, KedaOps, ActivitySource, Waker, ControllerManager, OperatorMetrics],
      useFactory: (
        client: KubeClient,
        target: TargetOps,
        keda: KedaOps,
        activity: ActivitySource,
        waker: Waker,
        manager: ControllerManager,
        metrics: OperatorMetrics,
      ) => {
        const { clock } = manager;
        return new SleepOps({ client, target, keda, activity, waker, clock, metrics, eventsFor: (object) => manager.eventsFor(object) });
      },
    },
    { provide: HandOps, inject: [TargetOps], useFactory: (target: TargetOps) => new HandOps(target) },
    {
      provide: TrafficOps,
      inject: [
        ModeOps,
        SleepOps,
        HandOps,
        RolloutOps,
        Waker,
        IdleReports,
        ElastiDirectory,
        Standing,
        ControllerManager,
        operatorConfigToken,
      ],
      useFactory: (
        modes: ModeOps,
        sleeps: SleepOps,
        hands: HandOps,
        rollouts: RolloutOps,
        waker: Waker,
        reports: IdleReports,
        directory: ElastiDirectory,
        standing: Standing,
        manager: ControllerManager,
        config: OperatorConfig,
      ) => {
        const { clock } = manager;
        const pace = new Pace(restoresPerSecond, clock);
        const eventsFor = manager.eventsFor.bind(manager);
        return new TrafficOps({ modes, sleeps, hands, rollouts, waker, reports, directory, standing, pace, clock, config, eventsFor });
      },
    },
    {
      provide: SceneOps,
      inject: [KubeClient, Informers, ElastiDirectory, ResolverPods, TargetOps, Standing, ControllerManager, operatorConfigToken],
      useFactory: (
        client: KubeClient,
        informers: Informers,
        directory: ElastiDirectory,
        resolvers: ResolverPods,
        target: TargetOps,
        standing: Standing,
        { clock }: ControllerManager,
        config: OperatorConfig,
      ) => new SceneOps({ client, informers, directory, resolvers, target, standing, clock, config }),
    },
    {
      provide: RouteOps,
      inject: [RouteLedger, operatorConfigToken],
      useFactory: (ledger: RouteLedger, config: OperatorConfig) => new RouteOps(ledger, config),
    },
    {
      provide: RestoreOps,
      inject: [
        EndpointSliceOps,
        ModeOps,
        ServiceOps,
        RouteOps,
        Rehearsals,
        Waker,
        ElastiDirectory,
        KedaOps,
        Standing,
        operatorConfigToken,
        ResolverPods,
        ControllerManager,
      ],
      useFactory: (
        slices: EndpointSliceOps,
        modes: ModeOps,
        services: ServiceOps,
        routes: RouteOps,
        rehearsals: Rehearsals,
        waker: Waker,
        directory: ElastiDirectory,
        keda: KedaOps,
        standing: Standing,
        config: OperatorConfig,
        resolvers: ResolverPods,
        { logger }: ControllerManager,
      ) => new RestoreOps({ slices, modes, services, routes, rehearsals, waker, directory, keda, standing, config, resolvers, logger }),
    },
    {
      provide: FormerTargetOps,
      inject: [TargetOps, KedaOps, ElastiDirectory, OperatorMetrics, ControllerManager],
      useFactory: (target: TargetOps, keda: KedaOps, directory: ElastiDirectory, metrics: OperatorMetrics, manager: ControllerManager) =>
        new FormerTargetOps({ target, keda, directory, metrics, eventsFor: (object) => manager.eventsFor(object) }),
    },
    {
      provide: LifecycleOps,
      inject: [KubeClient, ControllerManager, OperatorMetrics],
      useFactory: (client: KubeClient, { clock, logger }: ControllerManager, metrics: OperatorMetrics) =>
        new LifecycleOps(client, clock, metrics, logger),
    },
    {
      provide: InformerOps,
      inject: [Informers, ElastiDirectory, ResolverPods, IdleReports, LifecycleOps, OperatorMetrics],
      useFactory: (
        informers: Informers,
        directory: ElastiDirectory,
        resolvers: ResolverPods,
        reports: IdleReports,
        lifecycle: LifecycleOps,
        metrics: OperatorMetrics,
      ) => new InformerOps(informers, directory, resolvers, reports, lifecycle, metrics),
    },
    {
      provide: ElastiServiceReconciler,
      inject: [
        SceneOps,
        RouteOps,
        ServiceOps,
        TrafficOps,
        RestoreOps,
        FormerTargetOps,
        KedaOps,
        Waker,
        LifecycleOps,
        IdleReports,
        Standing,
        ControllerManager,
        OperatorMetrics,
      ],
      useFactory: (
        scenes: SceneOps,
        routes: RouteOps,
        services: ServiceOps,
        traffic: TrafficOps,
        restores: RestoreOps,
        formerTargets: FormerTargetOps,
        keda: KedaOps,
        wakes: Waker,
        lifecycle: LifecycleOps,
        reports: IdleReports,
        standing: Standing,
        { clock }: ControllerManager,
        metrics: OperatorMetrics,
      ) =>
        new ElastiServiceReconciler({
          scenes,
          routes,
          services,
          traffic,
          restores,
          formerTargets,
          keda,
          wakes,
          lifecycle,
          reports,
          standing,
          clock,
          metrics,
        }),
    },
    {
      provide: RouteSweep,
      inject: [RouteLedger, ElastiDirectory, ControllerManager],
      useFactory: (ledger: RouteLedger, directory: ElastiDirectory, { clock, logger }: ControllerManager) =>
        new RouteSweep(ledger, directory, clock, logger),
    },
  ],
  exports: [Waker, TargetScales, IdleReports, CrdDirectoryModule, ResolversModule],
})
export class ControllerModule implements OnModuleInit {
  constructor(
    @Inject(ControllerManager) private readonly manager: ControllerManager,
    @Inject(ElastiServiceReconciler) private readonly reconciler: ElastiServiceReconciler,
    @Inject(InformerOps) private readonly informers: InformerOps,
    @Inject(RouteSweep) private readonly sweep: RouteSweep,
  ) {}

  onModuleInit(): void {
    const controller = ControllerBuilder.for(ElastiService)
      .withReconciler(this.reconciler)
      .withPredicates(saysSomethingNew)
      .withFinalizer(finalizerName)
      .withConcurrency(concurrency)
      .withResyncEvery(resyncMs)
      .build(this.manager);
    this.informers.feed(controller);
    this.manager.add(this.sweep);
  }
}
