import { exec } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ElastiService } from '@elasti/api';
import {
  CustomResourceDefinition,
  Deployment,
  EndpointSlice,
  isConditionTrue,
  KubeClient,
  Lease,
  Pod,
  Service,
} from '@elasti/operator-kit';
import { privateServiceName, proxySliceName } from '../../apps/operator/src/controller/resources/child-names';
import { leaseName, privateServiceLabel, sliceManager, sliceRoleLabel } from '../../apps/operator/src/names';
import { parseOperatorConfig } from '../../apps/operator/src/operator.config';
import { parseResolverConfig } from '../../apps/resolver/src/resolver.config';
import { eventually } from '../eventually';
import { CleanUps } from './clean-ups';
import { applyYaml, createYaml, kubectl } from './kubectl';
import { Caller, type OpenCall, type Tally } from './resolver/caller';
import { ElastiInstallation, installed, letGo, operatorName, resolverName } from './resolver/installation';
import { stubCrd } from './stub-crd';
import { synthesizedObjects, synthesizeTo } from './synthesized';
import { heldByKubeElasti, kubeElastiCrd, kubeElastiManifests, secret } from './takeover/kubeelasti.manifests';
import { layAsKubeElasti } from './takeover/kubeelasti-service';

/** `kubectl apply` of our manifests over a cluster that runs KubeElasti, with services that it has put to sleep. */
const namespace = `moving-${Date.now().toString(36)}`;
const sleepers = ['asked-for', 'given-back', 'left-alone', 'wanted'];
const monitorCrd = stubCrd('monitoring.coreos.com', 'ServiceMonitor');
const folder = mkdtempSync(join(tmpdir(), 'elasti-takeover-'));
const list = (items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

let client: KubeClient;
let caller: Caller;
/** To a service that is awake and to one that sleeps, from before the manifests are applied. */
let traffic: OpenCall<Tally>;
let wakingTraffic: OpenCall<Tally>;
const privateServices = new Map<string, string | undefined>();
const cleanUps = new CleanUps();

const find = (name: string) => client.find(ElastiService, { namespace, name });
const replicasOf = async (name: string) => (await client.getScale(Deployment, { namespace, name })).spec.replicas ?? 0;
const slicesOf = async (service: string) => {
  const { items } = await client.list(EndpointSlice, { namespace, labelSelector: `kubernetes.io/service-name=${service}` });
  return items;
};

const isOurs = ({ metadata }: EndpointSlice) => metadata.labels?.['endpointslice.kubernetes.io/managed-by'] === sliceManager;

async function installKubeElasti(): Promise<void> {
  await applyYaml(list([monitorCrd]));
  cleanUps.add(() => client.delete(CustomResourceDefinition, { name: monitorCrd.metadata.name ?? '' }));
  await kubectl('wait', '--for=condition=Established', `crd/${monitorCrd.metadata.name}`, '--timeout=30s');
  await createYaml(list([kubeElastiCrd(), ...kubeElastiManifests(installed)]));
  await rolledOut();
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  await client.create(Lease, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: installed, name: leaseName },
    spec: { holderIdentity: 'kubeelasti_1', leaseDurationSeconds: 15, acquireTime: renewTime, renewTime, leaseTransitions: 0 },
  });
}

async function rolledOut(): Promise<void> {
  for (const name of [resolverName, operatorName]) {
    await kubectl('rollout', 'status', `deployment/${name}`, '-n', installed, '--timeout=150s');
  }
}

