import { ConflictError, Deployment, type ResourceDefinition, StatefulSet } from '@elasti/operator-kit';
import { aDeployment } from '../objects.fixture';
import { Shop, type ShopWish } from '../shop.fixture';
import { TargetNotFoundError } from '../waker';

const rollout: ResourceDefinition = { group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout', plural: 'rollouts', namespaced: true };
const game: ResourceDefinition = { group: 'games.dev', version: 'v1', kind: 'Game', plural: 'games', namespaced: true };
const world: ResourceDefinition = { group: 'games.dev', version: 'v1', kind: 'World', plural: 'worlds', namespaced: false };

function setup(wish: ShopWish = {}) {
  const shop = new Shop(wish);
  const { cluster, replica, signal } = shop;
  cluster.kinds.push(rollout, game, world);
  const web = replica.elastiService();
  return { shop, cluster, target: replica.target, web, signal };
}

const targeting = (apiVersion: string, kind: string): ShopWish => ({ spec: { scaleTargetRef: { apiVersion, kind, name: 'web' } } });

describe('TargetOps.observe', () => {
  it('takes a Deployment from the watch, without a call', async () => {
    const { cluster, target, web, signal } = setup({ replicas: 2 });

    await expect(target.observe(web, signal)).resolves.toMatchObject({ kind: Deployment, replicas: 2 });

    expect(cluster.calls).toEqual([]);
  });

  it('takes an absent number for one, as Kubernetes does', async () => {
    const { cluster, target, web, signal } = setup();
    cluster.put(Deployment, { ...aDeployment(), spec: { selector: {}, template: {} } });

    await expect(target.observe(web, signal)).resolves.toMatchObject({ replicas: 1 });
  });

  it.each([
    ['apps/v1', 'deployments', Deployment],
    ['apps/v1', 'StatefulSet', StatefulSet],
    ['argoproj.io/v1alpha1', 'rollouts', rollout],
  ])('knows %s %s', async (apiVersion, kind, definition) => {
    const { cluster, target, web, signal } = setup(targeting(apiVersion, kind));
    cluster.put(definition, { ...aDeployment('web', 3), apiVersion, kind: definition.kind });

    await expect(target.observe(web, signal)).resolves.toMatchObject({ kind: { kind: definition.kind }, replicas: 3 });
  });

  it('asks the scale subresource of a kind it does not know', async () => {
    const { cluster, target, web, signal } = setup(targeting('games.dev/v1', 'Game'));
    cluster.put(game, { ...aDeployment('web', 4), apiVersion: 'games.dev/v1', kind: 'Game' });

    await expect(target.observe(web, signal)).resolves.toMatchObject({ replicas: 4 });

    expect(cluster.calls).toMatchObject([{ verb: 'getScale', kind: 'Game' }]);
  });

  it.each([
    ['a kind that the server does not have', 'games.dev/v1', 'Toy'],
    ['a kind that is not of a namespace', 'games.dev/v1', 'World'],
    ['a workload that is not there', 'apps/v1', 'StatefulSet'],
  ])('says so of %s', async (_what, apiVersion, kind) => {
    const { target, web, signal } = setup(targeting(apiVersion, kind));

    await expect(target.observe(web, signal)).rejects.toThrow(TargetNotFoundError);
    await expect(target.replicasOf(web, signal)).resolves.toBeUndefined();
  });
});

describe('TargetOps.scale', () => {
  it('reads the scale from the API server, whatever the watch shows', async () => {
    const { shop, target, web, signal } = setup();
    shop.replica.caches.holdBack();
    shop.scaleByHand(7);

    await expect(target.read(web, signal)).resolves.toMatchObject({ spec: { replicas: 7 } });
  });

  it('expects what the watch shows, with the version that makes a write of it certain', async () => {
    const { shop, cluster, target, web, signal } = setup();
    shop.scaleByHand(0);

    const expected = await target.expectBelow(web, 1, signal);
    shop.scaleByHand(2);

    expect(expected?.spec.replicas).toBe(0);
    await expect(expected && target.scale(web, expected, 5, signal)).rejects.toThrow(ConflictError);
    expect(cluster.calls).toMatchObject([{ verb: 'replaceScale' }]);
  });

  it('expects nothing of a target that the watch shows awake, or that it has told of already', async () => {
    const { shop, target, web, signal } = setup();
    await expect(target.expectBelow(web, 1, signal)).resolves.toBeUndefined();
    shop.scaleByHand(0);

    await target.expectBelow(web, 1, signal);

    await expect(target.expectBelow(web, 1, signal)).resolves.toBeUndefined();
  });

  it('asks the scale subresource what to expect of a kind it does not know', async () => {
    const { cluster, target, web, signal } = setup(targeting('games.dev/v1', 'Game'));
    cluster.put(game, { ...aDeployment('web', 0), apiVersion: 'games.dev/v1', kind: 'Game' });

    await expect(target.expectBelow(web, 1, signal)).resolves.toBeDefined();
    expect(cluster.calls).toMatchObject([{ verb: 'getScale', kind: 'Game' }]);
  });

  it('writes the scale only over the version that was read', async () => {
    const { shop, target, web, signal } = setup();
    const read = await target.read(web, signal);
    shop.scaleByHand(2);

    await expect(target.scale(web, read, 0, signal)).rejects.toThrow(ConflictError);

    expect(shop.scale).toBe(2);
  });

  it('is noted as ours', async () => {
    const { cluster, target, web, signal } = setup();

    await target.scale(web, await target.read(web, signal), 0, signal);

    const observed = { kind: Deployment, ref: { namespace: 'shop', name: 'web' } };
    await expect(target.lastScaler(observed, signal)).resolves.toMatchObject({ manager: 'elasti-operator', isElasti: true });
    expect(cluster.look(Deployment, observed.ref).spec?.replicas).toBe(0);
  });

  it('says that a target is not there', async () => {
    const { cluster, target, web, signal } = setup();
    cluster.remove(Deployment, { namespace: 'shop', name: 'web' });

    await expect(target.read(web, signal)).rejects.toThrow(TargetNotFoundError);
  });
});
