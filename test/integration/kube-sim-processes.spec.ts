import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeSim, type PodNetwork } from '@elasti/kube-sim';
import { eventually } from '../eventually';
import { loopbackNetwork } from '../fixtures/loopback-network';
import { listProcesses } from '../fixtures/playground-process';
import {
  DEPLOYMENTS,
  PODS,
  ProcessWorld,
  SERVICES,
  SLICES,
  ended,
  isRunning,
  nodeContainer,
} from '../fixtures/process-world/process-world';
import { EVERYWHERE, PARENT_WEB, STUBBORN_WEB, WEB } from '../fixtures/process-world/programs';
import { call } from './kube-sim-wire';

jest.setTimeout(120_000);

describe.each<PodNetwork>(['addresses', 'ports'])('pods that are processes, told apart by %s', (network) => {
  let world: ProcessWorld;

  beforeEach(async () => {
    world = await ProcessWorld.start(network, { FROM_THE_RUNTIME: 'yes' });
  });

  afterEach(() => world.sim.stop());

  const statusOf = async (name: string) => (await world.pod(name)).status.containerStatuses?.[0];

  it('run the command where and as the container says', async () => {
    const directory = realpathSync(tmpdir());

    await world.run('web', WEB, { args: ['--name', '$(POD_IP)', '$$(POD_IP)'], workingDir: directory });

    const pod = await world.becomes('web', 'ready');
    const told = await world.ask('web');
    expect(told).toMatchObject({ arguments: ['--name', pod.status.podIP, '$(POD_IP)'], directory });
    expect(told.env).toMatchObject({ HOSTNAME: 'web', FROM_THE_RUNTIME: 'yes', PORT: told.env.PORT_8080, PORT_HTTP: told.env.PORT_8080 });
    expect(told.env).not.toHaveProperty('KUBERNETES_SERVICE_HOST');
    expect(told.env).not.toHaveProperty('npm_command');
  });

  it('get their environment from the pod, ConfigMaps, Secrets and Services of their namespace', async () => {
    await world.send('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'settings' },
      data: { colour: 'red', size: '3' },
    });
    await world.send('POST', '/api/v1/namespaces/default/secrets', {
      metadata: { name: 'keys' },
      data: { door: Buffer.from('open').toString('base64') },
    });
    await world.send('POST', SERVICES, { metadata: { name: 'my-db' }, spec: { ports: [{ name: 'sql', port: 5432 }] } });

    await world.run('web', WEB, {
      envFrom: [{ prefix: 'SET_', configMapRef: { name: 'settings' } }],
      env: [
        { name: 'DOOR', valueFrom: { secretKeyRef: { name: 'keys', key: 'door' } } },
        { name: 'MAYBE', valueFrom: { configMapKeyRef: { name: 'none', key: 'k', optional: true } } },
        { name: 'WHO', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        { name: 'URL', value: 'pg://$(MY_DB_SERVICE_HOST):$(MY_DB_SERVICE_PORT)/$(UNKNOWN)' },
      ],
    });

    await world.becomes('web', 'ready');
    const { env } = await world.ask('web');
    const { host, port } = world.sim.serviceAddress('default', 'my-db') ?? { host: '', port: 0 };
    expect(env).toMatchObject({ SET_colour: 'red', SET_size: '3', DOOR: 'open', WHO: 'web', APP: 'web', NODE: 'node-1' });
    expect(env).not.toHaveProperty('MAYBE');
    expect(env).toMatchObject({
      URL: `pg://${host}:${port}/$(UNKNOWN)`,
      MY_DB_SERVICE_PORT_SQL: String(port),
      MY_DB_PORT_5432_TCP_ADDR: host,
      MY_DB_PORT: `tcp://${host}:${port}`,
    });
  });

  it('have endpoints that lead to each of them', async () => {
    await world.send('POST', SERVICES, {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 8088, targetPort: 8080 }] },
    });
    await world.send('POST', DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [nodeContainer(WEB)] } },
      },
    });

    const endpoints = await eventually('both are ready', async () => {
      const { items } = await world.send<{ items: { ports: { port: number }[]; endpoints: Endpoint[] | null }[] }>('GET', SLICES);
      const all = items.flatMap((slice) => (slice.endpoints ?? []).map((endpoint) => ({ ...endpoint, port: slice.ports[0]?.port ?? 0 })));
      return all.length === 2 && all.every(({ conditions }) => conditions.ready) ? all : undefined;
    });
    const answers = await Promise.all(
      endpoints.map(
        async ({ addresses, port }) =>
          (await (await fetch(`http://${addresses[0] ?? ''}:${port}/`)).json()) as { env: { HOSTNAME: string } },
      ),
    );
    expect(answers.map(({ env }) => env.HOSTNAME).sort()).toEqual(endpoints.map(({ targetRef }) => targetRef.name).sort());
  });

  it('are ready as long as their readiness probe passes', async () => {
    await world.run('web', WEB);
    await world.becomes('web', 'ready');

    await world.ask('web', '/fail', 'POST');
    await world.becomes('web', 'not ready');
    await world.ask('web', '/recover', 'POST');
    await world.becomes('web', 'ready');

    expect(await statusOf('web')).toMatchObject({ restartCount: 0 });
  });

  it.each([
    ['a TCP connection', { tcpSocket: { port: 'http' } }],
    [
      'a command',
      { exec: { command: ['node', '-e', 'fetch(`http://${process.env.POD_IP}:${process.env.PORT}/ready`)'] }, timeoutSeconds: 10 },
    ],
    ['nothing', undefined],
  ])('are ready by %s', async (_by, probe) => {
    await world.run('web', WEB, { readinessProbe: probe && { periodSeconds: 1, ...probe } });

    await world.becomes('web', 'ready');
  });

  it('are not ready by a command that fails', async () => {
    await world.run('web', WEB, {
      readinessProbe: { exec: { command: ['node', '-e', 'console.log(1); process.exit(3)'] }, timeoutSeconds: 10 },
    });

    await world.line('web: listening');

    expect(await world.isReady('web')).toBe(false);
  });

  it('are restarted when their liveness probe fails, and not before their startup probe has passed', async () => {
    const probe = (path: string) => ({ httpGet: { path, port: 'http' }, periodSeconds: 1, failureThreshold: 2 });
    await world.run('web', WEB, { startupProbe: { ...probe('/'), failureThreshold: 60 }, livenessProbe: probe('/alive') });
    await world.becomes('web', 'ready');
    const { pid } = await world.ask('web');

    await world.ask('web', '/die', 'POST');

    await eventually('a restart', async () => ((await statusOf('web'))?.restartCount === 1 ? true : undefined));
    await world.becomes('web', 'ready');
    expect((await world.ask('web')).pid).not.toBe(pid);
    expect(isRunning(pid)).toBe(false);
  });

  it('are restarted when their startup probe fails too often', async () => {
    await world.run('web', WEB, { startupProbe: { httpGet: { path: '/', port: 1 }, periodSeconds: 1, failureThreshold: 2 } });

    await eventually('a restart', async () => ((await statusOf('web'))?.restartCount === 1 ? true : undefined));

    expect(await world.isReady('web')).toBe(false);
  });

  it('are asked to end, after their hook, and serve until they have ended', async () => {
    const hook = {
      exec: { command: ['node', '-e', 'fetch(`http://${process.env.POD_IP}:${process.env.PORT}/fail`, { method: "POST" })'] },
    };
    await world.run('web', `process.on('SIGTERM', () => { console.log('SIGTERM when ' + ready); process.exit(); });${WEB}`, {
      lifecycle: { preStop: hook },
    });
    await world.becomes('web', 'ready');
    const { pid } = await world.ask('web');

    await world.send('DELETE', `${PODS}/web`);

    await world.gone('web');
    expect(world.lines).toContain('web: SIGTERM when 503');
    expect(isRunning(pid)).toBe(false);
  });

  it('are killed when their grace is over, with everything they have started', async () => {
    await world.run('web', `process.on('SIGTERM', () => console.log('heard'));${PARENT_WEB}`, {}, { terminationGracePeriodSeconds: 1 });
    const { pid } = await world.becomes('web', 'ready').then(() => world.ask('web'));
    const child = Number((await world.line('web: child ')).split(' ').at(-1));

    await world.send('DELETE', `${PODS}/web`);

    await world.gone('web');
    expect(world.lines).toContain('web: heard');
    await ended(child);
    expect(isRunning(pid)).toBe(false);
  });

  it('end sooner when somebody loses patience', async () => {
    await world.run('web', STUBBORN_WEB, {}, { terminationGracePeriodSeconds: 3600 });
    await world.becomes('web', 'ready');

    await world.send('DELETE', `${PODS}/web`);
    await world.line('web: heard SIGTERM');
    await world.send('DELETE', `${PODS}/web?gracePeriodSeconds=1`);

    await world.gone('web');
  });

  it('leave nothing behind when they exit, and are started again', async () => {
    await world.run('web', `if (process.env.ONCE) {}${PARENT_WEB};setTimeout(() => process.exit(7), 500).unref();`);
    const child = Number((await world.line('web: child ')).split(' ').at(-1));

    const status = await eventually('a restart', async () => {
      const now = await statusOf('web');
      return now && now.restartCount > 0 ? now : undefined;
    });

    expect(status.lastState.terminated?.exitCode).toBe(7);
    await ended(child);
  });

  it('tell with their last words why they failed', async () => {
    await world.run('web', 'console.log("starting"); console.error("no such table: cups"); process.exit(3)');

    const status = await eventually('a failure', async () => {
      const now = await statusOf('web');
      return now?.lastState.terminated ? now : undefined;
    });

    expect(status.lastState.terminated).toMatchObject({ exitCode: 3, message: expect.stringContaining('no such table: cups') as string });
  });

  it.each([
    ['a command', { command: undefined }, 'CreateContainerConfigError', 'containers[0].command: missing'],
    [
      'a ConfigMap',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'k' } } }] },
      'CreateContainerConfigError',
      'env[1] (A): there is no key "k" in the ConfigMap "none"',
    ],
    ['their directory', { workingDir: '/no/such/place' }, 'CreateContainerError', '/no/such/place'],
  ])('say that they lack %s', async (_what, container, reason, message) => {
    await world.run('web', WEB, container);

    const waiting = await eventually('it waits', async () => (await statusOf('web'))?.state.waiting);

    expect(waiting).toMatchObject({ reason, message: expect.stringContaining(message) as string });
  });

  it('can be followed while they write, until they end', async () => {
    await world.run('web', STUBBORN_WEB, {}, { terminationGracePeriodSeconds: 3600 });
    await world.line('web: listening');
    const response = await fetch(`${world.sim.url}${PODS}/web/log?follow=true&timestamps=true`);
    const text = response.text();

    await world.send('DELETE', `${PODS}/web`);
    await world.line('web: heard SIGTERM');
    await world.send('DELETE', `${PODS}/web?gracePeriodSeconds=1`);

    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
    expect(await text).toMatch(new RegExp(`^${time} listening\n${time} heard SIGTERM\n$`));
  });

  it('end with the simulator', async () => {
    await world.run('web', `process.on('SIGTERM', () => {});${PARENT_WEB}`);
    const { pid } = await world.becomes('web', 'ready').then(() => world.ask('web'));
    const child = Number((await world.line('web: child ')).split(' ').at(-1));

    await world.sim.stop();

    expect(isRunning(pid)).toBe(false);
    await ended(child);
  });

  it('are asked to end before the simulator stops, if it is stopped with a grace', async () => {
    await world.run('web', `process.on('SIGTERM', () => { console.log('in order'); process.exit(); });${WEB}`);
    await world.run('stubborn', STUBBORN_WEB);
    await world.becomes('web', 'ready');
    const { pid } = await world.becomes('stubborn', 'ready').then(() => world.ask('stubborn'));

    await world.sim.stop(1_000);

    expect(world.lines).toEqual(expect.arrayContaining(['web: in order', 'stubborn: heard SIGTERM']));
    expect(isRunning(pid)).toBe(false);
  });
});