/** What a container is told by a value; what comes from elsewhere is none of these. */
function valuesIn(deployment: Deployment | undefined): Record<string, string> {
  const variables = deployment?.spec?.template.spec?.containers[0]?.env ?? [];
  return Object.fromEntries(variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}

/** Runs the commands of a step of moving over as infra's README has them, with the tests' own manifests. */
async function follow(step: 1 | 2 | 3): Promise<void> {
  const readme = readFileSync(join(__dirname, '../../infra/README.md'), 'utf8');
  const [, moving = ''] = readme.split('## Moving over from KubeElasti');
  const [, commands = ''] = new RegExp(`^${step}\\. (?:[^\n]+\n)+\n((?: {7}[^\n]*\n)+)`, 'm').exec(moving) ?? [];
  expect(commands).toContain('kubectl');
  await promisify(exec)(`set -e\n${commands.replaceAll('infra/manifests/elasti', folder)}`);
}

beforeAll(async () => {
  cleanUps.add(() => rm(folder, { recursive: true }));
  await synthesizeTo(folder, join(__dirname, 'settings/takeover.yaml'));
  client = await KubeClient.fromKubeConfig();
  cleanUps.add(() => client.close());
  cleanUps.add(() => ElastiInstallation.uninstall());
  await installKubeElasti();
  await applyYaml(list([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]));
  const theirs = ['clusterrole/elasti-operator-manager-role', 'clusterrolebinding/elasti-operator-manager-rolebinding'];
  cleanUps.add(() => kubectl('delete', ...theirs, '--ignore-not-found'));
  cleanUps.add(() => kubectl('delete', 'namespace', namespace, '--timeout=90s'));
  cleanUps.add(() => letGo(namespace));
  cleanUps.add(() => kubectl('delete', 'elastiservices', '--all', '-n', namespace, '--timeout=90s'));
  caller = await Caller.start(namespace);
  cleanUps.add(() => caller.stop());
  const { items } = await client.list(Pod, { namespace: installed, labelSelector: `app=${resolverName}` });
  for (const name of sleepers) {
    await layAsKubeElasti(client, namespace, name, { state: 'asleep', resolverIp: items[0]?.status?.podIP ?? '' });
    privateServices.set(name, (await client.get(Service, { namespace, name: privateServiceName(name) })).metadata.uid);
  }
  await layAsKubeElasti(client, namespace, 'busy', { state: 'awake' });
  await kubectl('rollout', 'status', 'deployment/busy', '-n', namespace, '--timeout=60s');
  const busy = { host: `busy.${namespace}.svc`, port: 80 };
  await eventually('the data plane to know busy', async () => ((await caller.request(busy)).status === 200 ? true : undefined));
  traffic = await caller.begin<Tally>({ kind: 'traffic', everyMs: 50, ...busy });
  const wanted = { host: `wanted.${namespace}.svc`, port: 80 };
  wakingTraffic = await caller.begin<Tally>({ kind: 'traffic', everyMs: 100, patienceMs: 180_000, ...wanted });
  await wakingTraffic.seen(3);
  await applyYaml(list([secret('prometheus', installed, { authorization: 'Bearer by-secret' })]));
  await follow(1);
  await rolledOut();
}, 1_020_000);

afterAll(() => cleanUps.run(), ElastiInstallation.uninstallingMs + 240_000);

describe('the manifests applied over an installation of KubeElasti', () => {
  jest.setTimeout(120_000);

  it('run in place of it: the same Deployments, one container in each, and the lease after its time', async () => {
    const deployments = await Promise.all(
      [operatorName, resolverName].map((name) => client.get(Deployment, { namespace: installed, name })),
    );
    const holder = await eventually('a leader of ours', async () => {
      const { spec } = await client.get(Lease, { namespace: installed, name: leaseName });
      return spec?.holderIdentity?.startsWith(operatorName) ? spec.holderIdentity : undefined;
    });

    const containers = deployments.map(({ spec }) => spec?.template.spec?.containers.map(({ name, command }) => [name, command?.at(-1)]));
    expect(containers).toEqual([[['manager', '/app/main.js']], [['proxy', '/app/main.js']]]);
    expect(deployments.map(({ status }) => [status?.replicas, status?.readyReplicas])).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(holder).toContain(operatorName);
  });

  it('mean the same to the programs as without KubeElasti before them: what it has left has nothing to do', async () => {
    const [operator, resolver] = await Promise.all(
      [operatorName, resolverName].map(async (name) => ({
        found: valuesIn(await client.get(Deployment, { namespace: installed, name })),
        given: valuesIn(synthesizedObjects(folder).find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)),
      })),
    );

    // Until the second step.
    expect(operator?.found).toMatchObject({ PROMETHEUS_TRIGGER_SERVER_ADDRESS: 'http://prometheus.invalid:9090', ELASTI_WAKE_AUTH: 'off' });
    expect(parseOperatorConfig({ ...operator?.found, ELASTI_WAKE_AUTH: operator?.given.ELASTI_WAKE_AUTH })).toEqual(
      parseOperatorConfig(operator?.given ?? {}),
    );
    expect(parseResolverConfig(resolver?.found ?? {})).toEqual({
      ...parseResolverConfig(resolver?.given ?? {}),
      idleVariables: ['QUEUE_RETRY_DURATION', 'INITIAL_CAPACITY', 'TRAFFIC_RE_ENABLE_DURATION'],
    });
    expect(resolver?.found.ENABLE_H2C).toBe('true');
  });

  it('take the header for Prometheus from its Secret, where KubeElasti had it in plain text', async () => {
    const { spec } = await client.get(Deployment, { namespace: installed, name: operatorName });
    const header = spec?.template.spec?.containers[0]?.env?.find(({ name }) => name === 'PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER');

    expect(header?.value ?? '').toBe('');
    expect(header?.valueFrom?.secretKeyRef).toMatchObject({ name: 'prometheus', key: 'authorization' });
  });

  it('lost no request to a service that slept meanwhile, be it held by KubeElasti or by ours', async () => {
    await eventually(
      'wanted answered by its pod',
      async () => ((await find('wanted'))?.status?.mode === 'serve' ? true : undefined),
      90_000,
    );
    await wakingTraffic.seen((await wakingTraffic.events()).length + 2);
    const tally = await wakingTraffic.stop();

    expect(tally).toMatchObject({ statuses: { 200: tally.sent }, failures: [] });
    expect(Object.keys(tally.pods).sort()).toEqual([heldByKubeElasti, expect.stringMatching(/^wanted-/)]);
  });

  it('takes over what sleeps, and what KubeElasti made for it, under the same names', async () => {
    for (const name of sleepers.filter((one) => one !== 'wanted')) {
      await eventually(`${name} taken over`, async () => {
        const { mode, conditions } = (await find(name))?.status ?? {};
        return mode === 'proxy' && isConditionTrue(conditions, 'Ready') && isConditionTrue(conditions, 'ScaledDown') ? true : undefined;
      });
      const slice = await eventually(`both resolvers in the slice of ${name}`, async () => {
        const [first, ...others] = (await slicesOf(name)).filter(isOurs);
        return first?.endpoints?.length === 2 && others.length === 0 ? first : undefined;
      });

      const { metadata, spec } = await client.get(Service, { namespace, name: privateServiceName(name) });
      expect(metadata).toMatchObject({ uid: privateServices.get(name), labels: { [privateServiceLabel]: name } });
      expect(spec).toMatchObject({ type: 'ClusterIP', selector: { app: name } });
      expect(slice.metadata.name).toBe(proxySliceName(name, 'IPv4'));
    }
  });

  it('lost no request to a service that was awake meanwhile', async () => {
    await eventually('busy stood by for', async () =>
      (await slicesOf('busy')).some(({ metadata: { labels } }) => labels?.[sliceRoleLabel] === 'standby') ? true : undefined,
    );
    const tally = await traffic.stop();

    expect(tally).toMatchObject({ statuses: { 200: tally.sent }, failures: [] });
    expect((await find('busy'))?.status?.mode).toBe('serve');
  });

  it('answers the first request for a service that KubeElasti put to sleep', async () => {
    const answer = await caller.request({ host: `asked-for.${namespace}.svc`, port: 80 });

    expect(answer.status).toBe(200);
    expect([await replicasOf('asked-for'), await replicasOf('left-alone')]).toEqual([1, 0]);
  });

  it('leaves nothing of either behind when the ElastiService is deleted', async () => {
    await kubectl('delete', 'elastiservice', 'given-back', '-n', namespace, '--timeout=90s');

    expect(await replicasOf('given-back')).toBe(1);
    expect(await client.find(Service, { namespace, name: privateServiceName('given-back') })).toBeUndefined();
    const managers = (await slicesOf('given-back')).map(({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by']);
    expect(managers).toEqual(['endpointslice-controller.k8s.io']);
  });

  it("keep a processor limit that only Helm had set, and take wakes from anyone, until that is ended as infra's README says", async () => {
    const kept = async () => {
      const { spec } = await client.get(Deployment, { namespace: installed, name: resolverName });
      return {
        minReadySeconds: spec?.minReadySeconds,
        limits: Object.keys(spec?.template.spec?.containers[0]?.resources?.limits ?? {}).sort(),
      };
    };
    const before = await kept();

    await follow(2);

    expect([before, await kept()]).toEqual([{ minReadySeconds: 60, limits: ['cpu', 'memory'] }, { limits: ['memory'] }]);
    await rolledOut();
    const operator = await client.get(Deployment, { namespace: installed, name: operatorName });
    expect(valuesIn(operator).ELASTI_WAKE_AUTH).toBe('token-review');
    expect((await caller.request({ host: `left-alone.${namespace}.svc`, port: 80 })).status).toBe(200);
  });

  it("stand alone once what only KubeElasti had is deleted as infra's README says", async () => {
    const theirs = async () => {
      const kinds = 'clusterroles,clusterrolebindings,roles,rolebindings,horizontalpodautoscalers,servicemonitors';
      const found = await kubectl(
        'get',
        kinds,
        '-A',
        '-l',
        'app.kubernetes.io/instance=elasti,app.kubernetes.io/managed-by=Helm',
        '-o',
        'name',
      );
      return found.split('\n').filter((line) => line !== '');
    };
    const before = await theirs();

    await follow(3);

    expect(before).toHaveLength(7);
    expect(await theirs()).toEqual([]);
    expect((await kubectl('get', '-f', folder, '-o', 'name')).trim().split('\n')).toHaveLength(synthesizedObjects(folder).length);
  });
});
