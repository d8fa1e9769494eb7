// `npm run bench:hold`: what it costs to hold many requests, how fast they go once a pod is ready, and how soon the first of them is on its way,
// beside a bare program that watches the same slices and dials. Fails when a bar is missed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startUpstreams, upstreamPorts } from './contenders.mjs';
import { loads } from './load.mjs';
import { buildPeers, cores, needTools, rssKb, run, start, startTalking, stop } from './processes.mjs';
import { median, quantile, Report } from './report.mjs';
import { startResolver, startWorld, until } from './resolver.mjs';

needTools('taskset', 'wrk', 'h2load', 'nghttpd', 'nginx', 'go');
const connections = Number(process.env.CONNECTIONS ?? 15_000);
const sessions = Number(process.env.SESSIONS ?? 500);
const rounds = Number(process.env.ROUNDS ?? 3);
const dials = Number(process.env.DIALS ?? 200);
const heldForDials = Number(process.env.HELD_FOR_DIALS ?? 1_000);
const streamsPerSession = 100;
const pod = '127.0.0.1';
const arrivalsPort = 18_306;
const routes = { http: 27_320, h2c: 27_321, late: 27_322, bare: 27_323 };
const services = {
  web: [
    { name: 'http', port: 80, resolverPort: routes.http, podPort: upstreamPorts.http },
    { name: 'h2c', port: 81, resolverPort: routes.h2c, podPort: upstreamPorts.h2c },
  ],
  late: [{ name: 'http', port: 80, resolverPort: routes.late, podPort: arrivalsPort }],
  bare: [{ name: 'http', port: 80, resolverPort: routes.bare, podPort: arrivalsPort }],
};
const folder = mkdtempSync(join(tmpdir(), 'elasti-bench-hold-'));
const report = new Report();

try {
  buildPeers(folder);
  const upstreams = await startUpstreams(folder);
  const world = await startWorld(services, folder);
  await measureMany('HTTP/1.1 connections', world, heldConnections(), {
    bytes: { atMost: 16 },
    rate: { atLeast: 0.5 },
    stall: { atMost: 100 },
  });
  await measureFirstGrowth(world);
  await measureMany('h2c streams', world, heldStreams(), {});
  await measureDials(world);
  await world.end();
  await upstreams.stop();
} finally {
  rmSync(folder, { recursive: true });
}
report.finish('bench:hold', `One core for the resolver, one for everything else; ${rounds} rounds, medians`);

/** A fresh resolver each round: warmed up, emptied of pods, filled with held requests, and let go. */
async function measureMany(what, world, kind, bars) {
  const results = [];
  for (let round = 0; round < rounds; round++) {
    const resolver = await startInstrumented(world);
    results.push(await measureHolding(world, resolver, kind));
    await resolver.stop();
  }
  const of = (field) => median(results.map((result) => result[field]));
  const [{ count }] = results;
  const kib = of('kib');
  report.add({ what: `RSS per request of ${count} held ${what}, KiB`, ours: `${kib.toFixed(1)} KiB`, value: kib, bar: bars.bytes });
  for (const [field, how, bar] of [
    ['stallMs', 'ms', bars.stall],
    ['stallCpuMs', 'ms of processor time', undefined],
  ]) {
    const longest = Math.max(...results.map((result) => result[field]));
    report.add({
      what: `longest event-loop stall while ${count} ${what} come in, ${how}`,
      ours: `${longest.toFixed(0)} ms`,
      value: longest,
      bar,
    });
  }
  addRelease(
    `all ${count} held ${what} answered once the pod is ready, requests a second, beside its own rate`,
    of('rate'),
    of('ownRate'),
    bars.rate,
  );
  addRelease('the same of the first that a fresh process lets go', of('firstRate'), of('ownRate'), bars.rate);
}

/** Of a process that has served nobody: nothing lies in pages that it had already, and code that is compiled for the first time counts too. */
async function measureFirstGrowth(world) {
  const grown = [];
  for (let round = 0; round < rounds; round++) {
    const resolver = await startInstrumented(world);
    const before = await steadyRssKb(resolver);
    const load = await startHolding(routes.http, connections, '/1k');
    await load.order('ask');
    await untilHeld(resolver, 'web', connections);
    grown.push((await steadyRssKb(resolver)) - before);
    await stop(load);
    await resolver.stop();
  }
  const kib = median(grown) / connections;
  const what = `RSS per request of ${connections} held by a process that has served nobody before, KiB`;
  report.add({ what, ours: `${kib.toFixed(1)} KiB`, value: kib, bar: { atMost: 16 } });
}

function addRelease(what, ours, theirs, bar) {
  report.add({ what, ours: ours.toFixed(0), theirs: theirs.toFixed(0), value: ours / theirs, bar });
}

/** The first crowd tells what holding takes, and finds code that has never let anybody go; the second finds it compiled, as the own rate does. */
async function measureHolding(world, resolver, kind) {
  await world.setPods('web', [pod]);
  await kind.ownRate(1);
  const { requests, seconds } = await kind.ownRate(3);
  await world.setPods('web', []);
  const [first, second] = [await measureCrowd(world, resolver, kind), await measureCrowd(world, resolver, kind)];
  const [stallMs, stallCpuMs] = ['stallMs', 'stallCpuMs'].map((field) => Math.max(first[field], second[field]));
  return { ...first, stallMs, stallCpuMs, firstRate: first.rate, rate: second.rate, ownRate: requests / seconds };
}

