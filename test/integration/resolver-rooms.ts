import { ElastiService } from '@elasti/api';
import { KubeSim, MemoryRuntime } from '@elasti/kube-sim';
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  KitMetrics,
  KubeClient,
  Namespace,
  Service,
  SharedCache,
  silentLogger,
  systemClock,
} from '@elasti/operator-kit';
import { ServiceDirectory } from '../../apps/resolver/src/directory';
import { PrivateServices, ReadyPods } from '../../apps/resolver/src/endpoints';
import { RouteTable } from '../../apps/resolver/src/routes';
import { aShard, type Lines } from '../../apps/resolver/src/routes/routes.fixture';

export const web = { namespace: 'shop', service: 'web', port: 80 };

/** A simulated cluster, and the rooms of one resolver that watch it. */
export class ResolverRooms {
  readonly directory: ServiceDirectory;
  readonly services: PrivateServices;
  readonly pods: ReadyPods;
  readonly table: RouteTable;

  private constructor(
    readonly sim: KubeSim,
    readonly client: KubeClient,
    readonly caches: SharedCache,
  ) {
    this.directory = new ServiceDirectory(caches);
    this.services = new PrivateServices(caches);
    this.pods = new ReadyPods(caches, this.services);
    this.table = new RouteTable(caches, 'elasti', silentLogger);
  }

  static async start(): Promise<ResolverRooms> {
    const sim = await KubeSim.start({ workloads: { runtime: new MemoryRuntime() } });
    const client = KubeClient.forServer({ server: sim.url });
    await client.create(CustomResourceDefinition, ElastiService.crd());
    for (const name of ['shop', 'elasti']) await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const caches = new SharedCache({ reader: client, clock: systemClock, logger: silentLogger, metrics: new KitMetrics() });
    const rooms = new ResolverRooms(sim, client, caches);
    const { signal } = new AbortController();
    await Promise.all([rooms.directory, rooms.services, rooms.pods, rooms.table].map((room) => room.synced(signal)));
    return rooms;
  }

  async stop(): Promise<void> {
    for (const room of [this.directory, this.services, this.pods, this.table]) room.close();
    await this.caches.stop();
    await this.client.close();
    await this.sim.stop();
  }

  /** `web`, asleep: a Deployment without replicas, its private Service, and the ElastiService that speaks for it. */
  async deployAsleep(): Promise<void> {
    const labels = { app: 'web' };
    const ports = [
      { name: 'http', port: 80, targetPort: 'http' },
      { name: 'metrics', port: 9090, targetPort: 9191 },
    ];
    await this.client.create(Deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'shop', name: 'web' },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image: 'web', ports: [{ name: 'http', containerPort: 8080 }] }] },
        },
      },
    });
    await this.client.create(Service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'shop', name: 'elasti-web-pvt-0123456789', labels: { 'elasti.truefoundry.com/private-service-of': 'web' } },
      spec: { selector: labels, ports },
    });
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    await this.client.create(ElastiService, ElastiService.create('web', { scaleTargetRef: target, service: 'web' }, { namespace: 'shop' }));
  }

  async scale(replicas: number): Promise<void> {
    await this.client.patch(Deployment, { namespace: 'shop', name: 'web' }, { type: 'merge', body: { spec: { replicas } } });
  }

  async route(lines: Lines, shard: number): Promise<void> {
    await this.client.apply(ConfigMap, aShard(lines, shard), { fieldManager: 'operator', force: true });
  }
}
