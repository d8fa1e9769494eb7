import { KubeSim, MemoryRuntime, type SimClock, type WorkloadSettings } from '@elasti/kube-sim';
import { ManualClock } from '../../libs/kube-sim/src/manual-clock.fixture';
import { eventually } from '../eventually';
import { Watch, call } from './kube-sim-wire';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets';
const STATEFUL_SETS = '/apis/apps/v1/namespaces/default/statefulsets';
const SERVICES = '/api/v1/namespaces/default/services';
const PODS = '/api/v1/namespaces/default/pods';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const NODES = '/api/v1/nodes';

interface Endpoint {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  nodeName?: string;
  zone?: string;
  hostname?: string;
  targetRef?: { kind: string; name: string; namespace: string; uid: string };
}

interface Thing {
  metadata: {
    name: string;
    uid: string;
    generation: number;
    resourceVersion: string;
    generateName?: string;
    deletionTimestamp?: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    ownerReferences?: { kind: string; name: string; uid: string; controller: boolean }[];
    managedFields: { manager: string; subresource?: string }[];
  };
  spec: { replicas: number; nodeName: string; hostname: string; subdomain: string; volumes: object[]; containers: { image: string }[] };
  status: Record<string, unknown> & {
    phase: string;
    podIP: string;
    conditions: { type: string; status: string; reason?: string }[];
    containerStatuses: { restartCount: number; state: object }[];
  };
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: { name: string; port: number; protocol: string }[] | null;
}

const podTemplate = (app: string, container: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image: 'one', ports: [{ name: 'http', containerPort: 8080 }], ...container }] },
});

const workload = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: podTemplate(name), ...spec },
});

const service = (name: string, spec: object = {}, labels: Record<string, string> = {}) => ({
  metadata: { name, labels },
  spec: { selector: { app: name }, ports: [{ name: 'web', port: 80, targetPort: 'http' }], ...spec },
});

const setImage = (image: string) => ({ spec: { template: podTemplate('web', { image }) } });

