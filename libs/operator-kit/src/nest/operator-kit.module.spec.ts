import { KubeConfig } from '@kubernetes/client-node';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { register } from 'prom-client';
import { type ResourceCache, SharedCache } from '../cache';
import { EndpointSlice, KubeClient, type KubeReader, type KubeWriter } from '../client';
import { ControllerManager } from '../manager';
import { FakeCaches, aController } from '../manager/manager.fixture';
import { KitMetrics } from '../metrics';
import { FakeClock, settle } from '../testing';
import { CachesHealthIndicator, LeaderHealthIndicator } from './health-indicators';
import { InjectLister } from './inject-lister';
import { OperatorKitModule } from './operator-kit.module';
import type { OperatorKitModuleOptions } from './operator-kit.options';

@Injectable()
class SliceReader {
  constructor(
    @InjectLister(EndpointSlice) readonly slices: ResourceCache<EndpointSlice>,
    @InjectLister('EndpointSlice') readonly slicesByName: ResourceCache<EndpointSlice>,
  ) {}
}

async function setup(options: Partial<OperatorKitModuleOptions> = { kitMetrics: new KitMetrics() }) {
  const journal: string[] = [];
  const caches = new FakeCaches(journal);
  const failures: unknown[] = [];
  const client = KubeClient.forServer({ server: 'http://127.0.0.1:1' });
  const application = await Test.createTestingModule({
    imports: [
      OperatorKitModule.forRootAsync({
        useFactory: () => ({
          name: 'webapp-operator',
          client,
          clock: new FakeClock(),
          onFailure: (error) => failures.push(error),
          ...options,
        }),
      }),
      OperatorKitModule.forLister(EndpointSlice),
    ],
    providers: [SliceReader],
  })
    .overrideProvider(SharedCache)
    .useValue(caches)
    .compile();
  return { application, caches, journal, failures, client, manager: application.get(ControllerManager) };
}

describe('OperatorKitModule', () => {
  it('provides the manager with its client, caches and metrics', async () => {
    const { application, client, manager } = await setup();

    const provided: KubeReader & KubeWriter = application.get(KubeClient);

    expect(provided).toBe(client);
    expect(manager.client).toBe(client);
    expect(manager.metrics).toBe(application.get(KitMetrics));
  });

  it('counts together with a client of your own, and shows it in the registry that the application serves', async () => {
    const { application, client, manager } = await setup({});

    const shown = register.getSingleMetric('rest_client_requests_total');
    register.clear();

    expect([manager.metrics, application.get(KitMetrics)]).toEqual([client.metrics, client.metrics]);
    expect(shown).toBe(client.metrics.clientRequests);
  });

  it('takes the metrics that the settings of a client name', async () => {
    const metrics = new KitMetrics();
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromClusterAndUser({ name: 'one', server: 'http://127.0.0.1:1', skipTLSVerify: false }, { name: 'one' });

    const { application } = await setup({ client: { kubeConfig, metrics } });

    expect([application.get(KitMetrics), application.get(KubeClient).metrics]).toEqual([metrics, metrics]);
  });

  it('starts the manager with the application and stops it with it', async () => {
    const { application, caches, journal, manager } = await setup();
    manager.add(aController('webapps', journal));
    caches.fill();

    await application.init();
    await settle();
    expect(journal).toEqual(['caches synced', 'webapps warmed up', 'webapps runs']);

    await application.close();
    expect(journal.slice(3)).toEqual(['webapps stopped', 'caches stopped']);
  });

  it('gives out one cache for each kind, also by its name', async () => {
    const { application, caches } = await setup();

    const reader = application.get(SliceReader);

    expect(reader.slices).toBe(reader.slicesByName);
    expect(caches.asked).toEqual([{ resource: 'endpointslices.discovery.k8s.io' }]);
  });

  it('reports caches as down until they are filled', async () => {
    const { application, caches } = await setup();
    const indicator = application.get(CachesHealthIndicator);

    expect(indicator.check('caches')).toEqual({ caches: { status: 'down', unsynced: ['endpointslices.discovery.k8s.io'], stale: [] } });

    caches.fill();
    expect(indicator.check('caches')).toEqual({ caches: { status: 'up' } });
  });

  it('reports a replica that does not lead as up', async () => {
    const { application } = await setup();

    expect(application.get(LeaderHealthIndicator).check('leader')).toEqual({ leader: { status: 'up', isLeader: false } });
  });

  it('tells the application when the manager failed', async () => {
    const { application, caches, failures, manager } = await setup();
    manager.add(aController('broken', [], { run: () => Promise.reject(new Error('out of luck')) }));
    caches.fill();

    await application.init();
    await settle();

    expect(failures).toEqual([expect.objectContaining({ message: 'broken failed: out of luck' })]);
  });
});
