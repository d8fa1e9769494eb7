import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient } from '@elasti/operator-kit';
import { CleanUps } from './clean-ups';
import { applyYaml, kubectl } from './kubectl';
import { callsOf, itWithAuditLog } from './operator/audit-log';
import { permissionsIn, unusedPermissions } from './permissions';
import { Caller } from './resolver/caller';
import { Sleepers } from './resolver/sleepers';
import { synthesizedObjects, synthesizeTo } from './synthesized';
import { vacate } from './vacate';

/** An installation that may look into one namespace beside its own and has no permission of the whole cluster; wakes are asked for with a shared secret. */
const home = 'elasti-shop';
const shop = 'namespaced-shop';
const accounts = ['elasti-operator-controller-manager', 'elasti-resolver'];
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'elasti-wake', namespace: home },
  stringData: { token: 'open-sesame' },
};
/** Permissions that nothing here asks for. */
const usedElsewhere = [
  { of: / (argoproj\.io|keda\.sh) /, why: 'nobody here has installed them; product.spec.ts has all kinds of targets' },
  { of: / endpointslices\/restricted | elastiservices\/finalizers /, why: 'no cluster like this one asks for them, see product.spec.ts' },
];
const folder = mkdtempSync(join(tmpdir(), 'elasti-namespaced-'));
const began = new Date();
const cleanUps = new CleanUps();
let client: KubeClient;
let sleepers: Sleepers;
let caller: Caller;

beforeAll(async () => {
  cleanUps.add(() => rm(folder, { recursive: true }));
  client = await KubeClient.fromKubeConfig();
  cleanUps.add(() => client.close());
  cleanUps.add(uninstall);
  sleepers = await Sleepers.open(client, shop);
  cleanUps.add(() => sleepers.remove());
  await synthesizeTo(folder, join(__dirname, 'settings/namespaced.yaml'));
  const items = synthesizedObjects(folder);
  await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...items.slice(0, 2), secret, ...items.slice(2)] }));
  await kubectl('wait', '--for=condition=Established', 'crd/elastiservices.elasti.truefoundry.com', '--timeout=30s');
  for (const name of accounts) await kubectl('rollout', 'status', `deployment/${name}`, '-n', home, '--timeout=120s');
  caller = await Caller.start(shop);
  cleanUps.add(() => caller.stop());
  cleanUps.add(() => sleepers.giveBack(caller));
  const triggers = [{ type: 'traffic' as const, metadata: { window: '2s' } }];
  const fallingAsleep = { replicas: 1, env: { LINGER_MS: '4000' }, spec: { triggers } };
  // Of both kinds one that Elasti finds at zero, and one that it puts there: it asks for different things.
  await sleepers.lay({ hello: {}, idle: fallingAsleep, archive: { kind: 'StatefulSet' }, db: { ...fallingAsleep, kind: 'StatefulSet' } });
}, 450_000);

afterAll(() => cleanUps.run(), 540_000);

async function uninstall(): Promise<void> {
  await vacate(home);
  await kubectl('delete', '-f', folder, '--ignore-not-found', '--wait=false');
  for (const one of [`namespace/${home}`, 'crd/elastiservices.elasti.truefoundry.com']) {
    await kubectl('wait', '--for=delete', one, '--timeout=90s');
  }
}

describe('a namespaced installation', () => {
  jest.setTimeout(120_000);

  it('wakes a service on the first request, which is answered', async () => {
    await sleepers.asleep('hello', caller);

    const answer = await caller.request(sleepers.addressOf('hello', 'http'));

    expect(answer.status).toBe(200);
    await sleepers.awake('hello');
  });

  it('puts an idle service to sleep, wakes it, and puts it to sleep again', async () => {
    await sleepers.asleep('idle', caller);

    const answer = await caller.request(sleepers.addressOf('idle', 'http'));

    expect(answer.status).toBe(200);
    // What happens a second time is told in another way: there is a permission for just that.
    await sleepers.asleep('idle', caller);
  });

  it('lets only those ask for a wake who know the secret', async () => {
    const operator = { host: `elasti-operator-controller-service.${home}.svc`, port: 8013 };
    const body = JSON.stringify({ count: 1, svc: 'hello', namespace: shop });
    const ask = async (token: string) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      return (await caller.request(operator, { method: 'POST', path: '/informer/incoming-request', headers, body })).status;
    };

    expect([await ask('abracadabra'), await ask('open-sesame')]).toEqual([401, 200]);
  });

  it('gives services back whose ElastiServices are deleted', async () => {
    for (const name of ['archive', 'db']) await sleepers.asleep(name, caller);

    await kubectl('delete', 'elastiservice', 'archive', 'db', 'hello', '-n', shop, '--timeout=90s');

    for (const name of ['archive', 'db', 'hello']) {
      expect(await sleepers.replicasOf(name)).toBe(1);
      expect((await caller.request(sleepers.addressOf(name, 'http'))).status).toBe(200);
    }
  });

  describe.each(accounts)('%s', (account) => {
    const callsNow = () => callsOf(`system:serviceaccount:${home}:${account}`, began);

    itWithAuditLog('asks the API server for nothing outside of its namespaces, and is refused nothing', async () => {
      const calls = await callsNow();

      const elsewhere = calls.filter(({ resource, namespace }) => resource !== '' && namespace !== home && namespace !== shop);
      expect(elsewhere).toEqual([]);
      expect(calls.filter(({ code }) => code === 403)).toEqual([]);
    });

    itWithAuditLog('has no permission in any of them that it does not use', async () => {
      const roles = synthesizedObjects(folder).filter(({ metadata }) => [account, `${account}-targets`].includes(metadata.name ?? ''));

      const unused = unusedPermissions(permissionsIn(roles), await callsNow(), home);

      expect(unused.filter((permission) => !usedElsewhere.some(({ of }) => of.test(permission)))).toEqual([]);
    });
  });
});
