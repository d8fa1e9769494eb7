import { ElastiService } from '@elasti/api';
import { Deployment, EndpointSlice, Service } from '@elasti/operator-kit';
import { FakeClock } from '@elasti/operator-kit/testing';
import { sliceManager, sliceRoleLabel } from '../names';
import { FakeCluster } from './fake-cluster.fixture';
import { aDeployment, anElastiService, aService, type ElastiServiceWish, type EndpointState, podsOf, resolversOf } from './objects.fixture';
import { Replica } from './replica.fixture';

export interface ShopWish extends ElastiServiceWish {
  readonly replicas?: number;
  readonly pods?: Readonly<Record<string, EndpointState>>;
  readonly resolvers?: Readonly<Record<string, EndpointState>>;
  readonly service?: Partial<NonNullable<Service['spec']>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A cluster with one service `web`, awake, two resolvers, and one replica of the operator. */
export class Shop {
  readonly clock = new FakeClock();
  readonly cluster = new FakeCluster(this.clock);
  readonly replica: Replica;
  readonly signal = new AbortController().signal;

  private readonly env: ShopWish['env'];

  constructor({ replicas = 1, pods = { '10.1.0.1': 'ready' }, resolvers, service, env, ...wish }: ShopWish = {}) {
    this.env = env;
    this.setResolvers(resolvers ?? { '10.0.0.1': 'ready', '10.0.0.2': 'ready' });
    this.cluster.put(ElastiService, anElastiService('web', wish));
    this.cluster.put(Service, aService('web', service));
    this.cluster.put(Deployment, aDeployment('web', replicas));
    this.setPods(pods);
    this.replica = new Replica(this.cluster, this.clock, env);
  }

  /** A process that has just taken the lead, and knows what the cluster says and nothing else. */
  anotherReplica(): Replica {
    return new Replica(this.cluster, this.clock, this.env);
  }

  setPods(states: Readonly<Record<string, EndpointState>>): void {
    this.cluster.put(EndpointSlice, podsOf('web', states));
  }

  setResolvers(states: Readonly<Record<string, EndpointState>>): void {
    this.cluster.put(EndpointSlice, resolversOf(states));
  }

  /** Somebody else does it. */
  scaleByHand(replicas: number, manager = 'kubectl-scale'): void {
    this.cluster.change(Deployment, { namespace: 'shop', name: 'web' }, ({ spec }) => spec && (spec.replicas = replicas), manager);
    if (replicas === 0) this.setPods({});
  }

  get scale(): number | undefined {
    return this.cluster.look(Deployment, { namespace: 'shop', name: 'web' }).spec?.replicas;
  }

  /** Whom the slices of a Service name, by role: `proxy: 10.0.0.1 ready`. */
  named(service = 'web'): string[] {
    return this.cluster
      .all(EndpointSlice)
      .filter(({ metadata: { labels = {} } }) => {
        return labels['endpointslice.kubernetes.io/managed-by'] === sliceManager && labels['kubernetes.io/service-name'] === service;
      })
      .flatMap(({ metadata, endpoints = [] }) => {
        const role = metadata.labels?.[sliceRoleLabel] ?? '';
        return endpoints.map(({ addresses, conditions }) => `${role}: ${addresses.join()}${conditions?.ready ? ' ready' : ''}`);
      });
  }

  roles(): string[] {
    return [...new Set(this.named().map((line) => line.replace(/:.*/, '')))].sort();
  }

  /** Puts it to sleep, from being awake. */
  async fallAsleep(): Promise<void> {
    this.replica.wantSleep();
    await this.replica.reconcile();
    await this.clock.advance(1_000);
    await this.replica.reconcile();
    await this.clock.advance(5_000);
    await this.replica.reconcile();
    this.setPods({});
    await this.replica.reconcile();
  }
}