interface Endpoint {
  readonly addresses: string[];
  readonly conditions: { ready: boolean };
  readonly targetRef: { name: string };
}

const keeperOf = (simulator: number | undefined): Promise<number> =>
  eventually('there is a keeper', async () => {
    return listProcesses().find(({ parent, command }) => parent === simulator && command.includes('kube-sim-keeper'))?.pid;
  });

describe('pods that are processes', () => {
  it('say where to listen when two of them listen everywhere', async () => {
    const world = await ProcessWorld.start('addresses');
    const listensEverywhere = (name: string) =>
      world.run(name, EVERYWHERE, { readinessProbe: undefined, ports: [{ containerPort: 47_311 }] });
    await listensEverywhere('first');
    await world.line('first: listening');
    await listensEverywhere('second');

    const exit = await eventually(
      'the second fails',
      async () => (await world.pod('second')).status.containerStatuses?.[0]?.lastState.terminated,
    );

    expect(exit.message).toMatch(/EADDRINUSE[^]*listen on the pod's own address, 127\./);
    await world.sim.stop();
  });

  it.each(['the simulator', 'their keeper and then the simulator'])('do not outlive %s, when killed', async (who) => {
    const folder = mkdtempSync(join(tmpdir(), 'doomed-'));
    const bundle = join(folder, 'doomed.cjs');
    const entry = join(__dirname, '../fixtures/process-world/doomed-sim.ts');
    execFileSync('node_modules/.bin/esbuild', [
      entry,
      '--bundle',
      '--platform=node',
      '--tsconfig=tsconfig.test.json',
      `--outfile=${bundle}`,
      '--log-level=error',
    ]);
    const simulator = spawn(process.execPath, [bundle, `${loopbackNetwork()}.0/25`], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    simulator.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const pidOf = (who: string) =>
      eventually(who, () => Promise.resolve(new RegExp(`^${who} (\\d+)$`, 'm').exec(output)?.[1])).then(Number);
    const [pod, child] = [await pidOf('pod'), await pidOf('child')];

    if (who !== 'the simulator') {
      const former = await keeperOf(simulator.pid);
      process.kill(former, 'SIGKILL');
      await eventually('a successor', async () => ((await keeperOf(simulator.pid)) === former ? undefined : true));
    }
    simulator.kill('SIGKILL');

    await ended(pod);
    await ended(child);
    rmSync(folder, { recursive: true });
  });

  it('are the only ones whose EndpointSlices may name loopback addresses', async () => {
    const slice = { metadata: { name: 'loop' }, addressType: 'IPv4', endpoints: [{ addresses: ['127.0.0.1'] }], ports: [] };
    const world = await ProcessWorld.start('ports');
    const plain = await KubeSim.start({ workloads: {} });

    const [allowed, refused] = [await call(world.sim, 'POST', SLICES, slice), await call(plain, 'POST', SLICES, slice)];

    expect([allowed.code, refused.code]).toEqual([201, 422]);
    expect(refused.body.message).toContain('may not be in the loopback range (127.0.0.0/8, ::1/128)');
    await Promise.all([world.sim.stop(), plain.stop()]);
  });
});
