import { ElastiService } from '@elasti/api';
import { Deployment, type ResourceDefinition, Service, StatefulSet } from '@elasti/operator-kit';
import { FakeClock } from '@elasti/operator-kit/testing';
import { FakeCluster } from '../controller/fake-cluster.fixture';
import { aDeployment, anElastiService, aService } from '../controller/objects.fixture';
import { privateServiceLabel } from '../names';
import { parseOperatorConfig } from '../operator.config';
import { Informers } from './informers';

function setup(env: Readonly<Record<string, string>> = {}) {
  const cluster = new FakeCluster(new FakeClock());
  const [caches, furtherCaches] = [cluster.attach(), cluster.attach()];
  const informers = new Informers(caches, furtherCaches, parseOperatorConfig(env));
  const watches = () => [...caches.acquired, ...furtherCaches.acquired];
  return { cluster, caches, furtherCaches, informers, watches };
}

const kindOf = (n: number): ResourceDefinition => ({
  group: 'games.dev',
  version: 'v1',
  kind: `Game${n}`,
  plural: `game${n}s`,
  namespaced: true,
});

describe('Informers', () => {
  it('has as many watches for a thousand services as for none', () => {
    const { cluster, informers, watches } = setup();
    const before = watches().length;

    for (let n = 0; n < 1_000; n++) {
      cluster.put(ElastiService, anElastiService(`web-${n}`));
      for (const kind of [Deployment, StatefulSet]) informers.workloads(kind);
      informers.workloads(kindOf(1));
    }

    expect([before, watches().length]).toEqual([9, 10]);
  });

  it('watches what is ours by its labels, and resolvers and routes in their namespaces', () => {
    const { watches } = setup({
      ELASTI_OPERATOR_NAMESPACE: 'ops',
      ELASTI_RESOLVER_NAMESPACE: 'edge',
      ELASTI_RESOLVER_SERVICE_NAME: 'resolver',
    });

    const scopes = watches().map(({ kind, options }) => [kind.kind, options.namespace, options.labelSelector]);
    expect(scopes).toEqual([
      ['ElastiService', undefined, undefined],
      ['Service', undefined, undefined],
      ['EndpointSlice', undefined, 'endpointslice.kubernetes.io/managed-by=elasti'],
      ['EndpointSlice', undefined, privateServiceLabel],
      ['EndpointSlice', 'edge', 'kubernetes.io/service-name=resolver'],
      ['ConfigMap', 'ops', 'elasti.truefoundry.com/routes=true'],
      ['Deployment', undefined, undefined],
      ['StatefulSet', undefined, undefined],
      ['Ingress', undefined, undefined],
    ]);
  });

  it('limits the watches that the manager does not to the watched namespaces', () => {
    const { informers, furtherCaches } = setup({ WATCH_NAMESPACES: 'shop,blog' });

    informers.workloads(kindOf(1));

    expect(furtherCaches.acquired.map(({ options }) => options.namespaces)).toEqual([
      ['shop', 'blog'],
      ['shop', 'blog'],
    ]);
  });

  it('watches a further kind once, tells its listeners of it, and only so many kinds', () => {
    const { informers, watches } = setup();
    const heard: unknown[] = [];
    informers.onWorkloads((cache) => heard.push(cache));
    const before = watches().length;

    const caches = Array.from({ length: 40 }, (_, n) => informers.workloads(kindOf(n)));

    expect(informers.workloads(kindOf(0))).toBe(caches[0]);
    expect(caches.filter(Boolean)).toHaveLength(30);
    expect([heard.length, watches().length - before]).toEqual([32, 30]);
    expect(informers.workloads(Deployment)).toBeDefined();
  });

  it('lets a further kind go when the last ElastiService that named it is gone or names another, and no sooner', () => {
    const { cluster, informers, watches } = setup();
    const named = (name: string, n: number) =>
      cluster.put(
        ElastiService,
        anElastiService(name, { spec: { scaleTargetRef: { apiVersion: 'games.dev/v1', kind: `Game${n}`, name } } }),
      );
    const listening = (n: number) => watches().filter(({ kind, isReleased }) => kind.kind === `Game${n}` && !isReleased).length;
    for (const [name, n] of [
      ['chess', 1],
      ['go', 1],
      ['poker', 2],
    ] as const) {
      named(name, n);
      informers.workloads(kindOf(n));
    }

    cluster.remove(ElastiService, { namespace: 'shop', name: 'chess' });
    const oneLeft = [listening(1), listening(2)];
    named('go', 2);
    const moved = [listening(1), listening(2)];
    named('go', 1);
    informers.workloads(kindOf(1));

    expect([oneLeft, moved, [listening(1), listening(2)]]).toEqual([
      [1, 1],
      [0, 1],
      [1, 1],
    ]);
    expect(watches().filter(({ kind, isReleased }) => isReleased && !kind.kind.startsWith('Game'))).toEqual([]);
  });

  it('has room for another kind when one has been let go', () => {
    const { cluster, informers } = setup();
    const named = (n: number) =>
      cluster.put(
        ElastiService,
        anElastiService('web', { spec: { scaleTargetRef: { apiVersion: 'games.dev/v1', kind: `Game${n}`, name: 'web' } } }),
      );

    const caches = Array.from({ length: 100 }, (_, n) => {
      named(n);
      return informers.workloads(kindOf(n));
    });

    expect(caches.filter(Boolean)).toHaveLength(100);
  });

  it('files ElastiServices by Service and target, and public Services by what they select', () => {
    const { cluster, informers } = setup();
    cluster.put(ElastiService, anElastiService('web', { spec: { additionalServices: ['api'] } }));
    cluster.put(Service, aService('web', { selector: { app: 'web', tier: 'front' } }));
    cluster.put(Service, {
      ...aService('private'),
      metadata: { namespace: 'shop', name: 'private', labels: { [privateServiceLabel]: 'web' } },
    });

    const { elastiServices, services } = informers;
    expect(elastiServices.byIndex('byService', 'shop/api')).toHaveLength(1);
    expect(elastiServices.byIndex('byTarget', 'shop/apps/Deployment/web')).toHaveLength(1);
    expect(services.byIndex('bySelector', 'shop/tier=front').map(({ metadata }) => metadata.name)).toEqual(['web']);
    expect(services.byIndex('bySelector', 'shop/app=private')).toEqual([]);
  });

  it('keeps of a workload only what is read of it', () => {
    const { cluster, informers } = setup();
    cluster.put(Deployment, aDeployment('web', 3));

    const workload = informers.workloads(Deployment)?.get({ namespace: 'shop', name: 'web' });

    expect(workload).toMatchObject({ kind: 'Deployment', spec: { replicas: 3 } });
    expect(JSON.stringify(workload)).not.toMatch(/template|managedFields/);
  });
});
