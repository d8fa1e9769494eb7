import { synthesize } from '../charts/manifest.fixture';
import { type ClusterAccess, type ElastiServiceView, ForbiddenError, type TargetView } from './cluster-access';
import { defaultTimeoutSeconds, type Installed, type Manifest, readInstalled } from './installed-objects';
import { Uninstaller, type UninstallOptions } from './uninstaller';

const aDeployment = (name: string, watched?: string): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'elasti', name },
  spec: { template: { spec: { containers: [{ env: watched === undefined ? [] : [{ name: 'WATCH_NAMESPACES', value: watched }] }] } } },
});
const crd: Manifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'elastiservices.elasti.truefoundry.com' },
};
const namespace: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elasti' } };
const account: Manifest = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'elasti', name: 'elasti-resolver' } };
const operator = aDeployment('elasti-operator-controller-manager');
const manifests = [crd, namespace, account, operator, aDeployment('elasti-resolver')];

function anElastiService(name: string, mode: 'serve' | 'proxy' = 'proxy', inNamespace = 'shop'): ElastiServiceView {
  return {
    apiVersion: 'elasti.truefoundry.com/v1alpha1',
    kind: 'ElastiService',
    metadata: { namespace: inNamespace, name },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
    status: { mode },
  };
}

const notReady: TargetView = { state: 'not ready', words: 'its target has 0 of 1 pods ready' };

/** A cluster whose operator gives one deleted ElastiService back at each look, but for those that are stuck. */
class PlayedCluster implements ClusterAccess {
  readonly deleted: string[] = [];
  operators = 2;
  stuck = new Set<string>();
  /** Of the targets that are not back, by the name of their ElastiService. */
  targets = new Map<string, TargetView>();
  /** What is in Elasti's namespace beside Elasti. */
  workloads: string[] = [];
  /** Kinds that may not be deleted; `ElastiService`: not be listed in all namespaces. */
  forbidden = new Set<string>();

  constructor(private services: ElastiServiceView[]) {}

  elastiServices(namespaces: readonly string[]): Promise<ElastiServiceView[]> {
    if (namespaces.length === 0 && this.forbidden.has('ElastiService')) return Promise.reject(new ForbiddenError('cannot list'));
    const isSeen = (one: ElastiServiceView) => namespaces.length === 0 || namespaces.includes(one.metadata.namespace);
    return Promise.resolve(this.services.filter(isSeen));
  }

  deleteElastiServices(services: readonly ElastiServiceView[]): Promise<void> {
    this.deleted.push(...services.map(({ metadata }) => `ElastiService ${metadata.name}`));
    this.services = this.services.map((one) =>
      services.includes(one) ? { ...one, metadata: { ...one.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } } : one,
    );
    return Promise.resolve();
  }

  readyOperators(): Promise<number> {
    return Promise.resolve(this.operators);
  }

  targetsOf(services: readonly ElastiServiceView[]): Promise<TargetView[]> {
    const back: TargetView = { state: 'back', words: 'its target has 1 of 1 pods ready' };
    return Promise.resolve(services.map(({ metadata }) => this.targets.get(metadata.name) ?? back));
  }

  stop(programs: readonly Manifest[]): Promise<void> {
    this.deleted.push(...programs.map(({ metadata }) => `all of ${metadata.name}`));
    return Promise.resolve();
  }

  workloadsIn(): Promise<string[]> {
    return Promise.resolve(this.workloads);
  }

