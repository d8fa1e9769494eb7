import { ElastiService } from '@elasti/api';
import { Deployment, EndpointSlice, Service } from '@elasti/operator-kit';
import { FakeClock, settle } from '@elasti/operator-kit/testing';
import { sliceManager } from '../names';
import { type Call, FakeCluster, formatCall } from './fake-cluster.fixture';
import { aDeployment, anElastiService, aService, type EndpointState, namespace, podsOf, resolversOf } from './objects.fixture';
import { Replica } from './replica.fixture';

const ref = { namespace, name: 'web' };
const resolverAddresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3'] as const;
const signal = new AbortController().signal;

/** What happens to a cluster that the operator has no hand in. */
export type Happening =
  | { readonly happens: 'pods become ready' | 'pods fail' | 'the watch shows the slices' }
  | { readonly happens: 'scaled by hand'; readonly replicas: number }
  | { readonly happens: 'asked for'; readonly at: 'leader' | 'other' }
  | { readonly happens: 'a resolver comes' | 'a resolver drains' | 'a resolver leaves'; readonly which: 0 | 1 | 2 };

export type Step =
  | Happening
  | { readonly happens: 'time passes'; readonly ms: number }
  | { readonly happens: 'found idle' | 'found busy' | 'the other leads' | 'the leader starts anew' }
  /** The watches show what is new, but for those that lag; the resolvers can take it, but for those that cannot. */
  | {
      readonly happens: 'reconcile';
      readonly lagging: readonly number[];
      readonly unable: readonly number[];
      readonly dies?: { readonly atCall: number; readonly when: 'before' | 'after' };
      readonly meanwhile?: { readonly atCall: number; readonly event: Happening };
    };

class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * One service, its pods, three resolver pods and two replicas of the operator, of which one leads.
 *
 * After every write and every happening it looks whether the Service has someone to answer. The resolvers keep their own promise: one is always ready, and one
 * that stops goes on serving until the operator has had its turn to name another.
 */
export class TrafficWorld {
  readonly clock = new FakeClock();
  readonly cluster = new FakeCluster(this.clock);
  readonly history: string[] = [];
  /** Moments in which nobody could answer. */
  readonly gaps: string[] = [];
  private readonly resolvers = new Map<string, EndpointState>(resolverAddresses.slice(0, 2).map((address) => [address, 'ready']));
  private pods: EndpointState | 'none' = 'ready';
  private replicas: [Replica, Replica];
  private leading: 0 | 1 = 0;
  private isWatched = false;

  constructor() {
    this.showResolvers();
    this.cluster.put(ElastiService, anElastiService());
    this.cluster.put(Service, aService());
    this.cluster.put(Deployment, aDeployment());
    this.showPods();
    this.replicas = [new Replica(this.cluster, this.clock), new Replica(this.cluster, this.clock)];
    this.cluster.after = (call) => this.observe(formatCall(call));
  }

  get leader(): Replica {
    return this.replicas[this.leading];
  }

  /** The first reconcile, after which the resolvers stand by. */
  async begin(): Promise<void> {
    await this.leader.reconcile();
    this.isWatched = true;
    for (const { caches } of this.replicas) caches.holdBack();
    this.observe('the beginning');
  }

  async take(step: Step): Promise<void> {
    this.history.push(JSON.stringify(step));
    switch (step.happens) {
      case 'time passes':
        await this.clock.advance(step.ms);
        break;
      case 'found idle':
        this.leader.wantSleep();
        break;
      case 'found busy':
        this.leader.wantStay();
        break;
      case 'the other leads':
        this.leading = this.leading === 0 ? 1 : 0;
        break;
      case 'the leader starts anew':
        this.restart();
        break;
      case 'reconcile':
        await this.reconcile(step);
        break;
      case 'pods become ready':
      case 'pods fail':
      case 'the watch shows the slices':
      case 'scaled by hand':
      case 'asked for':
      case 'a resolver comes':
      case 'a resolver drains':
      case 'a resolver leaves':
        await this.happen(step);
    }
  }

  /** Everything is seen, nothing fails, and the operator has the time it needs. */
  async calmDown(): Promise<void> {
    await this.happen({ happens: 'pods become ready' });
    for (let turn = 0; turn < 6; turn++) {
      await this.take({ happens: 'reconcile', lagging: [], unable: [] });
      await this.clock.advance(6_000);
    }
  }

  get scale(): number {
    return this.cluster.look(Deployment, ref).spec?.replicas ?? 1;
  }

  /** Whom each slice of ours names, by role. */
  named(): EndpointSlice[] {
    const ours = (slice: EndpointSlice) => slice.metadata.labels?.['endpointslice.kubernetes.io/managed-by'] === sliceManager;
    return this.cluster.all(EndpointSlice).filter(ours);
  }

