import type { KubeObject, ResourceDefinition } from '@elasti/operator-kit';
import { FakeClock } from '@elasti/operator-kit/testing';
import { FakeCluster } from '../fake-cluster.fixture';
import { anElastiService } from '../objects.fixture';
import { KedaOps } from './keda.ops';

type ScaledObject = KubeObject & { spec: { minReplicaCount?: number } };
const scaledObject: ResourceDefinition<ScaledObject> = {
  group: 'keda.sh',
  version: 'v1alpha1',
  kind: 'ScaledObject',
  plural: 'scaledobjects',
  namespaced: true,
};
const ref = { namespace: 'shop', name: 'web' };
const nowMs = Date.UTC(2030, 0, 1);
const signal = new AbortController().signal;
const web = anElastiService('web', { spec: { autoscaler: { type: 'keda', name: 'web' } } });

function setup({ minReplicaCount, annotations = {} }: { minReplicaCount?: number; annotations?: Record<string, string> } = {}) {
  const cluster = new FakeCluster(new FakeClock());
  cluster.put(scaledObject, {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { ...ref, annotations },
    spec: { minReplicaCount },
  });
  const annotationsNow = () => {
    const { 'autoscaling.keda.sh/paused': paused, 'autoscaling.keda.sh/paused-replicas': replicas } =
      cluster.look(scaledObject, ref).metadata.annotations ?? {};
    return { paused, replicas };
  };
  return { cluster, keda: new KedaOps(cluster, { onTargetOf: () => [] }), annotationsNow };
}

describe('KedaOps', () => {
  it('pauses at zero, so that KEDA and the sleep want the same', async () => {
    const { keda, annotationsNow } = setup({ minReplicaCount: 1, annotations: { team: 'shop' } });

    await keda.pause(web, nowMs, signal);

    expect(annotationsNow()).toEqual({ paused: 'true', replicas: '0' });
  });

  it('lets KEDA go with a wake where it keeps a pod by itself', async () => {
    const { keda, annotationsNow } = setup({ minReplicaCount: 1 });
    await keda.pause(web, nowMs, signal);

    await expect(keda.unpause(web, 2, nowMs + 900_000, signal)).resolves.toBe('unpaused');

    expect(annotationsNow()).toEqual({ paused: 'false', replicas: undefined });
  });

  it.each([0, undefined])(
    'holds a ScaledObject with a minReplicaCount of %s at the replicas of the wake, which it would undo',
    async (minReplicaCount) => {
      const { keda, annotationsNow } = setup({ minReplicaCount });
      await keda.pause(web, nowMs, signal);

      await expect(keda.unpause(web, 2, nowMs + 900_000, signal)).resolves.toBe('held');

      expect(annotationsNow()).toEqual({ paused: 'true', replicas: '2' });
    },
  );

  it('lets go of what a wake has held when the cooldown is over, and not before', async () => {
    const { keda, annotationsNow } = setup({ minReplicaCount: 0 });
    await keda.unpause(web, 1, nowMs + 900_000, signal);

    await expect(keda.letGo(web, nowMs + 899_000, signal)).resolves.toEqual({ heldForMs: 1_000 });
    expect(annotationsNow()).toEqual({ paused: 'true', replicas: '1' });
    await expect(keda.letGo(web, nowMs + 900_000, signal)).resolves.toEqual({ heldForMs: 0 });

    expect(annotationsNow()).toEqual({ paused: 'false', replicas: undefined });
  });

  it('lets go of a pause that outlived its sleep, and never of one that is not ours', async () => {
    const theirs = { 'autoscaling.keda.sh/paused': 'true' };
    const { cluster, keda, annotationsNow } = setup({ minReplicaCount: 1, annotations: theirs });

    await keda.letGo(web, nowMs, signal);
    expect([annotationsNow(), cluster.writes]).toEqual([{ paused: 'true', replicas: undefined }, []]);
    await keda.pause(web, nowMs, signal);
    await keda.letGo(web, nowMs, signal);

    expect(annotationsNow().paused).toBe('false');
  });

  it('releases', async () => {
    const { keda, annotationsNow } = setup({ minReplicaCount: 0 });
    await keda.pause(web, nowMs, signal);

    await keda.release(web, signal);

    expect(annotationsNow()).toEqual({ paused: 'false', replicas: undefined });
  });

  it('is not in the way of a service that KEDA does not scale, nor of a ScaledObject that is gone', async () => {
    const { cluster, keda } = setup();
    const plain = anElastiService('web', { spec: { autoscaler: { type: 'hpa', name: 'web' } } });

    await keda.pause(plain, nowMs, signal);
    await expect(keda.unpause(plain, 1, nowMs, signal)).resolves.toBe('no scaled object');
    expect(cluster.calls).toEqual([]);
    cluster.remove(scaledObject, ref);
    await keda.pause(web, nowMs, signal);
    await expect(keda.unpause(web, 1, nowMs, signal)).resolves.toBe('no scaled object');

    await expect(keda.letGo(web, nowMs, signal)).resolves.toEqual({ heldForMs: 0 });
  });
});