  remove(objects: readonly Manifest[]): Promise<void> {
    if (objects.some(({ kind }) => this.forbidden.has(kind))) return Promise.reject(new ForbiddenError('cannot delete'));
    this.deleted.push(...objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    return Promise.resolve();
  }

  giveOneBack(): void {
    const next = this.services.find(({ metadata }) => metadata.deletionTimestamp !== undefined && !this.stuck.has(metadata.name));
    this.services = this.services.filter((one) => one !== next);
  }

  apply(service: ElastiServiceView): void {
    this.services.push(service);
  }
}

function setup(services: ElastiServiceView[]) {
  const cluster = new PlayedCluster(services);
  const said: string[] = [];
  let nowMs = 0;
  const pause = (delayMs: number) => {
    nowMs += delayMs;
    cluster.giveOneBack();
    return Promise.resolve();
  };
  const uninstaller = new Uninstaller(cluster, { now: () => nowMs, pause }, (line) => void said.push(line));
  const uninstall = (installed: Installed = readInstalled(manifests), options: Partial<UninstallOptions> = {}) =>
    uninstaller.uninstall(installed, { timeoutSeconds: 60, mode: 'for real', ...options });
  return { cluster, said, uninstall };
}

const ofElasti = [
  'all of elasti-operator-controller-manager',
  'all of elasti-resolver',
  'ServiceAccount elasti-resolver',
  'Namespace elasti',
];
const ofCrd = 'CustomResourceDefinition elastiservices.elasti.truefoundry.com';

describe('Uninstaller', () => {
  it('stops the operator only after the last ElastiService is gone, then removes what it stood on, and the CRD last of all', async () => {
    const { cluster, said, uninstall } = setup([anElastiService('web'), anElastiService('cart', 'serve')]);

    await uninstall();

    expect(cluster.deleted).toEqual(['ElastiService web', 'ElastiService cart', ...ofElasti, ofCrd]);
    expect(said).toEqual([
      '2 ElastiServices are left, of which 1 sleep',
      '1 ElastiServices are left, of which 0 sleep',
      'stopping operator and resolvers, which may have requests to finish',
      'removing 1 objects',
      'Elasti is uninstalled',
    ]);
  });

  it('says which targets do not come back and why, and removes nothing else', async () => {
    const { cluster, uninstall } = setup([anElastiService('web'), anElastiService('cart')]);
    cluster.stuck.add('web');
    cluster.targets.set('web', notReady);

    await expect(uninstall()).rejects.toThrow(
      /1 targets did not come back within 60 s, and nothing else was removed:\n {2}shop\/web: its target has 0 of 1 pods ready/,
    );

    expect(cluster.deleted).toEqual(['ElastiService web', 'ElastiService cart']);
  });

  it('fails when the operator let an ElastiService go although its target is at zero, and removes nothing else', async () => {
    const { cluster, uninstall } = setup([anElastiService('web'), anElastiService('cart')]);
    cluster.targets.set('web', { state: 'at zero', words: 'its target Deployment web has 0 of 0 pods ready' });

    await expect(uninstall()).rejects.toThrow(
      /^1 targets did not come back.*nothing else was removed:\n {2}shop\/web: its target Deployment web has 0 of 0 pods ready\n.*uninstall again/,
    );

    expect(cluster.deleted).toEqual(['ElastiService web', 'ElastiService cart']);
  });

  it('waits for the pods of targets whose ElastiServices are gone, and says so', async () => {
    const { cluster, said, uninstall } = setup([anElastiService('web')]);
    cluster.targets.set('web', notReady);
    const looks = jest.spyOn(cluster, 'targetsOf').mockImplementation((services) => {
      if (looks.mock.calls.length === 3) cluster.targets.clear();
      return PlayedCluster.prototype.targetsOf.call(cluster, services);
    });

    await uninstall();

    expect(said.filter((line) => line.includes('wait'))).toEqual(['all ElastiServices are gone; waiting for 1 targets']);
    expect(cluster.deleted).toEqual(['ElastiService web', ...ofElasti, ofCrd]);
  });

  it('fails when such pods are not ready in time', async () => {
    const { cluster, uninstall } = setup([anElastiService('web')]);
    cluster.targets.set('web', notReady);

    await expect(uninstall()).rejects.toThrow(
      /1 targets did not come back within 60 s.*:\n {2}shop\/web: its target has 0 of 1 pods ready/,
    );

    expect(cluster.deleted).toEqual(['ElastiService web']);
  });

  it('does not ask for a target that a dry run has never put to sleep', async () => {
    const watched = anElastiService('web', 'serve');
    const { cluster, uninstall } = setup([{ ...watched, spec: { ...watched.spec, mode: 'DryRun' } }]);
    cluster.targets.set('web', { state: 'at zero', words: 'its target is as somebody wants it' });

    await uninstall();

    expect(cluster.deleted).toEqual(['ElastiService web', ...ofElasti, ofCrd]);
  });

  it('touches nothing while nobody could bring targets back', async () => {
    const { cluster, uninstall } = setup([anElastiService('web')]);
    cluster.operators = 0;

    await expect(uninstall()).rejects.toThrow(/no operator is ready.*kubectl get deployment elasti-operator-controller-manager -n elasti/);

    expect(cluster.deleted).toEqual([]);
  });

  it('goes on without an operator where no ElastiService is left', async () => {
    const { cluster, uninstall } = setup([]);
    cluster.operators = 0;

    await uninstall();

    expect(cluster.deleted).toEqual([...ofElasti, ofCrd]);
  });

  it('deletes what somebody applies meanwhile', async () => {
    const { cluster, uninstall } = setup([anElastiService('web')]);
    const giveOneBack = cluster.giveOneBack.bind(cluster);
    const again = jest.spyOn(cluster, 'giveOneBack').mockImplementationOnce(() => {
      giveOneBack();
      cluster.apply(anElastiService('late'));
    });

    await uninstall();

    expect(again).toHaveBeenCalledTimes(2);
    expect(cluster.deleted.slice(0, 2)).toEqual(['ElastiService web', 'ElastiService late']);
  });

  it('leaves the ElastiServices of other namespaces alone, and the CRD with them', async () => {
    const { cluster, said, uninstall } = setup([anElastiService('web'), anElastiService('other', 'proxy', 'blog')]);

    await uninstall(readInstalled([crd, aDeployment(operator.metadata.name, 'shop, elasti')]));

    expect(cluster.deleted).toEqual(['ElastiService web', 'all of elasti-operator-controller-manager']);
    expect(said).toContain('the CRD stays: 1 ElastiServices of other installations need it');
  });

  it('leaves a namespace that holds workloads of others', async () => {
    const { cluster, said, uninstall } = setup([]);
    cluster.workloads = ['deployment.apps/web', 'service/web'];

    await uninstall();

    expect(cluster.deleted).toEqual([...ofElasti.filter((one) => one !== 'Namespace elasti'), ofCrd]);
    expect(said).toContain('Namespace elasti stays: deployment.apps/web and 1 more are in it');
  });

  it('leaves what belongs to the cluster to whoever may delete it, and says so', async () => {
    const { cluster, said, uninstall } = setup([anElastiService('web')]);
    for (const kind of ['ElastiService', 'Namespace', 'CustomResourceDefinition']) cluster.forbidden.add(kind);

    await uninstall(readInstalled([crd, namespace, account, aDeployment(operator.metadata.name, 'shop')]));

    expect(cluster.deleted).toEqual(['ElastiService web', 'all of elasti-operator-controller-manager', 'ServiceAccount elasti-resolver']);
    expect(said.slice(-3)).toEqual([
      'Namespace elasti stays: you may not delete it',
      'the CRD stays: you may not delete it, or not see who else needs it',
      'Elasti is uninstalled',
    ]);
  });

  it('only says what it would do in a dry run', async () => {
    const { cluster, said, uninstall } = setup([anElastiService('web')]);

    await uninstall(undefined, { mode: 'dry run' });

    expect(cluster.deleted).toEqual([]);
    expect(said).toEqual([
      'would delete 1 ElastiServices, of which 1 sleep, and wait for their targets',
      'would delete Deployment elasti/elasti-operator-controller-manager',
      'would delete Deployment elasti/elasti-resolver',
      'would delete ServiceAccount elasti/elasti-resolver',
      'would delete Namespace elasti, if nothing else is in it',
      `would delete ${ofCrd}`,
    ]);
  });
});

describe('readInstalled', () => {
  it('asks for the manifest of the operator', () => {
    expect(() => readInstalled([crd, namespace])).toThrow(/name all that were applied with -f/);
  });
});

describe('defaultTimeoutSeconds', () => {
  it('gives the pods of the installation all of their grace, and a minute', () => {
    const timeouts = [{}, { resolver: { requestTimeoutSeconds: 3600 } }, { traffic: { loadBalancerSettleTime: '5m' } }].map((settings) =>
      defaultTimeoutSeconds(readInstalled(synthesize(settings))),
    );

    expect(timeouts).toEqual([90 + 600 + 60 + 60, 90 + 3600 + 60 + 60, 300 + 600 + 60 + 60]);
  });

  it('gives targets twelve minutes where pods need less, or say nothing', () => {
    const timeouts = [synthesize({ resolver: { requestTimeoutSeconds: 60 } }), manifests].map((some) =>
      defaultTimeoutSeconds(readInstalled(some)),
    );

    expect(timeouts).toEqual([720, 720]);
  });
});
