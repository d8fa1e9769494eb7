import { KubeClient, Namespace, StatefulSet } from '@elasti/operator-kit';
import { eventually } from '../eventually';
import { Rollout } from '../fixtures/elasti-world/foreign-kinds';
import { CleanUps } from './clean-ups';
import { applyYaml, kubectl } from './kubectl';
import { callsOf, itWithAuditLog } from './operator/audit-log';
import { type Answer, type Call, Installation, installed, operatorName } from './operator/installation';
import { PlayedArgo } from './operator/played-argo';
import { Shop } from './operator/shop';
import { stockShop } from './operator/stock';
import { refusedBy } from './permissions';

/**
 * The operator on a real cluster: two replicas from the synthesized manifest, real pods as targets, and stubs in the resolvers' place.
 * The cluster must have the images that OPERATOR_IMAGE (at synth), STUB_RESOLVER_IMAGE and WEB_IMAGE name.
 */
const namespace = `elasti-e2e-${Date.now().toString(36)}`;
const began = new Date();
const wakeUrl = (host: string) => `http://${host}:8013/informer/incoming-request`;
const wakeCall = (svc: string, host = `elasti-operator-controller-service.${installed}.svc`): Call => ({
  url: wakeUrl(host),
  method: 'POST',
  body: JSON.stringify({ count: 1, svc, namespace }),
  token: 'projected',
});
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);

let client: KubeClient;
let elasti: Installation;
let shop: Shop;
const cleanUps = new CleanUps();

/** The witness saw it change, and never saw it lead nowhere. */
function expectNeverEmpty(name: string): void {
  expect(shop.log.of(name).length).toBeGreaterThan(3);
  expect(shop.log.emptyMoments(name)).toEqual([]);
}

async function wake(name: string): Promise<void> {
  await shop.stayAwakeNextTime(name);
  expect(statuses(await elasti.callFromResolver(wakeCall(name)))).toEqual([200]);
  await shop.awake(name);
}

beforeAll(async () => {
  client = await KubeClient.fromKubeConfig();
  cleanUps.add(() => client.close());
  cleanUps.add(() => Installation.uninstall());
  elasti = await Installation.install(client);
  shop = await Shop.open(client, namespace);
  const argo = new PlayedArgo(client, namespace);
  cleanUps.add(() => argo.stop());
  cleanUps.add(() => shop.close());
  await stockShop(shop);
}, 420_000);

afterAll(() => cleanUps.run(), 300_000);

