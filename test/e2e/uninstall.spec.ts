import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KubeClient } from '@elasti/operator-kit';
import { eventually } from '../eventually';
import { CleanUps } from './clean-ups';
import { getObject, kubectl } from './kubectl';
import { Caller, type HttpResult } from './resolver/caller';
import { ElastiInstallation, installed } from './resolver/installation';
import { type SleeperOptions, Sleepers } from './resolver/sleepers';
import { elastiFolder } from './synthesized';
import { Traffic } from './traffic/traffic';

/**
 * How Elasti leaves a real cluster, in the right order and in wrong ones. The cluster must have the images that OPERATOR_IMAGE and RESOLVER_IMAGE
 * (at synth) and ECHO_IMAGE name.
 */
const crd = 'elastiservices.elasti.truefoundry.com';
const run = promisify(execFile);
const program = join(__dirname, '../../infra/dist/uninstall.main.js');
const cleanUps = new CleanUps();
let client: KubeClient;
let sleepers: Sleepers;
let caller: Caller;

async function uninstall(...options: string[]): Promise<string> {
  return (await run('node', [program, ...options])).stdout;
}

async function laySleeping(...names: string[]): Promise<void> {
  await layAll(Object.fromEntries(names.map((name) => [name, {}])));
}

async function layAll(stock: Readonly<Record<string, SleeperOptions>>): Promise<void> {
  await ElastiInstallation.install(client);
  await sleepers.lay(stock);
  for (const [name, { replicas = 0 }] of Object.entries(stock)) {
    await (replicas === 0 ? sleepers.asleep(name, caller) : sleepers.awake(name));
  }
}

/** Every object of ours beside the targets, in the words of kubectl. */
async function leftovers(): Promise<string[]> {
  const inNamespace = ['-n', sleepers.namespace, '-o', 'name'];
  const found = await Promise.all([
    kubectl('get', 'endpointslices', '-l', 'endpointslice.kubernetes.io/managed-by=elasti', ...inNamespace),
    kubectl('get', 'services', '-l', 'elasti.truefoundry.com/private-service-of', ...inNamespace),
    kubectl('get', 'crd', crd, '--ignore-not-found', '-o', 'name'),
    kubectl('get', 'namespace', installed, '--ignore-not-found', '-o', 'name'),
    kubectl('get', 'clusterroles,clusterrolebindings', '-l', 'app.kubernetes.io/name=elasti', '-o', 'name'),
  ]);
  return found.flatMap((text) => text.split('\n')).filter((line) => line !== '');
}

async function shortenGrace(deployment: string, seconds: number): Promise<void> {
  const patch = { spec: { template: { spec: { terminationGracePeriodSeconds: seconds } } } };
  await kubectl('patch', 'deployment', deployment, '-n', installed, '-p', JSON.stringify(patch));
  await kubectl('rollout', 'status', `deployment/${deployment}`, '-n', installed, '--timeout=60s');
  await eventually(`only new pods of ${deployment}`, async () => {
    const pods = await kubectl('get', 'pods', '-n', installed, '-l', `app=${deployment}`, '-o', 'name');
    return pods.trim().split('\n').length === 2 ? true : undefined;
  });
}

/** At once: nothing leads to resolvers any more, or they are still there. */
async function answersAtOnce(name: string): Promise<void> {
  expect(await sleepers.replicasOf(name)).toBe(1);
  expect(await caller.request(sleepers.addressOf(name, 'http'))).toMatchObject({ status: 200 });
}

/** In the end: after a time without resolvers it may lead to those that are gone for a while. */
async function answersByItself(name: string): Promise<void> {
  expect(await sleepers.replicasOf(name)).toBe(1);
  await eventually(`${name} answered by its pod`, async () => {
    // A connection to a resolver that is gone would be waited for longer than the Service takes to heal.
    const { status } = await caller.request(sleepers.addressOf(name, 'http'), { patienceMs: 5_000 });
    return status === 200 ? true : undefined;
  });
}

beforeAll(async () => {
  client = await KubeClient.fromKubeConfig();
  cleanUps.add(() => client.close());
  cleanUps.add(() => ElastiInstallation.uninstall());
  sleepers = await Sleepers.open(client, `uninstall-${Date.now().toString(36)}`);
  cleanUps.add(() => sleepers.remove());
  caller = await Caller.start(sleepers.namespace);
  cleanUps.add(() => caller.stop());
  // While there is an operator that brings the targets back.
  cleanUps.add(() => sleepers.giveBack(caller));
}, Caller.startingMs + 60_000);

afterAll(() => cleanUps.run(), Sleepers.leavingMs + ElastiInstallation.uninstallingMs + 60_000);

