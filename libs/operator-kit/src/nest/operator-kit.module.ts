import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { register } from 'prom-client';
import { type CacheOptions, SharedCache } from '../cache';
import { KubeClient, type KubeObject, type ResourceLike } from '../client';
import { systemClock } from '../clock';
import { silentLogger } from '../logging';
import { ControllerManager } from '../manager';
import { KitMetrics } from '../metrics';
import { CachesHealthIndicator, LeaderHealthIndicator } from './health-indicators';
import { buildListerProviders } from './inject-lister';
import { ManagerLifecycle } from './manager-lifecycle';
import { type OperatorKitModuleAsyncOptions, type OperatorKitModuleOptions, optionsToken } from './operator-kit.options';

const kitProviders: Provider[] = [
  {
    provide: KitMetrics,
    inject: [optionsToken],
    useFactory: ({ kitMetrics, client }: OperatorKitModuleOptions) => kitMetrics ?? metricsWith(client),
  },
  {
    provide: KubeClient,
    inject: [optionsToken, KitMetrics],
    useFactory: ({ client, clock, logger }: OperatorKitModuleOptions, metrics: KitMetrics) =>
      client instanceof KubeClient ? client : KubeClient.fromKubeConfig({ clock, logger, metrics, ...client }),
  },
  {
    provide: SharedCache,
    inject: [optionsToken, KubeClient, KitMetrics],
    useFactory: ({ clock = systemClock, logger = silentLogger }: OperatorKitModuleOptions, reader: KubeClient, metrics: KitMetrics) =>
      new SharedCache({ reader, clock, logger, metrics }),
  },
  {
    provide: ControllerManager,
    inject: [optionsToken, KubeClient, SharedCache, KitMetrics],
    useFactory: (options: OperatorKitModuleOptions, client: KubeClient, caches: SharedCache, kitMetrics: KitMetrics) =>
      new ControllerManager({ ...options, client, caches, kitMetrics }),
  },
  HealthIndicatorService,
  CachesHealthIndicator,
  LeaderHealthIndicator,
  ManagerLifecycle,
];
const kitExports = [KitMetrics, KubeClient, SharedCache, ControllerManager, CachesHealthIndicator, LeaderHealthIndicator];

/** One with the client's, and in the registry that @willsoto/nestjs-prometheus serves unless the settings of the client name another. */
function metricsWith(client: OperatorKitModuleOptions['client']): KitMetrics {
  if (!(client instanceof KubeClient)) return client?.metrics ?? new KitMetrics(register);
  client.metrics.showIn(register);
  return client.metrics;
}

/**
 * The kit inside a Nest application: one manager with its client and caches, started and stopped with the application.
 *
 * Global. Call `app.enableShutdownHooks()`, or a signal ends the process without giving the lease back.
 */
@Module({})
export class OperatorKitModule {
  static forRoot(options: OperatorKitModuleOptions): DynamicModule {
    return OperatorKitModule.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync({ imports, inject = [], ...factory }: OperatorKitModuleAsyncOptions): DynamicModule {
    const options: Provider = { provide: optionsToken, inject, ...factory };
    return { module: OperatorKitModule, global: true, imports, providers: [options, ...kitProviders], exports: kitExports };
  }

  /** Makes the lister of a kind injectable (`@InjectLister`) in the importing module. */
  static forLister<T extends KubeObject>(resource: ResourceLike<T>, options: CacheOptions<T> = {}): DynamicModule {
    const providers = buildListerProviders(resource, options);
    return { module: OperatorKitModule, providers, exports: providers };
  }
}