async function measureCrowd(world, resolver, kind) {
  const before = await steadyRssKb(resolver);
  await resolver.ask('reset');
  const load = await kind.ask();
  await untilHeld(resolver, 'web', load.count);
  const { stallMs, stallCpuMs } = await resolver.ask('stall');
  const after = await steadyRssKb(resolver);

  const beganMs = Date.now();
  await world.setPods('web', [pod]);
  const { answered, lastAtMs } = await load.answers();
  if (answered !== load.count) throw new Error(`${answered} of ${load.count} held requests were answered`);
  await world.setPods('web', []);
  const rate = (answered * 1_000) / (lastAtMs - beganMs);
  return { count: load.count, kib: (after - before) / load.count, stallMs, stallCpuMs, rate };
}

function heldConnections() {
  const ask = async () => {
    const load = await startHolding(routes.http, connections, '/1k');
    await load.order('ask');
    const answers = async () => {
      const result = await load.next();
      await load.end();
      return result;
    };
    return { count: connections, answers };
  };
  return { ownRate: (seconds) => loads(folder, seconds).keepAlive(routes.http), ask };
}

function heldStreams() {
  const ask = () => {
    const count = sessions * streamsPerSession;
    const args = ['-t1', `-c${sessions}`, `-m${streamsPerSession}`, `-n${count}`, `http://127.0.0.1:${routes.h2c}/unary`];
    const output = run(cores.load, 'h2load', args);
    const answers = async () => {
      const good = Number(/(\d+) succeeded/.exec(await output)[1]);
      return { answered: good, lastAtMs: Date.now() };
    };
    return { count, answers };
  };
  return { ownRate: (seconds) => loads(folder, seconds).unary(routes.h2c), ask };
}

/** With many held: from the ready event to the first byte at the pod, in turns with the bare program. */
async function measureDials(world) {
  const resolver = await startInstrumented(world);
  const arrivals = await startTalking(cores.load, process.execPath, [join(import.meta.dirname, 'arrivals.mjs'), String(arrivalsPort)]);
  await arrivals.next();
  const bareArgs = [join(import.meta.dirname, 'bare-dial.mjs'), world.kubeconfig, 'bare', String(arrivalsPort)];
  const bare = start(cores.proxy, process.execPath, bareArgs);
  await new Promise((resolve) => bare.child.stdout.once('data', resolve));
  const load = await startHolding(routes.late, heldForDials, '/');

  const samples = { late: [], bare: [] };
  for (let round = 0; round < dials; round++) {
    for (const side of round % 2 ? ['bare', 'late'] : ['late', 'bare']) {
      samples[side].push(await timeOfArrival(side, { world, resolver, arrivals, load }));
    }
  }
  // What both learn and compile in their first rounds is not counted.
  const p99 = (side) => quantile(samples[side].slice(Math.floor(dials / 10)), 0.99);
  const [ours, theirs] = [p99('late'), p99('bare')];
  report.add({
    what: `${heldForDials} held: from the ready event to the first byte at the pod, p99 of ${dials}, beside a bare watch and dial`,
    ours: `${ours.toFixed(2)} ms`,
    theirs: `${theirs.toFixed(2)} ms`,
    value: ours / theirs,
    bar: { atMost: 3 },
  });
  await load.end();
  await arrivals.end();
  await stop(bare);
  await resolver.stop();
}

async function timeOfArrival(service, { world, resolver, arrivals, load }) {
  await arrivals.order('arm');
  if (service === 'late') {
    await load.order('ask');
    await untilHeld(resolver, service, heldForDials);
  }
  const { atNs } = await world.setPods(service, [pod]);
  if (service === 'late') {
    const { answered } = await load.next();
    if (answered !== heldForDials) throw new Error(`${answered} of ${heldForDials} held requests were answered`);
  }
  let firstNs = null;
  await until(async () => ({ firstNs } = await arrivals.order('first')).firstNs !== null, 'nobody dialled the pod', { everyMs: 5 });
  await world.setPods(service, []);
  // The next round begins with everybody at rest.
  await wait(20);
  return Number(BigInt(firstNs) - BigInt(atNs)) / 1e6;
}

async function startHolding(port, count, path) {
  const args = ['-kind', 'hold', '-address', `127.0.0.1:${port}`, '-connections', String(count), '-sources', '8', '-path', path];
  const load = await startTalking(cores.load, join(folder, 'load'), args, { env: { GOMAXPROCS: '1' } });
  await load.next();
  return load;
}

function startInstrumented(world) {
  const env = { QUEUE_SIZE: '100000', ELASTI_QUEUE_MEBIBYTES: '4096' };
  return startResolver(world, { internalPort: 18_327, proxyPort: 18_328, inside: true, env });
}

/** While no pod is ready, all that is open is held; of an HTTP/2 connection each stream counts. */
async function untilHeld(resolver, service, count) {
  const isHeld = async () => (await resolver.openOf(service)) >= count;
  await until(isHeld, `the resolver does not hold ${count} requests`, { withinMs: 120_000 });
}

/** When it has not moved by more than a hundredth for a second. */
async function steadyRssKb({ pid }) {
  let [last, calm] = [rssKb(pid), 0];
  for (let looks = 0; calm < 5 && looks < 100; looks++) {
    await wait(200);
    const now = rssKb(pid);
    calm = Math.abs(now - last) <= last / 100 ? calm + 1 : 0;
    last = now;
  }
  return last;
}
