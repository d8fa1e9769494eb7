import { type KubeClient } from '@elasti/operator-kit';
import { ScaledObject } from '../../fixtures/elasti-world/foreign-kinds';
import { eventually } from '../../eventually';
import { kubectl } from '../kubectl';
import type { HttpResult } from '../resolver/caller';
import type { SleeperOptions } from '../resolver/sleepers';
import type { World } from '../resolver/world';

/** Who nobody comes to for two seconds falls asleep. */
const whenIdle = { triggers: [{ type: 'traffic' as const, metadata: { window: '2s' } }] };

/** Awake at the start, so that each falls asleep by itself before it is asked for. */
export const kindStock: Readonly<Record<string, SleeperOptions>> = {
  plain: { replicas: 1, spec: whenIdle },
  db: { kind: 'StatefulSet', replicas: 1, spec: whenIdle },
  canary: { kind: 'Rollout', replicas: 1, spec: whenIdle },
  'keda-one': { replicas: 1, spec: { ...whenIdle, autoscaler: { type: 'keda', name: 'keda-one' } } },
  'keda-zero': { replicas: 1, spec: { ...whenIdle, autoscaler: { type: 'keda', name: 'keda-zero' } } },
  hand: { replicas: 1 },
  'hand-set': { kind: 'StatefulSet', replicas: 1 },
  'hand-canary': { kind: 'Rollout', replicas: 1 },
  local: { service: { internalTrafficPolicy: 'Local' } },
};

/** KEDA's objects for those that have one. */
export async function layScaledObjects(client: KubeClient, namespace: string): Promise<void> {
  for (const [name, minReplicaCount] of [
    ['keda-one', 1],
    ['keda-zero', 0],
  ] as const) {
    const metadata = { name, namespace };
    await client.create(ScaledObject, {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata,
      spec: { scaleTargetRef: { name }, minReplicaCount },
    });
  }
}

/** Every kind of target goes from one to zero by itself, and from zero to one by a request. */
export function describeKinds(world: World): void {
  const ask = (name: string, headers: Readonly<Record<string, string>> = {}) =>
    world.caller.request(world.sleepers.addressOf(name, 'http'), { headers });

  const annotationsOf = async (name: string) => {
    const { metadata } = await world.client.get(ScaledObject, { namespace: world.sleepers.namespace, name });
    return metadata.annotations ?? {};
  };

  /** It fell asleep, and answers from a pod of its own. */
  async function sleepAndWake(name: string): Promise<void> {
    await world.sleepers.asleep(name, world.caller);
    expect(await world.sleepers.replicasOf(name)).toBe(0);
    await world.sleepers.stayAwakeNextTime(name);

    const answer = await ask(name);

    expect(answer).toMatchObject({ status: 200, trailers: { 'x-pod': (await world.sleepers.podOf(name)).metadata.name } });
    expect(await world.sleepers.replicasOf(name)).toBe(1);
    await world.sleepers.awake(name);
  }

  it.each([
    ['a Deployment', 'plain'],
    ['a StatefulSet', 'db'],
    ['an Argo Rollout', 'canary'],
  ])('lets %s that nobody comes to fall asleep, and wakes it by a request', async (_kind, name) => {
    await sleepAndWake(name);
  });

  it("pauses KEDA's ScaledObject at zero while the target sleeps, and lets it go by the request that wakes it", async () => {
    await world.sleepers.asleep('keda-one', world.caller);
    const asleep = await annotationsOf('keda-one');

    await sleepAndWake('keda-one');

    expect(asleep).toMatchObject({ 'autoscaling.keda.sh/paused': 'true', 'autoscaling.keda.sh/paused-replicas': '0' });
    const awake = await annotationsOf('keda-one');
    expect(awake['autoscaling.keda.sh/paused']).toBe('false');
    expect(awake).not.toHaveProperty(['autoscaling.keda.sh/paused-replicas']);
  });

  it('holds a ScaledObject that may scale to zero at the replicas of the wake', async () => {
    await sleepAndWake('keda-zero');

    expect(await annotationsOf('keda-zero')).toMatchObject({
      'autoscaling.keda.sh/paused': 'true',
      'autoscaling.keda.sh/paused-replicas': '1',
    });
  });

  it('wakes a Service that keeps to its node by a request from that node', async () => {
    await world.sleepers.asleep('local', world.caller);

    expect((await ask('local')).status).toBe(200);
  });

  it.each([
    ['deployment', 'hand'],
    ['statefulset', 'hand-set'],
    ['rollouts.argoproj.io', 'hand-canary'],
  ])('follows a hand that scales a %s: resolvers answer at zero, and pods, with nobody between, above it', async (kind, name) => {
    const scale = (replicas: number) => kubectl('scale', `${kind}/${name}`, '-n', world.sleepers.namespace, `--replicas=${replicas}`);
    await world.sleepers.awake(name);

    await scale(0);
    await world.sleepers.asleep(name, world.caller);
    await scale(2);
    await world.sleepers.awake(name);
    const answers: HttpResult[] = [];
    await eventually('nobody between', async () => {
      const some = await Promise.all(Array.from({ length: 10 }, () => ask(name, { 'x-elasti-timing': '1' })));
      answers.push(...some);
      return some.some(({ headers }) => 'server-timing' in headers) ? undefined : true;
    });

    expect(await world.sleepers.replicasOf(name)).toBe(2);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
}