describe('the operator on a cluster', () => {
  jest.setTimeout(120_000);

  it('answers probes and metrics on every replica, under the restricted Pod Security standard', async () => {
    const replicas = await elasti.replicas();
    const urls = replicas.flatMap(({ ip }) => [`${ip}:8081/healthz`, `${ip}:8081/readyz`, `${ip}:8013/metrics`]);

    const answers = await elasti.callFromResolver(...urls.map((url) => ({ url: `http://${url}` })));

    expect(replicas).toHaveLength(2);
    expect(statuses(answers)).toEqual(urls.map(() => 200));
    expect(answers[2]?.body).toContain('elasti_operator_mode');
    const { metadata } = await client.get(Namespace, { name: installed });
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it('puts an idle Deployment to sleep, with the resolvers in its place, and wakes it when it is asked for', async () => {
    await shop.asleep('web');
    const asleep = await shop.slices('web');

    await wake('web');

    expect(asleep.proxy).toEqual((await elasti.resolverAddresses()).sort());
    expect(await shop.replicasOf('web')).toBe(1);
    // One that it had before may still be on its way out.
    const awake = await eventually('one pod of web', async () => {
      const slices = await shop.slices('web');
      return slices.pods?.length === 1 ? slices : undefined;
    });
    expect(awake.proxy).toBeUndefined();
    expect(awake.standby).toEqual(asleep.proxy);
    expectNeverEmpty('web');
  });

  it('does the same for a StatefulSet', async () => {
    await shop.asleep('db', StatefulSet);

    await wake('db');

    expect(await shop.replicasOf('db', StatefulSet)).toBe(1);
    expectNeverEmpty('db');
  });

  it.each(['canary', 'old-canary'])('does the same for the Argo Rollout %s, under the kind of today and the old plural', async (name) => {
    await shop.asleep(name, Rollout);

    await wake(name);

    expect(await shop.replicasOf(name, Rollout)).toBe(1);
    expectNeverEmpty(name);
  });

  it("pauses KEDA's ScaledObject at zero while the target sleeps, and lets it go when it wakes", async () => {
    await shop.asleep('keda-one');
    const asleep = await shop.annotationsOf('keda-one');

    await wake('keda-one');

    expect(asleep).toMatchObject({ 'autoscaling.keda.sh/paused': 'true', 'autoscaling.keda.sh/paused-replicas': '0' });
    const awake = await shop.annotationsOf('keda-one');
    expect(awake['autoscaling.keda.sh/paused']).toBe('false');
    expect(awake).not.toHaveProperty(['autoscaling.keda.sh/paused-replicas']);
  });

  it('holds a ScaledObject that may scale to zero at the replicas of the wake', async () => {
    await shop.asleep('keda-zero');

    await wake('keda-zero');

    expect(await shop.annotationsOf('keda-zero')).toMatchObject({
      'autoscaling.keda.sh/paused': 'true',
      'autoscaling.keda.sh/paused-replicas': '1',
    });
  });

  it('follows a hand that scales to zero and up again', async () => {
    await shop.deploy('hand');
    await shop.manage('hand');
    await shop.awake('hand');
    await shop.standsBy('hand');

    await kubectl('scale', 'deployment/hand', '-n', namespace, '--replicas=0');
    await shop.asleep('hand');
    await kubectl('scale', 'deployment/hand', '-n', namespace, '--replicas=2');
    await shop.awake('hand');

    expect(await shop.replicasOf('hand')).toBe(2);
    expectNeverEmpty('hand');
  });

  it('keeps the private Service in step with the ports and the selector of the public one', async () => {
    const changed = {
      spec: {
        selector: { app: 'web', tier: null },
        ports: [
          { name: 'http', port: 80, targetPort: 8080 },
          { name: 'admin', port: 9000, targetPort: 8080 },
        ],
      },
    };
    const before = await shop.privateService('web');

    await kubectl('patch', 'service', 'web', '-n', namespace, '--type=merge', '-p', JSON.stringify(changed));

    await eventually('the new port', async () => ((await shop.privateService('web'))?.spec?.ports?.[1]?.port === 9000 ? true : undefined));
    expect(before?.spec).toMatchObject({ type: 'ClusterIP', selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }] });
    await kubectl('set', 'selector', 'service/web', 'app=web,tier=front', '-n', namespace);
    await eventually('the new selector', async () =>
      (await shop.privateService('web'))?.spec?.selector?.tier === 'front' ? true : undefined,
    );
  });

  it('takes wakes on every replica, from the resolver and from nobody else', async () => {
    const sleepers = ['east', 'west'];
    for (const name of sleepers) await shop.asleep(name);
    for (const name of sleepers) await shop.stayAwakeNextTime(name);
    const token = (await kubectl('create', 'token', 'default', '-n', installed, '--audience=elasti-operator')).trim();
    const hosts = (await elasti.replicas()).map(({ ip }) => ip);
    const calls = hosts.map((ip, position) => wakeCall(sleepers[position] ?? '', ip));

    const strangers = await elasti.callFromResolver(
      ...calls.map((call) => ({ ...call, token: undefined })),
      ...calls.map((call) => ({ ...call, token: { token } })),
    );
    const replicasThen = await Promise.all(sleepers.map((name) => shop.replicasOf(name)));
    const answers = await elasti.callFromResolver(...calls);

    expect(statuses(strangers)).toEqual([401, 401, 403, 403]);
    expect(replicasThen).toEqual([0, 0]);
    expect(statuses(answers)).toEqual([200, 200]);
    expect(JSON.parse(answers[0]?.body ?? '')).toEqual({ message: 'Request received successfully!' });
    for (const name of sleepers) await shop.awake(name);
  });

  it('takes an object of KubeElasti as it is, and shows it in its columns', async () => {
    await shop.deploy('legacy');
    const spec = {
      minTargetReplicas: 1,
      service: 'legacy',
      cooldownPeriod: 5,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'deployments', name: 'legacy' },
      triggers: [
        {
          type: 'prometheus',
          metadata: { query: 'sum(rate(requests[1m])) or vector(0)', serverAddress: 'http://prometheus.invalid:9090', threshold: '0.5' },
        },
      ],
    };
    await applyYaml(
      JSON.stringify({
        apiVersion: 'elasti.truefoundry.com/v1alpha1',
        kind: 'ElastiService',
        metadata: { name: 'legacy', namespace },
        spec,
      }),
    );

    await shop.awake('legacy');

    expect((await shop.find('legacy'))?.spec).toMatchObject(spec);
    const [header, row] = (await kubectl('get', 'esvc', 'legacy', '-n', namespace)).split('\n').map((line) => line.split(/\s+/));
    expect(header?.slice(0, 6)).toEqual(['NAME', 'MODE', 'TARGET', 'SERVICE', 'READY', 'AGE']);
    expect(row?.slice(0, 4)).toEqual(['legacy', 'serve', 'legacy', 'legacy']);
  });

  it('gives everything back when the ElastiService of a sleeping target is deleted', async () => {
    await shop.asleep('returned');

    await kubectl('delete', 'esvc', 'returned', '-n', namespace, '--timeout=60s');

    expect(await shop.replicasOf('returned')).toBe(1);
    expect(await shop.privateService('returned')).toBeUndefined();
    expect(Object.keys(await shop.slices('returned'))).toEqual(['pods']);
    expectNeverEmpty('returned');
  });

  it.each([
    ['night', 'is deleted', (pod: string) => elasti.forceOut(pod)],
    ['dusk', 'crashes without a word', (pod: string) => elasti.crash(pod)],
  ])(
    'lets %s go on falling asleep under another leader when the leading pod %s in the middle of it',
    async (name, _, end) => {
      await shop.deploy(name);
      // So long that it cannot be over before its leader is.
      await shop.manage(name, { window: '30s' });
      await eventually('the resolvers joined', async () => ((await shop.slices(name)).proxy?.length ? true : undefined));
      const first = await eventually('a leader', () => elasti.leader());

      await end(first.pod);
      const replicasThen = await shop.replicasOf(name);
      await shop.asleep(name);

      expect(replicasThen).toBe(1);
      expect((await elasti.leader())?.identity).not.toBe(first.identity);
      expectNeverEmpty(name);
    },
    300_000,
  );

  it('stops of itself, within the grace of its pods, when it is asked to, also while it is still starting', async () => {
    await elasti.replicasReady(2);

    const running = await elasti.stopAll();
    await elasti.begun();
    const starting = await elasti.stopAll();

    const stopped = { exitCode: 0, within: 'its grace' };
    expect(running).toEqual([stopped, stopped]);
    expect(starting).toEqual([stopped, stopped]);
    await elasti.replicasReady(2);
  });

  describe('when no operator is there', () => {
    beforeAll(async () => {
      await shop.deploy('lamp');
      await shop.manage('lamp');
      await shop.awake('lamp');
      await shop.standsBy('lamp');
      await shop.asleep('orphan');
      await elasti.scaleOperator(0);
    }, 120_000);

    it('leaves the resolvers in a Service whose last pod goes by hand', async () => {
      await kubectl('scale', 'deployment/lamp', '-n', namespace, '--replicas=0');
      await eventually('the pods gone', async () => ((await shop.slices('lamp')).pods?.length ? undefined : true));

      expect((await shop.slices('lamp')).standby).toEqual((await elasti.resolverAddresses()).sort());
      expectNeverEmpty('lamp');
    });

    it('does on its return what was asked for meanwhile', async () => {
      await kubectl('delete', 'esvc', 'orphan', '-n', namespace, '--wait=false');
      const meanwhile = await shop.slices('orphan');

      await elasti.scaleOperator(2);
      await eventually('orphan gone', async () => ((await shop.find('orphan')) ? undefined : true), 90_000);
      await shop.asleep('lamp');

      expect(meanwhile.proxy).toEqual((await elasti.resolverAddresses()).sort());
      expect(await shop.replicasOf('orphan')).toBe(1);
      expect(await shop.privateService('orphan')).toBeUndefined();
      for (const name of ['orphan', 'lamp']) expectNeverEmpty(name);
    });
  });

  it('noticed no refusal by the API server', async () => {
    expect(await elasti.logs()).not.toContain('ForbiddenError');
  });

  itWithAuditLog('was never refused anything by the API server', async () => {
    const calls = await callsOf(`system:serviceaccount:${installed}:${operatorName}`, began);

    expect(refusedBy(calls)).toEqual([]);
  });
});