  private async reconcile({ lagging, unable, dies, meanwhile }: Extract<Step, { happens: 'reconcile' }>): Promise<void> {
    const { leader, cluster } = this;
    leader.caches.acquired.forEach((cache, position) => lagging.includes(position) || cache.catchUp());
    leader.rehearsals.answer = ({ address }) =>
      unable.some((which) => resolverAddresses[which] === address) ? { cannot: 'reach a pod' } : 'can';
    const run = { calls: 0, isDead: false, isOther: false };
    let event: Promise<void> | undefined;
    const isDue = (when: 'before' | 'after') => dies?.when === when && dies.atCall === run.calls;
    const die = (call: Call) => {
      run.isDead = true;
      this.history.push(`dies at ${formatCall(call)}`);
      throw new Killed();
    };
    cluster.before = async (call) => {
      if (run.isOther) return;
      if (run.isDead) throw new Killed();
      run.calls++;
      if (meanwhile?.atCall === run.calls) {
        run.isOther = true;
        event = this.happen(meanwhile.event);
        // One who asks the leader may have to wait for the very call that waits here.
        await Promise.race([event, settle()]);
        run.isOther = false;
      }
      if (isDue('before')) die(call);
    };
    cluster.after = (call) => {
      this.observe(formatCall(call));
      if (!run.isOther && isDue('after')) die(call);
    };
    await leader.reconcile().catch((error: unknown) => this.history.push(`it ends with ${String(error)}`));
    await event;
    cluster.before = () => undefined;
    cluster.after = (call) => this.observe(formatCall(call));
    if (run.isDead) this.restart();
  }

  /** A new process begins with a list of its own. */
  private restart(): void {
    const fresh = new Replica(this.cluster, this.clock);
    fresh.caches.holdBack();
    this.replicas[this.leading] = fresh;
  }

  private async happen(event: Happening): Promise<void> {
    switch (event.happens) {
      case 'pods become ready':
        if (this.pods !== 'none') this.pods = 'ready';
        break;
      case 'pods fail':
        if (this.pods !== 'none') this.pods = 'not ready';
        break;
      case 'the watch shows the slices':
        for (const { caches } of this.replicas)
          caches.acquired.find(({ options }) => options.labelSelector?.endsWith(`=${sliceManager}`))?.catchUp();
        break;
      case 'scaled by hand':
        this.cluster.change(Deployment, ref, ({ spec }) => spec && (spec.replicas = event.replicas));
        break;
      case 'asked for': {
        const { wakes } = event.at === 'leader' ? this.leader : this.replicas[this.leading === 0 ? 1 : 0];
        // A request waits at a resolver, which asks again when it is refused.
        await wakes.wake(this.leader.elastiService(), 'it was asked for', signal).catch(() => undefined);
        break;
      }
      case 'a resolver comes':
      case 'a resolver drains':
      case 'a resolver leaves':
        this.changeResolver(event.happens, resolverAddresses[event.which]);
    }
    this.observe(event.happens);
  }

  private changeResolver(happens: string, address: string): void {
    const state = this.resolvers.get(address);
    const others = [...this.resolvers].filter(([other]) => other !== address);
    if (happens === 'a resolver comes') this.resolvers.set(address, 'ready');
    else if (happens === 'a resolver drains' && state === 'ready' && others.some(([, other]) => other === 'ready')) {
      this.resolvers.set(address, 'draining');
    } else if (happens === 'a resolver leaves' && state === 'draining' && this.mayLeave(address)) this.resolvers.delete(address);
    this.showResolvers();
  }

  /** Its grace is minutes: every watch has shown that it drains, and wherever it is named somebody else is, too. */
  private mayLeave(address: string): boolean {
    const isKnown = this.replicas.every(({ pods }) => pods.list().every((pod) => pod.address !== address || pod.state === 'draining'));
    const isAlive = (other: string) => other !== address && this.resolvers.has(other);
    const slices = this.named().map(addressesOf);
    return isKnown && slices.filter((named) => named.includes(address)).every((named) => named.some(isAlive));
  }

  private observe(moment: string): void {
    const before = this.pods;
    if (this.scale === 0) this.pods = 'none';
    else if (this.pods === 'none') this.pods = 'not ready';
    if (before !== this.pods || moment.startsWith('pods')) this.showPods();
    if (this.isWatched && !this.canAnswer()) this.gaps.push(`${moment} after ${this.history.join('\n  ')}`);
  }

  /** As a data plane sees it: those that are ready, or else those that still serve while they leave. */
  private canAnswer(): boolean {
    const endpoints = this.named().flatMap((slice) => slice.endpoints ?? []);
    const ready = endpoints.filter(({ conditions }) => conditions?.ready);
    if (this.pods === 'ready') return true;
    const used = ready.length > 0 ? ready : endpoints.filter(({ conditions }) => conditions?.serving && conditions.terminating);
    return used.some(({ addresses }) => addresses.some((address) => this.resolvers.has(address)));
  }

  private showPods(): void {
    this.cluster.put(EndpointSlice, podsOf('web', this.pods === 'none' ? {} : { '10.1.0.1': this.pods }));
  }

  private showResolvers(): void {
    this.cluster.put(EndpointSlice, resolversOf(Object.fromEntries(this.resolvers)));
  }
}

function addressesOf({ endpoints }: EndpointSlice): string[] {
  return (endpoints ?? []).flatMap(({ addresses }) => addresses);
}
