import type { Shop } from './shop';

/** One idle service for each test that needs a sleeping one; they fall asleep while other tests run. */
export async function stockShop(shop: Shop): Promise<void> {
  const rollout = (name: string, kind: string) => ({ scaleTargetRef: { apiVersion: 'argoproj.io/v1alpha1', kind, name } });
  const deployments = ['web', 'east', 'west', 'returned', 'orphan', 'keda-one', 'keda-zero'];
  for (const name of deployments) await shop.deploy(name);
  await shop.deploy('db', 'StatefulSet');
  for (const name of ['canary', 'old-canary']) await shop.deployRollout(name);
  await shop.scaledObject('keda-one', 1);
  await shop.scaledObject('keda-zero', 0);

  const window = '2s';
  for (const name of ['web', 'east', 'west', 'returned', 'orphan']) await shop.manage(name, { window });
  for (const name of ['keda-one', 'keda-zero']) await shop.manage(name, { window, autoscaler: { type: 'keda', name } });
  await shop.manage('db', { window, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' } });
  await shop.manage('canary', { window, ...rollout('canary', 'Rollout') });
  await shop.manage('old-canary', { window, ...rollout('old-canary', 'rollouts') });
}
