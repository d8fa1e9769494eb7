import { CustomResourceDefinition, Namespace } from '@elasti/operator-kit';
import { rolloutCrd, scaledObjectCrd } from '../fixtures/elasti-world/foreign-kinds';
import { applyYaml, getObject, kubectl } from './kubectl';
import { callsOf, itWithAuditLog } from './operator/audit-log';
import { PlayedArgo } from './operator/played-argo';
import { permissionsIn, refusedBy, unusedPermissions } from './permissions';
import { describeDeletion, returningStock } from './product/deletion.cases';
import { describeKinds, kindStock, layScaledObjects } from './product/kinds.cases';
import { startPrometheus } from './product/prometheus';
import { describeReinstall, reinstallStock } from './product/reinstall.cases';
import { describeTriggers, meteredStock } from './product/triggers.cases';
import { installed, manifestOf, operatorName, resolverName } from './resolver/installation';
import { World } from './resolver/world';

/**
 * Operators and resolvers together, from the synthesized manifests: every kind of target, every trigger, every order of deletion, and an upgrade.
 * Beside the images of resolver.spec.ts the cluster must have those that WEB_IMAGE and PROMETHEUS_IMAGE name.
 */
const world = new World();
const foreignCrds = [rolloutCrd(), scaledObjectCrd()];

/** Permissions that no cluster like this one asks for. */
const usedElsewhere = new Map([
  ['create discovery.k8s.io endpointslices/restricted everywhere', 'OpenShift asks for it of whoever writes addresses into slices'],
  [
    'update elasti.truefoundry.com elastiservices/finalizers everywhere',
    'clusters with OwnerReferencesPermissionEnforcement ask for it of whoever sets a blocking owner',
  ],
]);

beforeAll(async () => {
  await world.open();
  const { client, sleepers } = world;
  await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: foreignCrds }));
  for (const { metadata } of foreignCrds) await kubectl('wait', '--for=condition=Established', `crd/${metadata.name}`, '--timeout=30s');
  const argo = new PlayedArgo(client, sleepers.namespace);
  world.beforeClosing(async () => {
    await argo.stop();
    for (const { metadata } of foreignCrds) await client.delete(CustomResourceDefinition, { name: metadata.name ?? '' });
  });
  await layScaledObjects(client, sleepers.namespace);
  const { serverAddress } = await startPrometheus(sleepers.namespace, { metered: sleepers.addressOf('metered', 'metrics') });
  await sleepers.lay({ ...kindStock, ...meteredStock(serverAddress), ...returningStock, ...reinstallStock });
}, World.openingMs + 210_000);

afterAll(() => world.close(), World.closingMs + 30_000);

describe('the product on a cluster', () => {
  jest.setTimeout(240_000);

  it('is ready, two of each, under the restricted Pod Security standard, with the images that were asked for', async () => {
    const { metadata } = await world.client.get(Namespace, { name: installed });
    const deployments = await Promise.all(
      [operatorName, resolverName].map((name) => getObject<{ status: object }>('deployment', name, '-n', installed)),
    );

    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    expect(deployments.map((deployment) => deployment?.status)).toMatchObject([
      { readyReplicas: 2, updatedReplicas: 2 },
      { readyReplicas: 2, updatedReplicas: 2 },
    ]);
  });

  describeKinds(world);
  describeTriggers(world);
  describeDeletion(world);

  it('has restarted none of its programs until a new version comes', async () => {
    expect(await world.elasti.restarts()).toEqual([]);
  });

  describeReinstall(world);

  itWithAuditLog.each([
    ['operator', operatorName],
    ['resolver', resolverName],
  ] as const)('lets the %s do all that it does, and nothing more', async (_, account) => {
    const calls = await callsOf(`system:serviceaccount:${installed}:${account}`, world.began);

    const unused = unusedPermissions(permissionsIn(manifestOf(account)), calls, installed);

    expect(refusedBy(calls)).toEqual([]);
    expect(unused.filter((permission) => !usedElsewhere.has(permission))).toEqual([]);
  });

  it('has restarted none of the programs of the new version', async () => {
    expect(await world.elasti.restarts()).toEqual([]);
  });
});
