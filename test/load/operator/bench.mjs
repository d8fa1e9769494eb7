// `npm run bench:operator`: the operator with 5,000 ElastiServices on kube-sim, beside the bare client on the same server.
// Server, operator and bare client are processes of their own; rounds are interleaved and medians compared. Fails when a ratio or a count is missed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Deployment, EndpointSlice, KubeClient } from '@elasti/operator-kit';
import { Pool } from 'undici';
import { operatorNodeFlags } from '../../../infra/dist/charts/node-flags.js';
import { cpuDuring, formatCpu } from './cpu-time.mjs';
import { buildBareSlice, isAsleep, nameOf, namespaceOf } from './objects.mjs';

const here = import.meta.dirname;
const root = join(here, '../../..');
const count = Number(process.env.SERVICES ?? 5_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const steadyMs = Number(process.env.STEADY_MS ?? 30_000);
/** `restart`, `steady`, `slices`, `wakes`: only what is named, for a look at one of them. A part of the bench is no result and leaves none. */
const parts = process.env.PARTS?.split(',');
const isAsked = (part) => parts === undefined || parts.includes(part);
const burst = Math.min(1_000, Math.floor(count / 5));
const singles = Math.floor((2 * burst) / 5);
/** What two resolvers open to the operator. */
const resolverConnections = 64;
const folder = mkdtempSync(join(tmpdir(), 'elasti-bench-'));
const ports = { api: 18_213, probes: 18_281 };
/** A server has memory to spare; its collections are not what is measured. */
const serverNodeFlags = ['--max-semi-space-size=64'];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const rows = [];
const cpuLines = [];

try {
  const few = isAsked('steady') ? await measureFew() : undefined;
  const cluster = await startCluster(count);
  let operator = await startOperator(cluster);
  await untilSteady(cluster, operator, count);
  // The first look at the triggers is in every status then.
  await untilQuiet(cluster, 90);

  if (isAsked('restart')) operator = await measureRestarts(cluster, operator);
  if (isAsked('steady')) {
    await untilQuiet(cluster, 60);
    await measureSteady(cluster, operator, few);
  }
  if (isAsked('slices')) {
    await measureMembership(cluster, operator);
    await untilQuiet(cluster);
  }
  if (isAsked('wakes')) {
    await measureWakes(cluster);
    await measureManyWakes(cluster, operator);
  }
  await operator.stop();
  await cluster.stop();
} finally {
  rmSync(folder, { recursive: true });
}
report();

/** The number of watches with a tenth of the services: it must not differ. */
async function measureFew() {
  const cluster = await startCluster(Math.ceil(count / 10));
  const operator = await startOperator(cluster);
  await untilSteady(cluster, operator, Math.ceil(count / 10));
  const watches = await cluster.order('watches');
  await operator.stop();
  await cluster.stop();
  return watches;
}

async function measureSteady(cluster, operator, fewWatches) {
  const watches = await cluster.order('watches');
  addCount('open watches, as many as with a tenth of the services', watches, fewWatches);
  await cluster.order('reset');
  await wait(steadyMs);
  const writes = writesIn(await cluster.order('counts'));
  addCount(`API writes in ${steadyMs / 1000} s of steady state, without leases and busy stamps`, writes, 0);
  addCount('RSS in steady state, MB', Math.round(operator.rssKb() / 1024), 250);
}

/** From the start of the process until every ElastiService has been looked at and nothing is left to do. */
async function measureRestarts(cluster, first) {
  let operator = first;
  const [ours, bare] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const sides = [
      async () => {
        await operator.stop();
        const began = performance.now();
        operator = await startOperator(cluster);
        await untilSteady(cluster, operator, count, 20);
        ours.push(performance.now() - began);
      },
      async () => bare.push(await bareLists(cluster)),
    ];
    for (const side of round % 2 ? sides.toReversed() : sides) await side();
    await untilQuiet(cluster);
  }
  addRatio('restart to steady, beside paged lists of the same objects', 'ms', median(ours), median(bare), 3);
  addCount('peak RSS, MB', Math.round(operator.peakKb() / 1024), 250);
  return operator;
}