describe('Elasti leaves a cluster', () => {
  jest.setTimeout(180_000);

  it('with every target awake and nothing of its own left behind', async () => {
    await laySleeping('web', 'cart');

    const plan = await uninstall('--dry-run');
    const replicasThen = await sleepers.replicasOf('web');
    const said = await uninstall('--timeout', '120');

    expect(plan).toContain('would delete 2 ElastiServices, of which 2 sleep');
    expect(replicasThen).toBe(0);
    expect(said).toMatch(/^2 ElastiServices are left, of which 2 sleep\n[^]*Elasti is uninstalled\n$/);
    expect(await leftovers()).toEqual([]);
    for (const name of ['web', 'cart']) await answersAtOnce(name);
  });

  it('without a request lost, of a target that is awake and of one that it has to bring back', async () => {
    const mannered = { preStopSeconds: 2, env: { LINGER_MS: '2000' } };
    await layAll({ awake: { ...mannered, replicas: 1 }, asleep: { ...mannered, env: { ...mannered.env, START: 'when-told' } } });
    const toAwake = await Traffic.begin(caller, sleepers.addressOf('awake', 'http'));
    const toAsleep = await Traffic.begin(caller, sleepers.addressOf('asleep', 'http'));
    await Promise.all([toAwake.goesOnFor(500), toAsleep.goesOnFor(500)]);

    const uninstalled = uninstall('--timeout', '120');
    const [said] = await Promise.all([uninstalled, sleepers.letStart('asleep', caller)]);
    // Long enough for clients of kept connections to find out whether anybody is left at the other end.
    await Promise.all([toAwake.goesOnFor(5_000), toAsleep.goesOnFor(5_000)]);
    const tallies = [await toAwake.stop(), await toAsleep.stop()];

    expect(said).toContain('Elasti is uninstalled\n');
    for (const { sent, answered, lost } of tallies) expect({ answered, lost }).toEqual({ answered: sent, lost: [] });
    expect(await leftovers()).toEqual([]);
  });

  it('with every target awake when its CRD is deleted first', async () => {
    await laySleeping('news', 'blog');

    await kubectl('delete', 'crd', crd, '--timeout=120s');

    expect(await leftovers()).not.toContainEqual(expect.stringMatching(/endpointslice|service\//));
    for (const name of ['news', 'blog']) await answersAtOnce(name);
  });

  it('for all to see when its namespace is deleted first, and an installation heals it', async () => {
    await laySleeping('mail', 'post');
    // Kubernetes looks at a namespace that goes only after half the grace of the pods it found in it.
    await shortenGrace('elasti-resolver', 4);

    await kubectl('delete', 'namespace', installed, '--wait=false');
    await kubectl('wait', '--for=delete', `namespace/${installed}`, '--timeout=120s');
    const seen = await getObject<{ status: { mode: string } }>(crd, 'mail', '-n', sleepers.namespace);
    const hasty = kubectl('delete', crd, 'mail', '-n', sleepers.namespace, '--timeout=3s');

    await expect(hasty).rejects.toThrow(/timed out/);
    await expect(uninstall()).rejects.toThrow(/no operator is ready to bring their targets back/);
    expect(seen?.status.mode).toBe('proxy');
    expect([await sleepers.replicasOf('mail'), await sleepers.replicasOf('post')]).toEqual([0, 0]);

    await ElastiInstallation.install(client);
    await kubectl('wait', '--for=delete', `${crd}/mail`, '-n', sleepers.namespace, '--timeout=90s');
    await answersByItself('mail');
    await sleepers.asleep('post', caller);
    expect((await caller.request(sleepers.addressOf('post', 'http'))).status).toBe(200);
  });

  it('for all to see when all its manifests are deleted at once, and applying them again heals it', async () => {
    const names = ['wiki', 'chat'];
    // The pod of one takes its time to come back.
    await layAll({ wiki: { env: { START: 'when-told' } }, chat: {} });
    await shortenGrace('elasti-resolver', 4);

    await kubectl('delete', '-f', elastiFolder, '--wait=false');
    await kubectl('wait', '--for=delete', `namespace/${installed}`, '--timeout=120s');
    // How many the operator brings back before its permissions go is a matter of luck.
    const replicas = await Promise.all(names.map((name) => sleepers.replicasOf(name)));
    const listed = await kubectl('get', crd, '-n', sleepers.namespace, '-o', 'name').catch(() => '');
    await kubectl('apply', '-f', elastiFolder);

    // Until then the resolvers that are there now take its requests, and nobody is led to those that are gone.
    await sleepers.answeredByResolvers('wiki', caller);
    const held = await caller.begin<HttpResult>({ kind: 'request', ...sleepers.addressOf('wiki', 'http') });
    await sleepers.letStart('wiki', caller);
    expect((await held.result()).status).toBe(200);

    for (const [index, name] of names.entries()) {
      if (replicas[index] === 0) expect(listed).toContain(`/${name}\n`);
      await eventually(`${name} given back`, async () => ((await sleepers.replicasOf(name)) === 1 ? true : undefined), 90_000);
      await answersByItself(name);
    }
    // A CRD that was in deletion when it was applied goes with its last ElastiService.
    const left = await getObject<{ metadata: { deletionTimestamp?: string } }>('crd', crd);
    if (left?.metadata.deletionTimestamp) await kubectl('wait', '--for=delete', `crd/${crd}`, '--timeout=60s');
    await ElastiInstallation.install(client);
  }, 300_000);
});
