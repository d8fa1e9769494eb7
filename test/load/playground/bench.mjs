// `npm run bench:playground`: a request to a sleeping service beside the service's own process, started by hand and asked until it answers.
// Rounds are interleaved and medians compared. Before that, `npm start` itself, from the end of its build to the curl line that it prints.
// Fails when a ratio or the time is missed. Settings: ROUNDS (15), STARTS (3).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const here = import.meta.dirname;
const root = join(here, '../../..');
const require = createRequire(import.meta.url);
const { buildDemo, demoNamespace: namespace, planNetwork } = require(join(root, 'apps/playground/dist/manifests'));
const { InstalledSimulator } = require(join(root, 'apps/playground/dist/system'));
const { ElastiService } = require(join(root, 'libs/api'));
const { Deployment, Pod } = require(join(root, 'libs/operator-kit'));

const rounds = Number(process.env.ROUNDS ?? 15);
const starts = Number(process.env.STARTS ?? 3);
const limit = 1.5;
const startLimitMs = 10_000;
const barePort = 6_490;
const network = process.platform === 'darwin' ? 'ports' : 'addresses';
const load = loadavg()[0].toFixed(2);
const services = ['web', 'api'];
const samples = Object.fromEntries(services.map((name) => [name, { woken: [], bare: [] }]));

const startTimes = [];
for (let count = 0; count < starts; count++) startTimes.push(await measureStart());

const folder = mkdtempSync(join(tmpdir(), 'elasti-bench-'));
const plan = planNetwork(10_000 + (process.pid % 9_900), network);
const simulator = await InstalledSimulator.start({ root, folder, port: 0, network, plan });
try {
  await simulator.add(buildDemo(root, plan));
  for (const name of services) await asleep(name);
  for (let round = 0; round < rounds; round++) {
    for (const name of services) {
      const sides = [
        async () => samples[name].bare.push(await measureBare(name)),
        async () => samples[name].woken.push(await measureWoken(name)),
      ];
      for (const side of round % 2 ? sides : sides.reverse()) await side();
    }
  }
} finally {
  await simulator.stop();
  rmSync(folder, { recursive: true });
}
report();

/** From the end of the build, which the launcher says, to the line that somebody can type. Stopped as somebody would. */
async function measureStart() {
  const port = String(10_000 + (process.pid % 9_900));
  const child = spawn(process.execPath, [join(root, 'apps/playground/start.cjs'), '--port', port], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const lines = createInterface({ input: child.stdout });
    let builtAt;
    for await (const line of lines) {
      if (line === 'Starting ...') builtAt = performance.now();
      if (builtAt !== undefined && line.startsWith('  curl http')) return performance.now() - builtAt;
    }
    throw new Error('the playground ended before it printed its curl line');
  } finally {
    child.kill('SIGINT');
    child.stdout.resume();
    await ended;
  }
}

/** From the spawn to the end of the first answer. */
async function measureBare(name) {
  const env = { ...process.env, POD_IP: '127.0.0.1', PORT: String(barePort), HOSTNAME: name };
  const began = performance.now();
  const child = spawn(process.execPath, [join(root, `apps/playground/services/${name}.mjs`)], { env, stdio: 'ignore' });
  const address = `127.0.0.1:${barePort}`;
  while (!(await get(address).catch(() => undefined))) await sleep(1);
  const tookMs = performance.now() - began;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  return tookMs;
}

/** From the request, sent once, to the end of its answer. */
async function measureWoken(name) {
  const address = simulator.addressOf(namespace, name);
  const began = performance.now();
  await get(address);
  const tookMs = performance.now() - began;
  const scale = await simulator.client.getScale(Deployment, { namespace, name });
  await simulator.client.replaceScale(Deployment, { namespace, name }, { ...scale, spec: { replicas: 0 } });
  await asleep(name);
  return tookMs;
}

async function get(address) {
  const call = request(`http://${address}/`, { agent: false });
  call.end();
  const [response] = await once(call, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`${address} answered ${response.statusCode}`);
  return response;
}

/** Nothing runs of it, and its Service leads to the resolver. */
async function asleep(name) {
  for (let tries = 0; tries < 1_200; tries++) {
    const { status } = await simulator.client.get(ElastiService, { namespace, name });
    const { items } = await simulator.client.list(Pod, { namespace, labelSelector: `app=${name}` });
    const isHeldFor = status?.conditions?.some((condition) => condition.type === 'ResolverAvailable' && condition.status === 'True');
    if (status?.mode === 'proxy' && isHeldFor && items.length === 0) return;
    await sleep(50);
  }
  throw new Error(`${name} did not fall asleep within a minute`);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function report() {
  const rows = services.map((name) => {
    const [woken, bare] = [median(samples[name].woken), median(samples[name].bare)];
    return { name, woken, bare, ratio: woken / bare };
  });
  const startMs = median(startTimes);
  const lines = [
    '# bench:playground',
    '',
    `A request to a sleeping service of the playground, and its own process from spawn to first answer; ${rounds} interleaved rounds, medians; load average ${load} before; Node ${process.version}, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    '| service | request held, woken, answered | its process alone | ratio | at most | |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ name, woken, bare, ratio }) =>
        `| ${name} | ${woken.toFixed(0)} ms | ${bare.toFixed(0)} ms | ${ratio.toFixed(2)} | ${limit} | ${ratio <= limit ? 'ok' : 'MISSED'} |`,
    ),
    '',
    `\`npm start\` itself, the median of ${starts}:`,
    '',
    '| from | to | took | at most | |',
    '|---|---|---|---|---|',
    `| start, after the build | the printed curl line | ${(startMs / 1_000).toFixed(2)} s | ${startLimitMs / 1_000} s | ${startMs <= startLimitMs ? 'ok' : 'MISSED'} |`,
    '',
  ];
  process.stdout.write(lines.join('\n'));
  writeFileSync(join(here, '../results/playground.md'), lines.join('\n'));
  process.exitCode = rows.every(({ ratio }) => ratio <= limit) && startMs <= startLimitMs ? 0 : 1;
}