/** A second resolver pod joins: every slice gets its address, once it has shown that it can take the traffic. */
async function measureMembership(cluster, operator) {
  const client = await KubeClient.fromKubeConfig({ path: cluster.kubeconfig });
  const apply = (addresses) =>
    Promise.all(
      numbers(() => true, 0, burst).map((number) =>
        client.apply(EndpointSlice, buildBareSlice(number, addresses), { fieldManager: 'bench', force: true }),
      ),
    );
  await apply(['127.0.0.1']);
  const bare = [];
  let bareCpu;
  const writeBare = async () => {
    bareCpu = await cpuDuring({ client: process.pid, server: cluster.pid }, async () => {
      for (const addresses of [['127.0.0.1', '127.0.0.2'], ['127.0.0.1']]) bare.push((await timed(() => apply(addresses))) / burst);
    });
    await untilQuiet(cluster);
  };
  await writeBare();

  await cluster.order('reset');
  const began = performance.now();
  await cluster.order('join');
  const written = async (slices) => {
    while (((await cluster.order('counts'))['patch endpointslices'] ?? 0) < slices) await wait(10);
    return performance.now() - began;
  };
  let oursMs;
  const cpu = await cpuDuring({ operator: operator.pid, server: cluster.pid }, async () => {
    addCount('ms until 100 slices name a resolver that has joined', Math.round(await written(100)), 1_000);
    oursMs = (await written(count)) / count;
  });
  await untilQuiet(cluster);
  await writeBare();
  await client.close();
  cpuLines.push(formatCpu('a slice when a resolver joins', cpu, count), formatCpu('a bare write of a slice', bareCpu, 2 * burst));
  addRatio(`slices when a resolver joins, each of ${count}, beside bare writes`, 'ms', oursMs, median(bare), 2);
}

/** Bare writes are to services that are awake, so that all who sleep are left for the wakes: it is the same write. */
async function measureWakes(cluster) {
  const [sleeping, awake] = [numbers(isAsleep, 0, singles), numbers((n) => !isAsleep(n), 2 * burst, singles)];
  const client = await KubeClient.fromKubeConfig({ path: cluster.kubeconfig });
  const pool = new Pool(`http://127.0.0.1:${ports.api}`, { connections: 1 });
  const [ours, bare] = [[], []];
  for (const [position, number] of sleeping.entries()) {
    bare.push(await timed(() => scaleUp(client, awake[position], 2)));
    ours.push(await timed(() => wake(pool, number)));
  }
  await pool.close();
  await client.close();
  addRatio(`one wake, median of ${ours.length}`, 'ms', median(ours), median(bare), Infinity);
  addRatio(`one wake, p99 of ${ours.length}`, 'ms', quantile(ours, 0.99), quantile(bare, 0.99), 3);
}

async function measureManyWakes(cluster, operator) {
  const client = await KubeClient.fromKubeConfig({ path: cluster.kubeconfig });
  const pool = new Pool(`http://127.0.0.1:${ports.api}`, { connections: resolverConnections });
  const [ours, bare, calls, writes] = [[], [], [], []];
  const atOnce = burst;
  let cpu, bareCpu;
  for (let round = 0; round < 2; round++) {
    await untilQuiet(cluster);
    const mine = numbers(isAsleep, singles + round * atOnce, atOnce);
    const others = numbers((n) => !isAsleep(n), round * atOnce, atOnce);
    bareCpu = await cpuDuring({ client: process.pid, server: cluster.pid }, async () =>
      bare.push(await timed(() => Promise.all(others.map((number) => scaleUp(client, number, 2))))),
    );
    await untilQuiet(cluster);
    await cluster.order('reset');
    cpu = await cpuDuring({ operator: operator.pid, server: cluster.pid, 'caller of the wakes': process.pid }, async () =>
      ours.push(await timed(() => Promise.all(mine.map((number) => wake(pool, number))))),
    );
    const counts = await cluster.order('counts');
    writes.push(counts['update deployments/scale'] ?? 0);
    calls.push((callsIn(counts) / atOnce).toFixed(2));
  }
  await pool.close();
  await client.close();
  cpuLines.push(formatCpu(`a wake of ${atOnce}`, cpu, atOnce), formatCpu(`a bare scale write of ${atOnce}`, bareCpu, atOnce));
  addCount(`scale writes of ${atOnce} wakes at once`, Math.max(...writes), atOnce);
  addCount('API calls each until the last has its 200', Math.max(...calls), 4);
  addRatio(`${atOnce} wakes at once, beside as many bare scale writes`, 'ms', median(ours), median(bare), 2);
}

