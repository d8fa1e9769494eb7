import { Deployment, EndpointSlice, ReplicaSet, Service, StatefulSet } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { eventually } from './eventually';
import { useServer } from './harness';
import { RunningPods, serverPod } from './running-pods';
import type { PodOptions } from './running-pods';

jest.setTimeout(180_000);

const within = { deadlineMs: 90_000 };

describe('workload controllers', () => {
  const server = useServer('run');
  const deployments = server.of(Deployment);
  const replicaSets = server.of(ReplicaSet);
  const statefulSets = server.of(StatefulSet);
  const services = server.of(Service);
  const running = new RunningPods(server);

  const workload = (name: string, replicas: number, options: PodOptions = {}, spec: object = {}) => ({
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: serverPod(name, options), ...spec },
  });

  const service = (name: string, spec: object = {}) => ({
    metadata: { name, labels: { team: 'shop' } },
    spec: { selector: { app: name }, ports: [{ name: 'web', port: 80, targetPort: 'http' }], ...spec },
  });

  const scale = (name: string, replicas: number) => deployments.patch(name, 'merge', { spec: { replicas } }, {}, 'scale');

  async function settles(look: () => Promise<unknown>, expected: unknown): Promise<void> {
    await eventually(async () => {
      expect(await look()).toEqual(expected);
    }, within);
  }

  const counts = async (name: string) => {
    const { status } = succeeded(await deployments.get(name));
    const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0, unavailableReplicas = 0 } = status ?? {};
    return { replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas };
  };

  const all = (count: number) => ({
    replicas: count,
    updatedReplicas: count,
    readyReplicas: count,
    availableReplicas: count,
    unavailableReplicas: 0,
  });

  async function onlyPod(app: string): Promise<string> {
    const pods = await eventually(async () => {
      const found = await running.of(app);
      expect(found).toHaveLength(1);
      return found;
    }, within);
    return pods[0]?.metadata.name ?? '';
  }

  it('a Deployment goes to and from zero, and its Service with it', async () => {
    await services.given(service('zero'));
    await deployments.given(workload('zero', 0));
    const [empty] = await eventually(async () => {
      const found = await running.slicesOf('zero');
      expect(found).toMatchObject([{ addressType: 'IPv4', endpoints: null, ports: null, metadata: { labels: { team: 'shop' } } }]);
      return found;
    }, within);

    await scale('zero', 2);
    await settles(() => counts('zero'), all(2));
    await settles(() => running.conditionsOf('zero'), ['ready serving', 'ready serving']);
    const slices = await running.slicesOf('zero');
    expect(slices.map(({ metadata }) => metadata.name)).toEqual([empty?.metadata.name]);
    expect(slices[0]).toMatchObject({
      ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
      metadata: {
        labels: {
          team: 'shop',
          'kubernetes.io/service-name': 'zero',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [{ kind: 'Service', name: 'zero', controller: true, blockOwnerDeletion: true }],
      },
    });

    await scale('zero', 0);
    await settles(() => counts('zero'), all(0));
    await eventually(async () => {
      expect(await running.slicesOf('zero')).toMatchObject([{ metadata: { name: empty?.metadata.name }, endpoints: null }]);
    }, within);
  });

  it('an endpoint is as ready as its pod', async () => {
    await services.given(service('gated'));
    await deployments.given(workload('gated', 1, { manners: 'held' }));
    const noneReady = { ...all(1), readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 1 };
    const pod = await onlyPod('gated');
    await settles(() => running.endpointsOf('gated'), [[pod, 'none']]);
    await settles(async () => readiness(pod), ['ContainersReady True', 'Ready False ReadinessGatesNotReady']);
    await settles(() => counts('gated'), noneReady);

    await running.open(pod);
    await settles(() => running.endpointsOf('gated'), [[pod, 'ready serving']]);
    await settles(() => counts('gated'), all(1));

    await running.open(pod, 'False');
    await settles(() => running.endpointsOf('gated'), [[pod, 'none']]);
    await settles(() => counts('gated'), noneReady);
  });

  async function readiness(pod: string): Promise<string[]> {
    const { status } = succeeded(await running.pods.get(pod));
    return (status?.conditions ?? [])
      .filter(({ type }) => type === 'Ready' || type === 'ContainersReady')
      .map(({ type, status: holds, reason = '' }) => `${type} ${holds} ${reason}`.trim())
      .sort();
  }

  it('an endpoint goes on serving while its pod ends', async () => {
    await services.given(service('last'));
    await deployments.given(workload('last', 1, { manners: 'lingering' }));
    const pod = await onlyPod('last');
    await settles(() => running.endpointsOf('last'), [[pod, 'ready serving']]);

    await scale('last', 0);
    await settles(() => running.endpointsOf('last'), [[pod, 'serving terminating']]);
    await settles(() => counts('last'), all(0));

    await running.end(pod);
    await settles(() => running.endpointsOf('last'), []);
  });

  it('publishNotReadyAddresses makes every endpoint ready', async () => {
    await services.given(service('early', { publishNotReadyAddresses: true }));
    await deployments.given(workload('early', 1, { manners: 'held' }));

    await settles(() => running.conditionsOf('early'), ['ready']);
  });

  it('a rollout keeps the old pod until the new one is ready', async () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    await services.given(service('roll'));
    await deployments.given(workload('roll', 1, { manners: 'held' }, { strategy }));
    const old = await onlyPod('roll');
    await running.open(old);
    await settles(() => counts('roll'), all(1));

    const template = serverPod('roll', { manners: 'held', version: '2' });
    const updated = succeeded(await deployments.patch('roll', 'merge', { spec: { template } }));
    await settles(() => counts('roll'), {
      replicas: 2,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      unavailableReplicas: 1,
    });
    const fresh = (await running.of('roll')).map(({ metadata }) => metadata.name ?? '').find((name) => name !== old) ?? '';
    await settles(async () => Object.fromEntries(await running.endpointsOf('roll')), { [old]: 'ready serving', [fresh]: 'none' });

    await running.open(fresh);
    await settles(() => counts('roll'), all(1));
    await settles(() => running.endpointsOf('roll'), [[fresh, 'ready serving']]);
    await settles(async () => await revisions('roll'), ['1 of 0', '2 of 1']);
    const { status } = succeeded(await deployments.get('roll'));
    expect(status?.observedGeneration).toBe(updated.metadata.generation);
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }),
    );
  });

  async function revisions(app: string): Promise<string[]> {
    const { items } = succeeded(await replicaSets.list({ labelSelector: `app=${app}` }));
    return items
      .map(({ metadata, spec }) => `${metadata.annotations?.['deployment.kubernetes.io/revision'] ?? ''} of ${spec?.replicas ?? 0}`)
      .sort();
  }

  it('Recreate ends the old pod before there is a new one', async () => {
    await deployments.given(workload('anew', 1, { manners: 'lingering' }, { strategy: { type: 'Recreate' } }));
    const old = await onlyPod('anew');
    await settles(() => counts('anew'), all(1));

    await deployments.patch('anew', 'merge', { spec: { template: serverPod('anew', { manners: 'lingering', version: '2' }) } });
    await eventually(async () => {
      expect(succeeded(await running.pods.get(old)).metadata.deletionTimestamp).toBeDefined();
    }, within);
    expect(await running.of('anew')).toEqual([]);
    await running.end(old);

    await settles(() => counts('anew'), all(1));
    await running.end(await onlyPod('anew'));
  });

  it('pods whose port of one name has different numbers are in slices of their own', async () => {
    await services.given(service('two-ports', { selector: { family: 'two-ports' } }));
    for (const [name, port] of [
      ['left', 8081],
      ['right', 8082],
    ] as const) {
      const { spec } = serverPod(name, { port });
      await running.pods.given({ metadata: { name, labels: { app: name, family: 'two-ports' } }, spec });
    }

    await settles(
      async () =>
        (await running.slicesOf('two-ports'))
          .map(({ ports, endpoints }) => [
            ports?.[0]?.port,
            (endpoints as typeof endpoints | null)?.map(({ targetRef }) => targetRef?.name),
          ])
          .sort(),
      [
        [8081, ['left']],
        [8082, ['right']],
      ],
    );
  });

  it('slices that others wrote stay as they are', async () => {
    const slices = server.of(EndpointSlice);
    await services.given(service('shared'));
    const labels = { 'kubernetes.io/service-name': 'shared', 'endpointslice.kubernetes.io/managed-by': 'conformance.example.com' };
    const mine = await slices.given({
      metadata: { name: 'mine', labels },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: false, serving: true, terminating: true } }],
      ports: [{ name: 'web', port: 9000, protocol: 'TCP' }],
    });

    await deployments.given(workload('shared', 1));

    await settles(() => running.conditionsOf('shared'), ['ready serving', 'serving terminating']);
    expect(succeeded(await slices.get('mine'))).toEqual(mine);
  });

  it('a slice that was written with empty lists reads as one without any', async () => {
    const slices = server.of(EndpointSlice);
    const written = await slices.given({ metadata: { name: 'nothing' }, addressType: 'IPv4', endpoints: [], ports: [] });
    const read = succeeded(await slices.get('nothing'));

    expect([written.endpoints, written.ports]).toEqual([null, null]);
    expect([read.endpoints, read.ports]).toEqual([null, null]);
  });

  it('a StatefulSet makes its pods one after the other and takes them back in the opposite order', async () => {
    await services.given(service('db', { clusterIP: 'None' }));
    const { spec, metadata } = workload('db', 2, { manners: 'held' });
    await statefulSets.given({ metadata, spec: { ...spec, serviceName: 'db' } });
    const names = async () => (await running.of('db')).map((pod) => pod.metadata.name);
    await settles(() => running.endpointsOf('db'), [['db-0', 'none']]);
    expect(await names()).toEqual(['db-0']);

    await running.open('db-0');
    await settles(names, ['db-0', 'db-1']);
    await running.open('db-1');
    await settles(async () => succeeded(await statefulSets.get('db')).status?.readyReplicas, 2);
    const hostnames = async () => {
      const endpoints = (await running.slicesOf('db')).flatMap((slice) => slice.endpoints ?? []);
      return endpoints.map(({ hostname, targetRef }) => [hostname, targetRef?.name]).sort();
    };
    await settles(hostnames, [
      ['db-0', 'db-0'],
      ['db-1', 'db-1'],
    ]);

    await statefulSets.patch('db', 'merge', { spec: { replicas: 1 } }, {}, 'scale');
    await settles(names, ['db-0']);
  });
});
