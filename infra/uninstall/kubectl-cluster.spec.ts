import { type ElastiServiceView, ForbiddenError } from './cluster-access';
import { type Kubectl, KubectlError } from './kubectl';
import { KubectlCluster } from './kubectl-cluster';

function anElastiService(name: string, target: Partial<ElastiServiceView['spec']['scaleTargetRef']> = {}): ElastiServiceView {
  return {
    apiVersion: 'elasti.truefoundry.com/v1alpha1',
    kind: 'ElastiService',
    metadata: { namespace: 'shop', name },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name, ...target } },
  };
}

/** A kubectl that knows these calls; an Error is what it fails with. */
function setup(answers: Readonly<Record<string, object | Error | undefined>>) {
  const calls: string[] = [];
  const kubectl: Kubectl = (args) => {
    const call = args.join(' ').replace(' --ignore-not-found -o json', '');
    calls.push(call);
    const answer = answers[call];
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(answer ? JSON.stringify(answer) : '');
  };
  return { cluster: new KubectlCluster(kubectl), calls };
}

const aTarget = (name: string, replicas: number, readyReplicas?: number) => ({
  metadata: { name },
  spec: { replicas },
  status: { readyReplicas },
});
const unknownKind = new KubectlError('kubectl get: error: the server doesn\'t have a resource type "gameservers"');

const forbidden = new KubectlError(
  'kubectl get crd: Error from server (Forbidden): customresourcedefinitions.apiextensions.k8s.io is forbidden',
);
const crd = 'elastiservices.elasti.truefoundry.com';

describe('KubectlCluster.elastiServices', () => {
  it('looks only into the namespaces that it is asked for', async () => {
    const { cluster, calls } = setup({ [`get crd ${crd}`]: { metadata: {} }, [`get ${crd} -n shop`]: { items: [anElastiService('web')] } });

    expect(await cluster.elastiServices(['shop', 'blog'])).toEqual([anElastiService('web')]);
    expect(calls).toEqual([`get crd ${crd}`, `get ${crd} -n shop`, `get ${crd} -n blog`]);
  });

  it('needs no look at the CRD', async () => {
    const { cluster } = setup({ [`get crd ${crd}`]: forbidden, [`get ${crd} -n shop`]: { items: [anElastiService('web')] } });

    expect(await cluster.elastiServices(['shop'])).toEqual([anElastiService('web')]);
  });

  it('finds none without the CRD, whether or not it may look at it', async () => {
    const looks = [undefined, forbidden].map((look) => setup({ [`get crd ${crd}`]: look, [`get ${crd} -n shop`]: unknownKind }));

    for (const { cluster } of looks) expect(await cluster.elastiServices(['shop'])).toEqual([]);
  });

  it('does not take for none what it cannot list', async () => {
    const there = { [`get crd ${crd}`]: { metadata: {} } };

    await expect(setup({ ...there, [`get ${crd} -n shop`]: unknownKind }).cluster.elastiServices(['shop'])).rejects.toThrow(KubectlError);
    await expect(setup({ ...there, [`get ${crd} --all-namespaces`]: forbidden }).cluster.elastiServices([])).rejects.toThrow(
      ForbiddenError,
    );
  });
});

describe('KubectlCluster.targetsOf', () => {
  it('tells targets at zero and without ready pods from those that are back, in the order asked for', async () => {
    const { cluster, calls } = setup({
      'get Deployment.v1.apps -n shop down starting back gone': {
        items: [aTarget('back', 2, 1), aTarget('down', 0), aTarget('starting', 1)],
      },
    });

    const targets = await cluster.targetsOf(['down', 'starting', 'back', 'gone'].map((name) => anElastiService(name)));

    expect(targets).toEqual([
      { state: 'at zero', words: 'its target Deployment down has 0 of 0 pods ready' },
      { state: 'not ready', words: 'its target Deployment starting has 0 of 1 pods ready' },
      { state: 'back', words: 'its target Deployment back has 1 of 2 pods ready' },
      { state: 'back', words: 'its target Deployment gone cannot be found' },
    ]);
    expect(calls).toHaveLength(1);
  });

  it('reads the one object that kubectl prints for one name', async () => {
    const { cluster } = setup({ 'get Deployment.v1.apps -n shop web': aTarget('web', 0) });

    expect(await cluster.targetsOf([anElastiService('web')])).toMatchObject([{ state: 'at zero' }]);
  });

  it('asks other kinds only for their scale, which leaves out a zero: nobody knows where they count pods', async () => {
    const scaleOf = (name: string, replicas?: number) => ({ kind: 'Scale', metadata: { name }, spec: { replicas } });
    const { cluster } = setup({
      'get GameServer.v1.games.example -n shop --subresource=scale up down': { items: [scaleOf('up', 1), scaleOf('down')] },
    });
    const target = { apiVersion: 'games.example/v1', kind: 'GameServer' };

    const targets = await cluster.targetsOf([anElastiService('up', target), anElastiService('down', target)]);

    expect(targets).toEqual([
      { state: 'back', words: 'its target GameServer up is scaled to 1' },
      { state: 'at zero', words: 'its target GameServer down is scaled to 0' },
    ]);
  });

  describe('of a target at zero that KEDA scales', () => {
    const service = anElastiService('web');
    const byKeda = { ...service, spec: { ...service.spec, autoscaler: { type: 'keda', name: 'web-scaler' } } };
    const theTarget = { 'get Deployment.v1.apps -n shop web': aTarget('web', 0) };
    const aScaledObject = (minReplicaCount?: number, annotations?: Record<string, string>) => ({
      metadata: { name: 'web-scaler', annotations },
      spec: { minReplicaCount },
    });
    const stateWith = async (answer: object | undefined) => {
      const { cluster } = setup({ ...theTarget, 'get ScaledObject.v1alpha1.keda.sh -n shop web-scaler': answer });
      return (await cluster.targetsOf([byKeda])).map(({ state }) => state);
    };

    it.each([[0], [undefined]])('takes it for back where its ScaledObject has a minReplicaCount of %s and is not paused', async (min) => {
      expect(await stateWith(aScaledObject(min, { 'autoscaling.keda.sh/paused': 'false' }))).toEqual(['back']);
    });

    it.each([
      ['keeps pods', aScaledObject(1)],
      ['is paused', aScaledObject(0, { 'autoscaling.keda.sh/paused': 'true' })],
      ['is paused at zero', aScaledObject(0, { 'autoscaling.keda.sh/paused-replicas': '0' })],
      ['is not there', undefined],
      ['cannot be seen', forbidden],
    ])('does not where it %s', async (_, answer) => {
      expect(await stateWith(answer)).toEqual(['at zero']);
    });

    it('asks KEDA for nothing of targets that it does not scale', async () => {
      const { cluster, calls } = setup(theTarget);

      expect(await cluster.targetsOf([service])).toMatchObject([{ state: 'at zero' }]);
      expect(calls).toHaveLength(1);
    });
  });

  it('takes a target of a kind that is no more for gone, and one that it cannot see for not ready', async () => {
    const { cluster } = setup({
      'get GameServer.v1.games.example -n shop --subresource=scale game': unknownKind,
      'get Deployment.v1.apps -n shop web': new KubectlError('kubectl get: timed out'),
    });

    const targets = await cluster.targetsOf([
      anElastiService('game', { apiVersion: 'games.example/v1', kind: 'GameServer' }),
      anElastiService('web'),
    ]);

    expect(targets).toEqual([
      { state: 'back', words: 'its target GameServer game cannot be found' },
      { state: 'not ready', words: 'its target Deployment web cannot be seen: kubectl get: timed out' },
    ]);
  });
});