async function startCluster(services) {
  const child = spawn(process.execPath, [...serverNodeFlags, join(here, 'server.mjs'), String(services)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: root,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { kubeconfig: text, resolverPort } = JSON.parse((await lines.next()).value);
  const kubeconfig = join(folder, `kubeconfig-${services}`);
  writeFileSync(kubeconfig, text);
  const order = async (word) => {
    child.stdin.write(`${word}\n`);
    return JSON.parse((await lines.next()).value);
  };
  const stop = () => ended(child, () => child.stdin.end());
  return { pid: child.pid, kubeconfig, resolverPort, order, stop };
}

async function startOperator(cluster) {
  const env = {
    ...process.env,
    KUBECONFIG: cluster.kubeconfig,
    ELASTI_OPERATOR_PORT: String(ports.api),
    ELASTI_OPERATOR_PROBE_PORT: String(ports.probes),
    ELASTI_RESOLVER_PORT: String(cluster.resolverPort),
  };
  const child = spawn(process.execPath, [...operatorNodeFlags, join(root, 'infra/dist/images/operator/app/main.js')], {
    env,
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.on('data', (chunk) => {
    for (const line of String(chunk).split('\n')) if (/"level":"(warn|error)"/.test(line)) process.stderr.write(`${line.slice(0, 400)}\n`);
  });
  const memory = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);
  const stop = () => ended(child, () => child.kill('SIGTERM'));
  return { pid: child.pid, stop, rssKb: () => memory('VmRSS'), peakKb: () => memory('VmHWM') };
}

/** Every ElastiService reconciled at least once, and nobody waits. */
async function untilSteady(cluster, operator, services, everyMs = 100) {
  const deadline = performance.now() + 300_000;
  while (performance.now() < deadline) {
    const metrics = await scrape();
    const reconciled = valueOf(metrics, /^reconcile_total\{controller="elastiservice",result="\w+"\}/);
    const waiting = valueOf(metrics, /^workqueue_depth\{name="elastiservice"\}/);
    const busy = valueOf(metrics, /^reconcile_active_workers\{controller="elastiservice"\}/);
    if (reconciled >= services && waiting + busy === 0) return;
    await wait(everyMs);
  }
  throw new Error('the operator did not become steady');
}

/** No write for a while. */
async function untilQuiet(cluster, looks = 3) {
  for (let quiet = 0; quiet < looks;) {
    await cluster.order('reset');
    await wait(400);
    quiet = writesIn(await cluster.order('counts')) === 0 ? quiet + 1 : 0;
  }
}

async function scrape() {
  const answer = await fetch(`http://127.0.0.1:${ports.api}/metrics`).catch(() => undefined);
  return answer?.ok ? answer.text() : '';
}

function valueOf(metrics, pattern) {
  return metrics
    .split('\n')
    .filter((line) => pattern.test(line))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function bareLists(cluster) {
  const began = performance.now();
  const child = spawn(process.execPath, [join(here, 'bare-lists.mjs'), cluster.kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: root,
  });
  await ended(child);
  return performance.now() - began;
}

async function wake(pool, number) {
  const body = JSON.stringify({ count: 1, svc: nameOf(number), namespace: namespaceOf(number) });
  const headers = { 'content-type': 'application/json' };
  const answer = await pool.request({ method: 'POST', path: '/informer/incoming-request', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`a wake was answered ${answer.statusCode}`);
}

async function scaleUp(client, number, replicas) {
  const ref = { namespace: namespaceOf(number), name: nameOf(number) };
  await client.replaceScale(Deployment, ref, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: ref, spec: { replicas } });
}

function numbers(filter, from, length) {
  return Array.from({ length: count }, (_, number) => number)
    .filter(filter)
    .slice(from, from + length);
}

/** Leases keep the lead, events are for people, and a busy stamp is a patch of a status: the bench's services are idle, so there is none of those. */
function writesIn(counts) {
  return sum(counts, ([key]) => /^(create|update|patch|delete) /.test(key) && !/ (leases|events)$/.test(key));
}

function callsIn(counts) {
  return sum(counts, ([key]) => !/^(watch|path) |(leases|events)$/.test(key));
}

function sum(counts, filter) {
  return Object.entries(counts)
    .filter(filter)
    .reduce((total, [, calls]) => total + calls, 0);
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function ended(child, end = () => undefined) {
  return new Promise((resolve) => {
    child.once('close', resolve);
    end();
  });
}

function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
}

function median(values) {
  return quantile(values, 0.5);
}

function addRatio(what, unit, ours, bare, limit) {
  rows.push({ what, ours: `${ours.toPrecision(4)} ${unit}`, bare: `${bare.toPrecision(4)} ${unit}`, value: ours / bare, limit });
}

function addCount(what, value, limit) {
  rows.push({ what, ours: String(value), bare: '', value, limit });
}

function report() {
  const isMet = ({ value, limit }) => value <= limit;
  const format = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));
  const lines = [
    '# bench:operator',
    '',
    `${count} ElastiServices on kube-sim over TLS, half of them asleep; ${rounds} interleaved rounds, medians; Node ${process.version}, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    '| what | operator | bare client | ratio or count | at most | |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.what} | ${row.ours} | ${row.bare} | ${format(Number(row.value))} | ${row.limit === Infinity ? '' : row.limit} | ${isMet(row) ? 'ok' : 'MISSED'} |`,
    ),
    '',
    'CPU time of all threads, each:',
    '',
    ...cpuLines,
    '',
  ];
  process.stdout.write(lines.join('\n'));
  if (parts === undefined) writeFileSync(join(here, '../results/operator.md'), lines.join('\n'));
  process.exitCode = rows.every(isMet) ? 0 : 1;
}