describe('KubeSim workloads', () => {
  let sim: KubeSim;
  let runtime: MemoryRuntime;

  async function start(settings: WorkloadSettings = {}, clock?: SimClock): Promise<void> {
    runtime = new MemoryRuntime({ clock });
    sim = await KubeSim.start({ clock, workloads: { runtime, ...settings } });
  }

  afterEach(() => sim.stop());

  async function send(method: string, path: string, body?: unknown): Promise<Thing> {
    const answer = await call(sim, method, path, body);
    if (answer.code >= 300) throw new Error(`${method} ${path}: ${answer.body.message ?? answer.code}`);
    return answer.body as unknown as Thing;
  }

  const get = (path: string) => send('GET', path);

  async function list(path: string, labels = ''): Promise<Thing[]> {
    const { body } = await call(sim, 'GET', `${path}?labelSelector=${encodeURIComponent(labels)}`);
    return (body.items ?? []) as unknown as Thing[];
  }

  const scale = (path: string, replicas: number) => send('PATCH', `${path}/scale`, { spec: { replicas } });

  /** Waits until a look at the cluster gives what is expected. */
  async function settles(look: () => Promise<unknown>, expected: unknown): Promise<void> {
    let seen: unknown;
    try {
      await eventually(
        'the state',
        async () => {
          seen = await look();
          return JSON.stringify(seen) === JSON.stringify(expected) ? true : undefined;
        },
        5_000,
      );
    } catch {
      expect(seen).toEqual(expected);
    }
  }

  const counts = async (path: string) => {
    const { status } = await get(path);
    return [status.replicas ?? 0, status.readyReplicas ?? 0, status.availableReplicas ?? 0, status.updatedReplicas ?? 0];
  };

  const slicesOf = (name: string) => list(SLICES, `kubernetes.io/service-name=${name}`);

  const endpointsOf = async (name: string) => (await slicesOf(name)).flatMap(({ endpoints }) => endpoints ?? []);

  const conditionsOf = async (name: string) =>
    (await endpointsOf(name)).map(({ conditions: { ready, serving, terminating } }) => [ready, serving, terminating]);

  const READY = [true, true, false];
  const NOT_READY = [false, false, false];
  const TERMINATING = [false, true, true];

  async function isQuiet(): Promise<void> {
    let last = -1;
    await eventually('no more writes', async () => {
      const now = sim.store.currentVersion;
      const isSame = now === last;
      last = now;
      return isSame ? true : undefined;
    });
  }

  describe('switched off', () => {
    it('leaves Deployments and Services alone', async () => {
      sim = await KubeSim.start();

      await send('POST', DEPLOYMENTS, workload('web'));
      await send('POST', SERVICES, service('web'));
      await isQuiet();

      expect([await list(REPLICA_SETS), await list(PODS), await list(SLICES), await list(NODES)]).toEqual([[], [], [], []]);
    });
  });

  describe('Deployments', () => {
    beforeEach(() => start());

    it('make a ReplicaSet of the template, which makes pods, each owned by the one before', async () => {
      await send('POST', DEPLOYMENTS, workload('web', { replicas: 2 }));

      await settles(() => counts(`${DEPLOYMENTS}/web`), [2, 2, 2, 2]);
      const deployment = await get(`${DEPLOYMENTS}/web`);
      const [replicaSet, ...others] = await list(REPLICA_SETS);
      const pods = await list(PODS);
      const hash = replicaSet?.metadata.labels['pod-template-hash'] ?? '';
      expect(others).toEqual([]);
      expect(hash).toMatch(/^[a-z0-9]+$/);
      expect(replicaSet?.metadata.name).toBe(`web-${hash}`);
      expect(replicaSet?.metadata.ownerReferences).toMatchObject([
        { kind: 'Deployment', name: 'web', uid: deployment.metadata.uid, controller: true },
      ]);
      expect(pods.map(({ metadata }) => metadata.labels)).toEqual(Array(2).fill({ app: 'web', 'pod-template-hash': hash }));
      expect(pods.map(({ metadata }) => metadata.generateName)).toEqual(Array(2).fill(`web-${hash}-`));
      expect(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual(Array(2).fill(replicaSet?.metadata.uid));
    });

    it('say in their status what was seen and how it is', async () => {
      const release = runtime.holdReadiness();
      await send('POST', DEPLOYMENTS, workload('web'));

      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 0, 0, 1]);
      const conditions = async () => {
        const { status } = await get(`${DEPLOYMENTS}/web`);
        return status.conditions.map(({ type, status: holds, reason }) => [type, holds, reason]);
      };
      await settles(conditions, [
        ['Available', 'False', 'MinimumReplicasUnavailable'],
        ['Progressing', 'True', 'ReplicaSetUpdated'],
      ]);
      release();

      await settles(conditions, [
        ['Available', 'True', 'MinimumReplicasAvailable'],
        ['Progressing', 'True', 'NewReplicaSetAvailable'],
      ]);
      const { metadata, status } = await get(`${DEPLOYMENTS}/web`);
      expect(status.observedGeneration).toBe(metadata.generation);
      expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    });

    it('follow the scale subresource up and down, and to zero, which leaves one empty ReplicaSet', async () => {
      await send('POST', DEPLOYMENTS, workload('web', { replicas: 0 }));
      await settles(async () => (await list(REPLICA_SETS)).map(({ spec }) => spec.replicas), [0]);

      await scale(`${DEPLOYMENTS}/web`, 3);
      await settles(() => counts(`${DEPLOYMENTS}/web`), [3, 3, 3, 3]);
      await scale(`${DEPLOYMENTS}/web`, 1);
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
      await scale(`${DEPLOYMENTS}/web`, 0);

      await settles(() => counts(`${DEPLOYMENTS}/web`), [0, 0, 0, 0]);
      await settles(() => list(PODS), []);
      expect((await list(REPLICA_SETS)).map(({ spec }) => spec.replicas)).toEqual([0]);
      const { metadata, status } = await get(`${DEPLOYMENTS}/web`);
      expect(status.observedGeneration).toBe(metadata.generation);
    });

    it('replace a pod that somebody deleted', async () => {
      await send('POST', DEPLOYMENTS, workload('web'));
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
      const [before] = await list(PODS);

      await send('DELETE', `${PODS}/${before?.metadata.name ?? ''}`);

      await settles(async () => (await list(PODS)).map(({ metadata }) => metadata.uid === before?.metadata.uid), [false]);
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
    });

    it('roll to a new template without ever having fewer available pods than allowed', async () => {
      await send('POST', DEPLOYMENTS, workload('web'));
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
      const release = runtime.holdReadiness(({ spec }) => JSON.stringify(spec).includes('"two"'));

      await send('PATCH', `${DEPLOYMENTS}/web`, setImage('two'));
      const images = async () => (await list(PODS)).map(({ spec }) => spec.containers[0]?.image).sort();
      await settles(images, ['one', 'two']);
      await isQuiet();
      expect(await images()).toEqual(['one', 'two']);
      release();

      await settles(images, ['two']);
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
      expect((await get(`${DEPLOYMENTS}/web`)).metadata.annotations['deployment.kubernetes.io/revision']).toBe('2');
    });

    it('go back to the ReplicaSet of an earlier template', async () => {
      await send('POST', DEPLOYMENTS, workload('web'));
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
      await send('PATCH', `${DEPLOYMENTS}/web`, setImage('two'));
      await settles(async () => (await list(REPLICA_SETS)).map(({ spec }) => spec.replicas).sort(), [0, 1]);

      await send('PATCH', `${DEPLOYMENTS}/web`, setImage('one'));

      const images = async () => (await list(PODS)).map(({ spec }) => spec.containers[0]?.image);
      await settles(images, ['one']);
      expect(await list(REPLICA_SETS)).toHaveLength(2);
      expect((await get(`${DEPLOYMENTS}/web`)).metadata.annotations['deployment.kubernetes.io/revision']).toBe('3');
    });

    it('that recreate start no new pod before the last old one is gone', async () => {
      await send('POST', DEPLOYMENTS, workload('web', { strategy: { type: 'Recreate' } }));
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
      const release = runtime.holdTermination();

      await send('PATCH', `${DEPLOYMENTS}/web`, setImage('two'));
      const images = async () => (await list(PODS)).map(({ spec }) => spec.containers[0]?.image);
      await settles(async () => (await list(PODS)).map(({ metadata }) => metadata.deletionTimestamp !== undefined), [true]);
      await isQuiet();
      expect(await images()).toEqual(['one']);
      release();

      await settles(images, ['two']);
    });

    it('take their ReplicaSets and pods with them', async () => {
      await send('POST', DEPLOYMENTS, workload('web', { replicas: 2 }));
      await settles(() => counts(`${DEPLOYMENTS}/web`), [2, 2, 2, 2]);

      await send('DELETE', `${DEPLOYMENTS}/web`);

      await settles(async () => [...(await list(REPLICA_SETS)), ...(await list(PODS))], []);
    });

    it('go with their namespace', async () => {
      await send('POST', '/api/v1/namespaces', { metadata: { name: 'short' } });
      await send('POST', DEPLOYMENTS.replace('default', 'short'), workload('web'));
      await settles(() => counts(`${DEPLOYMENTS.replace('default', 'short')}/web`), [1, 1, 1, 1]);

      await send('DELETE', '/api/v1/namespaces/short');

      await settles(async () => (await call(sim, 'GET', '/api/v1/namespaces/short')).code, 404);
    });

    it('are written to by a manager of its own, and never again once all is said', async () => {
      await send('POST', DEPLOYMENTS, workload('web'));
      await send('POST', SERVICES, service('web'));
      await settles(() => conditionsOf('web'), [READY]);
      await isQuiet();
      const version = sim.store.currentVersion;

      // A write of somebody else wakes every controller, and none has anything to say.
      await send('PATCH', `${DEPLOYMENTS}/web`, { metadata: { annotations: { touched: 'yes' } } });
      await isQuiet();

      expect(sim.store.currentVersion).toBe(version + 1);
      const { metadata } = await get(`${DEPLOYMENTS}/web`);
      expect(metadata.managedFields).toContainEqual(expect.objectContaining({ manager: 'kube-controller-manager', subresource: 'status' }));
    });
  });

  describe('StatefulSets', () => {
    beforeEach(() => start());

    const names = async () => (await list(PODS)).map(({ metadata }) => metadata.name);

    it('make numbered pods in order, each after the one before is ready', async () => {
      const release = runtime.holdReadiness(({ name }) => name === 'db-0');
      await send('POST', STATEFUL_SETS, workload('db', { replicas: 2, serviceName: 'db-pods' }));

      await settles(names, ['db-0']);
      await isQuiet();
      expect(await names()).toEqual(['db-0']);
      release();

      await settles(() => counts(`${STATEFUL_SETS}/db`), [2, 2, 2, 2]);
      const [first] = await list(PODS);
      expect([first?.spec.hostname, first?.spec.subdomain]).toEqual(['db-0', 'db-pods']);
      expect(first?.metadata.labels).toMatchObject({ 'statefulset.kubernetes.io/pod-name': 'db-0', 'apps.kubernetes.io/pod-index': '0' });
    });

    it('end the last pod first, one at a time', async () => {
      await send('POST', STATEFUL_SETS, workload('db', { replicas: 2 }));
      await settles(() => counts(`${STATEFUL_SETS}/db`), [2, 2, 2, 2]);
      const release = runtime.holdTermination();

      await scale(`${STATEFUL_SETS}/db`, 0);
      const ending = async () => (await list(PODS)).map(({ metadata }) => metadata.deletionTimestamp !== undefined);
      await settles(ending, [false, true]);
      await isQuiet();
      expect(await ending()).toEqual([false, true]);
      release();

      await settles(names, []);
      await settles(() => counts(`${STATEFUL_SETS}/db`), [0, 0, 0, 0]);
    });

    it('give a pod its claims, which outlive it', async () => {
      const claims = [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      ];
      const template = podTemplate('db', { volumeMounts: [{ name: 'data', mountPath: '/data' }] });
      await send('POST', STATEFUL_SETS, workload('db', { template, volumeClaimTemplates: claims }));
      await settles(() => counts(`${STATEFUL_SETS}/db`), [1, 1, 1, 1]);
      const [pod] = await list(PODS);

      await scale(`${STATEFUL_SETS}/db`, 0);
      await settles(names, []);

      expect(pod?.spec.volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }]);
      expect((await list('/api/v1/namespaces/default/persistentvolumeclaims')).map(({ metadata }) => metadata.name)).toEqual(['data-db-0']);
    });

    it('replace their pods when the template changes', async () => {
      await send('POST', STATEFUL_SETS, workload('db', { replicas: 2 }));
      await settles(() => counts(`${STATEFUL_SETS}/db`), [2, 2, 2, 2]);

      await send('PATCH', `${STATEFUL_SETS}/db`, { spec: { template: podTemplate('db', { image: 'two' }) } });

      await settles(async () => (await list(PODS)).map(({ spec }) => spec.containers[0]?.image), ['two', 'two']);
      await settles(async () => {
        const { status } = await get(`${STATEFUL_SETS}/db`);
        return status.currentRevision === status.updateRevision;
      }, true);
    });
  });

  describe('EndpointSlices', () => {
    beforeEach(() => start({ nodes: [{ name: 'a', zone: 'zone-a' }] }));

    it('belong to their Service, carry its labels and say who manages them', async () => {
      const created = await send('POST', SERVICES, service('web', {}, { team: 'blue', 'private-of': 'web' }));

      await settles(async () => (await slicesOf('web')).length, 1);
      const [slice] = await slicesOf('web');
      expect(slice?.metadata.labels).toEqual({
        team: 'blue',
        'private-of': 'web',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      });
      expect(slice?.metadata.generateName).toBe('web-');
      expect(slice?.metadata.ownerReferences).toMatchObject([
        { kind: 'Service', name: 'web', uid: created.metadata.uid, controller: true },
      ]);
      expect([slice?.addressType, slice?.endpoints, slice?.ports]).toEqual(['IPv4', null, null]);
      expect(slice?.metadata.managedFields).toMatchObject([{ manager: 'kube-controller-manager' }]);
      expect(JSON.stringify(slice?.metadata.managedFields)).not.toContain('f:ports');
    });

    it('hold the pods with their address, node, zone and the port their container gives the name to', async () => {
      await send('POST', SERVICES, service('web'));
      await send('POST', DEPLOYMENTS, workload('web'));

      await settles(() => conditionsOf('web'), [READY]);
      const [slice] = await slicesOf('web');
      const [pod] = await list(PODS);
      expect(slice?.endpoints).toEqual([
        {
          addresses: [pod?.status.podIP],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: 'a',
          zone: 'zone-a',
          targetRef: { kind: 'Pod', namespace: 'default', name: pod?.metadata.name, uid: pod?.metadata.uid },
        },
      ]);
      expect(slice?.ports).toEqual([{ name: 'web', port: 8080, protocol: 'TCP' }]);
    });

    it("follow a pod's life: not ready, ready, serving while it ends, gone; in one slice, by one write each", async () => {
      await send('POST', SERVICES, service('web'));
      await settles(async () => (await slicesOf('web')).length, 1);
      const watch = new Watch(sim, 'resourceVersion=0', SLICES);
      const told = async () =>
        ((await watch.next())?.object as unknown as Thing).endpoints?.map(({ conditions: { ready, serving, terminating } }) => [
          ready,
          serving,
          terminating,
        ]) ?? [];
      expect(await told()).toEqual([]);

      const makeReady = runtime.holdReadiness();
      const letEnd = runtime.holdTermination();
      await send('POST', DEPLOYMENTS, workload('web'));
      expect(await told()).toEqual([NOT_READY]);
      makeReady();
      expect(await told()).toEqual([READY]);
      await scale(`${DEPLOYMENTS}/web`, 0);
      expect(await told()).toEqual([TERMINATING]);
      letEnd();
      expect(await told()).toEqual([]);

      watch.stop();
      await settles(() => list(PODS), []);
      expect(await slicesOf('web')).toHaveLength(1);
    });

    it('say that a pod serves no more when it loses its readiness while it ends', async () => {
      await send('POST', SERVICES, service('web'));
      await send('POST', DEPLOYMENTS, workload('web'));
      await settles(() => conditionsOf('web'), [READY]);
      runtime.holdTermination();
      await scale(`${DEPLOYMENTS}/web`, 0);
      await settles(() => conditionsOf('web'), [TERMINATING]);

      runtime.holdReadiness();

      await settles(() => conditionsOf('web'), [[false, false, true]]);
    });

    it('call every pod ready whose Service publishes those that are not', async () => {
      runtime.holdReadiness();
      await send('POST', SERVICES, service('web', { publishNotReadyAddresses: true }));

      await send('POST', DEPLOYMENTS, workload('web'));

      await settles(() => conditionsOf('web'), [[true, false, false]]);
    });

    it("follow the Service's selector, ports and labels", async () => {
      await send('POST', DEPLOYMENTS, workload('web'));
      await send('POST', DEPLOYMENTS, workload('other'));
      await send('POST', SERVICES, service('web'));
      await settles(() => conditionsOf('web'), [READY]);
      const [before] = await slicesOf('web');

      await send('PATCH', `${SERVICES}/web`, {
        metadata: { labels: { team: 'green' } },
        spec: { selector: { app: 'other' }, ports: [{ name: 'web', port: 80, targetPort: 9090 }] },
      });

      const content = async () =>
        (await slicesOf('web')).map(({ metadata, endpoints, ports }) => [
          metadata.labels.team,
          endpoints?.[0]?.targetRef?.name.startsWith('other-'),
          ports?.[0]?.port,
        ]);
      await settles(content, [['green', true, 9090]]);
      expect((await slicesOf('web'))[0]?.metadata.name).toBe(before?.metadata.name);
    });

    it("follow a pod's labels in and out of the selector", async () => {
      await send('POST', SERVICES, service('web'));
      await send('POST', PODS, { metadata: { name: 'single', labels: { app: 'other' } }, spec: podTemplate('other').spec });
      await settles(async () => (await get(`${PODS}/single`)).status.phase, 'Running');

      await send('PATCH', `${PODS}/single`, { metadata: { labels: { app: 'web' } } });
      await settles(() => conditionsOf('web'), [READY]);
      await send('PATCH', `${PODS}/single`, { metadata: { labels: { app: 'other' } } });

      await settles(() => conditionsOf('web'), []);
    });

    it('of somebody else are left alone, and its own are put right and brought back', async () => {
      const foreign = {
        metadata: { name: 'by-hand', labels: { 'kubernetes.io/service-name': 'web', 'endpointslice.kubernetes.io/managed-by': 'me' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['192.0.2.1'] }],
        ports: [{ name: 'web', port: 1, protocol: 'TCP' }],
      };
      const { metadata } = await send('POST', SLICES, foreign);
      await send('POST', SERVICES, service('web'));
      await send('POST', DEPLOYMENTS, workload('web'));
      const own = async () => (await slicesOf('web')).filter(({ metadata: { name } }) => name !== 'by-hand');
      await settles(async () => (await own()).map(({ endpoints }) => endpoints?.length), [1]);
      const [first] = await own();

      await send('PATCH', `${SLICES}/${first?.metadata.name ?? ''}`, { endpoints: [], metadata: { labels: { stray: 'yes' } } });
      await settles(
        async () => (await own()).map(({ endpoints, metadata: { labels } }) => [endpoints?.length, labels.stray ?? 'gone']),
        [[1, 'gone']],
      );
      await send('DELETE', `${SLICES}/${first?.metadata.name ?? ''}`);
      await settles(async () => (await own()).map(({ endpoints }) => endpoints?.length), [1]);
      await send('PATCH', `${SERVICES}/web`, { spec: { selector: { app: 'nobody' } } });
      await settles(async () => (await own()).map(({ endpoints }) => endpoints?.length ?? 0), [0]);

      expect((await get(`${SLICES}/by-hand`)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    });

    it('are made for no Service without a selector, and go with their Service', async () => {
      await send('POST', SERVICES, { metadata: { name: 'bare' }, spec: { ports: [{ port: 80 }] } });
      await send('POST', SERVICES, service('web'));
      await settles(async () => (await slicesOf('web')).length, 1);

      await send('DELETE', `${SERVICES}/web`);

      await settles(async () => (await list(SLICES)).length, 0);
    });

    it('name the pods of a headless Service by their hostname', async () => {
      await send('POST', SERVICES, service('db', { clusterIP: 'None' }));

      await send('POST', STATEFUL_SETS, workload('db', { serviceName: 'db' }));

      await settles(async () => (await endpointsOf('db')).map(({ hostname }) => hostname), ['db-0']);
      expect((await slicesOf('db'))[0]?.metadata.labels).toHaveProperty(['service.kubernetes.io/headless'], '');
    });

    it('keep pods apart whose containers give the name to another port', async () => {
      await send('POST', SERVICES, service('web'));
      await send('POST', DEPLOYMENTS, workload('web'));
      const spec = { containers: [{ name: 'main', image: 'one', ports: [{ name: 'http', containerPort: 9999 }] }] };

      await send('POST', PODS, { metadata: { name: 'single', labels: { app: 'web' } }, spec });

      await settles(async () => (await slicesOf('web')).map(({ ports }) => ports?.[0]?.port).sort(), [8080, 9999]);
    });
  });

  it('makes one slice for each address family that a Service has', async () => {
    await start({ runtime: new MemoryRuntime({ addresses: 'dual' }) });
    await send('POST', SERVICES, service('web', { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] }));

    await send('POST', DEPLOYMENTS, workload('web'));

    const families = async () =>
      (await slicesOf('web')).map(({ addressType, endpoints }) => [addressType, endpoints?.[0]?.addresses[0]?.includes(':')]).sort();
    await settles(families, [
      ['IPv4', false],
      ['IPv6', true],
    ]);
  });

  describe('the kubelet', () => {
    it('has ready nodes, and pods are bound to them in turn unless they are cordoned', async () => {
      await start({ nodes: [{ name: 'a' }, { name: 'b' }] });
      const nodesOfPods = async () => (await list(PODS)).map(({ spec }) => spec.nodeName).sort();
      expect(
        (await list(NODES)).map(({ metadata, status }) => [metadata.name, status.conditions[0]?.type, status.conditions[0]?.status]),
      ).toEqual([
        ['a', 'Ready', 'True'],
        ['b', 'Ready', 'True'],
      ]);

      await send('POST', DEPLOYMENTS, workload('web', { replicas: 2 }));
      await settles(nodesOfPods, ['a', 'b']);
      await send('PATCH', `${NODES}/a`, { spec: { unschedulable: true } });
      await scale(`${DEPLOYMENTS}/web`, 5);

      await settles(nodesOfPods, ['a', 'b', 'b', 'b', 'b']);
    });

    it('leaves pods alone that ask for another scheduler', async () => {
      await start();
      await send('POST', PODS, { metadata: { name: 'other' }, spec: { ...podTemplate('x').spec, schedulerName: 'nobody' } });
      await send('POST', PODS, { metadata: { name: 'own' }, spec: podTemplate('x').spec });

      await settles(async () => (await list(PODS)).map(({ status }) => status.phase), ['Pending', 'Running']);
    });

    it('gives every pod an address of its own', async () => {
      await start();

      await send('POST', DEPLOYMENTS, workload('web', { replicas: 20 }));

      await settles(() => counts(`${DEPLOYMENTS}/web`), [20, 20, 20, 20]);
      expect(new Set((await list(PODS)).map(({ status }) => status.podIP)).size).toBe(20);
    });

    it('restarts a pod that crashed at once, and with a growing delay when it crashes again', async () => {
      const clock = new ManualClock();
      await start({}, clock);
      await send('POST', DEPLOYMENTS, workload('web'));
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
      const restarts = async () =>
        (await list(PODS)).map(({ status }) => [status.containerStatuses[0]?.restartCount, status.conditions[2]?.status]);

      runtime.crash();
      await settles(restarts, [[0, 'False']]);
      await clock.advance(0);
      await settles(restarts, [[1, 'True']]);
      runtime.crash();
      await settles(restarts, [[1, 'False']]);
      await clock.advance(9_999);
      await isQuiet();
      expect(await restarts()).toEqual([[1, 'False']]);
      await clock.advance(1);

      await settles(restarts, [[2, 'True']]);
      expect(await list(PODS)).toHaveLength(1);
    });

    it('lets a pod fail that is never restarted', async () => {
      await start();
      await send('POST', PODS, { metadata: { name: 'once' }, spec: { ...podTemplate('x').spec, restartPolicy: 'Never' } });
      await settles(async () => (await get(`${PODS}/once`)).status.phase, 'Running');

      runtime.crash();

      await settles(async () => (await get(`${PODS}/once`)).status.phase, 'Failed');
    });

    it('waits for a pod to end until its grace is over, or shorter when somebody loses patience', async () => {
      const clock = new ManualClock();
      await start({}, clock);
      runtime.holdTermination();
      const spec = { ...podTemplate('x').spec, terminationGracePeriodSeconds: 20 };
      const phase = async (name: string) => (await call(sim, 'GET', `${PODS}/${name}`)).code;
      for (const name of ['patient', 'hurried']) {
        await send('POST', PODS, { metadata: { name }, spec });
        await settles(async () => (await get(`${PODS}/${name}`)).status.phase, 'Running');
        await send('DELETE', `${PODS}/${name}`);
      }
      await settles(async () => clock.pending, 2);

      await send('DELETE', `${PODS}/hurried`, { gracePeriodSeconds: 5 });
      await isQuiet();
      await clock.advance(5_000);
      await settles(() => phase('hurried'), 404);
      expect(await phase('patient')).toBe(200);
      await clock.advance(15_000);

      await settles(() => phase('patient'), 404);
    });

    it('makes pods ready and lets them end after the times it was given', async () => {
      const clock = new ManualClock();
      runtime = new MemoryRuntime({ clock, readyAfterMs: 3_000, drainMs: 2_000 });
      sim = await KubeSim.start({ clock, workloads: { runtime } });
      await send('POST', SERVICES, service('web'));
      await send('POST', DEPLOYMENTS, workload('web'));
      await settles(() => conditionsOf('web'), [NOT_READY]);

      await clock.advance(3_000);
      await settles(() => conditionsOf('web'), [READY]);
      await scale(`${DEPLOYMENTS}/web`, 0);
      await settles(() => conditionsOf('web'), [TERMINATING]);
      await isQuiet();
      await clock.advance(2_000);

      await settles(() => conditionsOf('web'), []);
    });

    it('counts a pod as available only after it was ready for as long as asked', async () => {
      const clock = new ManualClock();
      await start({}, clock);
      await send('POST', DEPLOYMENTS, workload('web', { minReadySeconds: 10 }));
      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 0, 1]);

      await clock.advance(10_000);

      await settles(() => counts(`${DEPLOYMENTS}/web`), [1, 1, 1, 1]);
    });

    it('leaves no timer behind when the server stops', async () => {
      const clock = new ManualClock();
      runtime = new MemoryRuntime({ clock, readyAfterMs: 3_000 });
      sim = await KubeSim.start({ clock, workloads: { runtime } });
      await send('POST', DEPLOYMENTS, workload('web', { minReadySeconds: 10 }));
      await settles(async () => clock.pending, 1);

      await sim.stop();

      expect(clock.pending).toBe(0);
    });
  });

  it('takes no longer for a Deployment and its Service when there are many of them', async () => {
    await start();
    /** The processor time and the writes for each of as many Deployments, every tenth of them awake. */
    const costOf = async (group: string, count: number) => {
      const names = Array.from({ length: count }, (_none, index) => `${group}-${index}`);
      const version = sim.store.currentVersion + 2 * count;
      const begun = process.cpuUsage();
      sim.load(names.map((name, index) => loaded('apps/v1', 'Deployment', workload(name, { replicas: index % 10 === 0 ? 1 : 0 }))));
      sim.load(names.map((name) => loaded('v1', 'Service', service(name, { selector: { app: name } }))));
      await isQuiet();
      const { user, system } = process.cpuUsage(begun);
      return { cpuMs: (user + system) / 1000 / count, writes: (sim.store.currentVersion - version) / count };
    };
    await costOf('warm-up', 100);

    const few = await costOf('few', 100);
    const many = await costOf('many', 1_000);

    expect(many.cpuMs).toBeLessThan(few.cpuMs * 3);
    expect(many.writes).toBeLessThan(6);
    expect([...sim.store.collection('discovery.k8s.io/endpointslices').values()]).toHaveLength(1_200);
    expect(await list(PODS)).toHaveLength(120);
  }, 120_000);
});

type Loadable = Parameters<KubeSim['load']>[0] extends Iterable<infer Item> ? Item : never;

const loaded = (apiVersion: string, kind: string, { metadata, spec }: { metadata: object; spec: object }): Loadable =>
  ({ apiVersion, kind, metadata: { ...metadata, namespace: 'default' }, spec }) as Loadable;
