import { ElastiService, type ElastiServiceSpec } from '@elasti/api';
import { KubeSim } from '@elasti/kube-sim';
import {
  ConflictError,
  CustomResourceDefinition,
  Deployment,
  KubeClient,
  Namespace,
  type ResourceCache,
  systemClock,
} from '@elasti/operator-kit';
import { KedaOps } from '../../apps/operator/src/controller/ops/keda.ops';
import { SleepOps } from '../../apps/operator/src/controller/ops/sleep.ops';
import { TargetOps } from '../../apps/operator/src/controller/ops/target.ops';
import { WakeOps } from '../../apps/operator/src/controller/ops/wake.ops';
import { slimWorkload, type Workload } from '../../apps/operator/src/informer/workload';
import type { OperatorMetrics } from '../../apps/operator/src/metrics';
import { Actor, inEveryOrder, type Scene } from '../fixtures/elasti-world/interleavings';
import { ScaledObject, scaledObjectCrd } from '../fixtures/elasti-world/foreign-kinds';

jest.setTimeout(120_000);

const namespace = 'shop';
const silentEvents = () => ({ emit: () => undefined });
const silentMetrics = { scaled: () => undefined } as unknown as OperatorMetrics;
const signal = new AbortController().signal;

/** A watch that shows the target as it was, for ever. */
function watchThatShows(deployment: Deployment): ResourceCache<Workload> {
  return { hasSynced: true, get: () => slimWorkload(deployment) } as Partial<ResourceCache<Workload>> as ResourceCache<Workload>;
}

/** What one replica needs to wake and to put to sleep; every call of it to the API server waits for its turn. */
function replicaOf(client: KubeClient, actor: Actor, watch: ResourceCache<Workload> | undefined): { wakes: WakeOps; sleeps: SleepOps } {
  const gated = actor.gate(client);
  const target = new TargetOps(gated, { workloads: () => watch }, systemClock);
  const keda = new KedaOps(gated, { onTargetOf: () => [] });
  const shared = { client: gated, target, keda, clock: systemClock, metrics: silentMetrics, eventsFor: silentEvents };
  const wakes = new WakeOps(shared);
  const activity = { silence: () => Promise.resolve({ state: 'silent', forMs: Infinity, since: 'the counting began' } as const) };
  return { wakes, sleeps: new SleepOps({ ...shared, waker: wakes, activity }) };
}

describe('a wake on one replica that races a sleep on another', () => {
  let sim: KubeSim;
  let client: KubeClient;

  beforeAll(async () => {
    sim = await KubeSim.start();
    client = KubeClient.forServer({ server: sim.url });
    await client.create(CustomResourceDefinition, ElastiService.crd());
    await client.create(CustomResourceDefinition, scaledObjectCrd());
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });

  afterAll(async () => {
    await client.close();
    await sim.stop();
  });

  interface Situation {
    readonly spec?: Partial<ElastiServiceSpec>;
    /** How many ElastiServices have the target; the last one of them is woken, the first one is put to sleep. */
    readonly sharers?: number;
    readonly keda?: { readonly minReplicaCount: number };
    /** What both replicas' watches show of the target. */
    readonly watch?: 'it awake, as it is' | 'it asleep, as it was' | 'nothing, as of a kind that is not known';
  }

  async function build(name: string, { spec = {}, sharers = 1, keda, watch = 'it awake, as it is' }: Situation): Promise<Scene> {
    const asleep = await client.create(Deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
      },
    });
    const awake = await client.patch(Deployment, { namespace, name }, { type: 'merge', body: { spec: { replicas: 1 } } });
    if (keda) {
      await client.create(ScaledObject, {
        apiVersion: 'keda.sh/v1alpha1',
        kind: 'ScaledObject',
        metadata: { namespace, name },
        spec: { scaleTargetRef: { name }, ...keda },
      });
    }
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
    const autoscaler = keda && { type: 'keda' as const, name };
    const judged: ElastiService[] = [];
    for (let n = 0; n < sharers; n++) {
      const service = `${name}-${n}`;
      const object = ElastiService.create(service, { scaleTargetRef, service, autoscaler, ...spec }, { namespace });
      judged.push(await client.create(ElastiService, object));
    }
    const [first, last] = [judged[0], judged.at(-1)];
    if (!first || !last) throw new Error('a situation has at least one ElastiService');

    const [sleeper, waker] = [new Actor('sleep'), new Actor('wake')];
    const shown = { 'it awake, as it is': awake, 'it asleep, as it was': asleep, 'nothing, as of a kind that is not known': undefined }[
      watch
    ];
    const cache = shown && watchThatShows(shown);
    const { sleeps } = replicaOf(client, sleeper, cache);
    const { wakes } = replicaOf(client, waker, cache);
    const request = { sharers: judged, services: [], reason: 'idle', publishedForMs: 0, silence: 'not asked' } as const;
    sleeper.begin(() => sleeps.scaleDown(first, request, signal));
    waker.begin(() => wakes.wake(last, 'it was asked for', signal));
    return {
      actors: [sleeper, waker],
      check: async (order) => {
        const { spec: scale } = await client.getScale(Deployment, { namespace, name });
        const found = {
          order: order.join(', '),
          wakeFailed: waker.failure,
          replicas: scale.replicas ?? 0,
          keda: keda && (await kedaOf(name)),
        };
        expect(found).toMatchObject({ wakeFailed: undefined, replicas: spec.minTargetReplicas ?? 1 });
        if (keda) expect(found).toMatchObject({ keda: keda.minReplicaCount > 0 ? 'free' : 'held at 1' });
        // Another's write may be in its way, which the next reconcile gets over; nothing else may.
        if (sleeper.failure !== undefined) expect(sleeper.failure).toBeInstanceOf(ConflictError);
      },
    };
  }

  /** What KEDA would do with the target now. */
  async function kedaOf(name: string): Promise<string> {
    const { metadata } = await client.get(ScaledObject, { namespace, name });
    const { 'autoscaling.keda.sh/paused': paused, 'autoscaling.keda.sh/paused-replicas': replicas } = metadata.annotations ?? {};
    return paused === 'true' || replicas !== undefined ? `held at ${replicas ?? '?'}` : 'free';
  }

  it.each<[string, Situation, number]>([
    ['as it is', {}, 6],
    ['with watches that still show it asleep', { watch: 'it asleep, as it was' }, 6],
    ['of a kind that no watch shows', { watch: 'nothing, as of a kind that is not known' }, 6],
    ['and wants more replicas than there are', { spec: { minTargetReplicas: 3 } }, 6],
    ['of a target that KEDA scales', { keda: { minReplicaCount: 1 } }, 6],
    ['of a target that KEDA would take to zero', { keda: { minReplicaCount: 0 } }, 12],
    ['of a target that KEDA scales, and wants more replicas', { keda: { minReplicaCount: 2 }, spec: { minTargetReplicas: 2 } }, 12],
    ['through another ElastiService of the same target', { sharers: 2 }, 6],
    ['through another ElastiService of the same target, with KEDA', { sharers: 2, keda: { minReplicaCount: 1 } }, 12],
  ])('ends awake in every order of their calls: %s', async (_what, situation, atLeast) => {
    const prefix = `web-${Math.trunc(performance.now())}`;

    const orders = await inEveryOrder((run) => build(`${prefix}-${run}`, situation));

    expect(orders).toBeGreaterThan(atLeast);
  });
});
