// `npm run bench:resolver`: the real application beside nginx, haproxy, Go's ReverseProxy and its own forwarding core, in the same run.
// Rounds are short, many and interleaved, and medians compared, per second of the proxy's processor time, so that neighbours on the machine matter little.
// Fails when a bar is missed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { largeFileBytes, routePorts, servicePorts, startPeers, startUpstreams, upstreamPorts } from './contenders.mjs';
import { loads, perCpuSecond } from './load.mjs';
import { buildPeers, needTools } from './processes.mjs';
import { median, Report } from './report.mjs';
import { startResolver, startWorld } from './resolver.mjs';

needTools('taskset', 'wrk', 'h2load', 'nghttpd', 'nginx', 'haproxy', 'go');
const rounds = Number(process.env.ROUNDS ?? 15);
const seconds = Number(process.env.SECONDS ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'elasti-bench-resolver-'));
const report = new Report();

try {
  buildPeers(folder);
  const upstreams = await startUpstreams(folder);
  const peers = await startPeers(folder);
  const world = await startWorld({ web: servicePorts }, folder);
  await world.setPods('web', ['127.0.0.1']);
  const resolver = await startResolver(world, { internalPort: 18_317, proxyPort: 18_318 });
  const contenders = { ...peers, resolver: { pid: resolver.pid, ports: routePorts } };

  const load = loads(folder, seconds);
  await warmUp(contenders, loads(folder, 1));
  const perCore = 'HTTP/1.1 keep-alive, 1 KiB answers, requests per core';
  await measureKeepAlive(`${perCore}, as a browser sends them, each for another path`, contenders, load.browsing);
  await measureKeepAlive('the same for one path', contenders, load.browser);
  await measureKeepAlive('the same with nothing but Host in the head, 256 connections', contenders, load.crowded);
  const rates = await measureKeepAlive('the same with nothing but Host in the head', contenders, load.keepAlive);
  await measureLatency(contenders, load, Math.floor(Math.min(rates.resolver, rates.nginx) / 2));
  await measureBytes('downloads of 8 MiB', contenders, ({ http }) => load.download(http, largeFileBytes));
  await measureBytes('uploads of 1 MiB', contenders, ({ upload }) => load.upload(upload));
  // Many streams on few connections share their system calls; one on each does not.
  for (const shape of [
    { connections: 8, streams: 32 },
    { connections: 64, streams: 1 },
  ])
    await measureUnary(shape, contenders, load);
  for (const kind of ['ws', 'tcp']) await measureEcho(kind, contenders, load);

  await resolver.stop();
  await world.end();
  await peers.stop();
  await upstreams.stop();
} finally {
  rmSync(folder, { recursive: true });
}
report.finish('bench:resolver', `One core for the proxy, one for load and upstream; ${rounds} interleaved rounds of ${seconds} s, medians`);

/** Code is compiled and pools are filled before anything counts. */
async function warmUp(contenders, load) {
  for (const name of ['nginx', 'go', 'bare core', 'resolver', 'resolver']) {
    for (const kind of ['keepAlive', 'browsing']) await load[kind](contenders[name].ports.http);
  }
  for (const name of ['go h2c', 'resolver']) await load.unary(contenders[name].ports.h2c);
}

/** Gives the plain rate of each. */
async function measureKeepAlive(what, contenders, load) {
  const all = await compete(['go', 'nginx', 'bare core', 'resolver'], (name) =>
    perCpuSecond(contenders[name].pid, () => load(contenders[name].ports.http)),
  );
  addRatio(`${what}, beside Go's ReverseProxy`, all, 'go', 'requests', { atLeast: 2.5 });
  addRatio(`${what}, beside nginx`, all, 'nginx', 'requests', { atLeast: 0.7 });
  addRatio(`${what}, beside its own bare core`, all, 'bare core', 'requests', { atLeast: 0.9 });
  return Object.fromEntries(Object.entries(all).map(([name, results]) => [name, median(results.map(({ rate }) => rate))]));
}

/**
 * What a proxy adds to the way straight to the upstream, at the same rate.
 *
 * Of every hundredth of a second by itself, and the median of those: a hypervisor pauses each core of a virtual machine a few times a second, each time
 * for longer than the hundredth part of the requests takes that a p99 leaves out. Whole rounds have a bar of their own, for pauses that are the resolver's.
 */
async function measureLatency(contenders, load, rate) {
  const portOf = (name) => contenders[name]?.ports.http ?? upstreamPorts.http;
  const measure = async (name) => {
    // One that is not answered as it should ends the bench.
    return load.openLoop(portOf(name), rate);
  };
  const all = await compete(['direct', 'nginx', 'resolver'], measure, 3 * rounds);
  const what = `p99 latency added at ${rate} requests a second, open loop`;
  addLatency(`${what}, beside nginx`, all, ({ p99UsOfWindows }) => p99UsOfWindows, { atMost: 1.2 });
  addLatency('the same over whole rounds, pauses of the machine and all', all, ({ p99Us }) => [p99Us], { atMost: 2 });
}

function addLatency(what, all, p99sOf, bar) {
  const p99 = Object.fromEntries(Object.entries(all).map(([name, results]) => [name, median(results.flatMap(p99sOf))]));
  const [ours, theirs] = [p99.resolver - p99.direct, p99.nginx - p99.direct];
  report.add({
    what,
    ours: `${ours.toFixed(0)} us`,
    theirs: `${theirs.toFixed(0)} us`,
    // Below nothing there is only noise, which must not count as a result.
    value: ours > 0 && theirs > 0 ? ours / theirs : Number.NaN,
    bar,
  });
}

async function measureBytes(what, contenders, load) {
  const all = await compete(['nginx', 'resolver'], (name) => perCpuSecond(contenders[name].pid, () => load(contenders[name].ports)));
  addRatio(`${what}, MB per second of processor time, beside nginx`, all, 'nginx', 'bytes', { atLeast: 0.6 });
}

async function measureUnary(shape, contenders, load) {
  const all = await compete(['go h2c', 'resolver'], (name) =>
    perCpuSecond(contenders[name].pid, () => load.unary(contenders[name].ports.h2c, shape)),
  );
  const what = `h2c, gRPC unary with different heads, ${shape.connections} connections of ${shape.streams} streams, requests per core`;
  addRatio(`${what}, beside Go's h2c ReverseProxy`, all, 'go h2c', 'requests', { atLeast: 1 });
}

async function measureEcho(kind, contenders, load) {
  const all = await compete(['haproxy', 'resolver'], (name) =>
    perCpuSecond(contenders[name].pid, () => load.echo(kind, contenders[name].ports[kind])),
  );
  const what = { ws: 'WebSocket', tcp: 'TCP' }[kind];
  addRatio(`${what} echo of 128 bytes, round trips per core, beside haproxy`, all, 'haproxy', 'requests', { atLeast: 0.8 });
}

/** One result of each a round, in turned order from round to round. */
async function compete(names, measure, times = rounds) {
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < times; round++) {
    for (const name of round % 2 ? names.toReversed() : names) results[name].push(await measure(name));
  }
  return results;
}

/** A proxy that idles and still is the slower one waits for something: then it is compared by the clock, as its users would. */
function addRatio(what, all, other, field, bar) {
  const of = (name, key) => median(all[name].map((result) => result[key]));
  const isWaiting = of('resolver', 'busy') < 0.5 && of('resolver', 'rate') < of(other, 'rate');
  const key = isWaiting ? 'rate' : field;
  const scale = key === 'bytes' ? 1e6 : 1;
  const show = (name) => `${(of(name, key) / scale).toFixed(0)} (busy ${(Math.min(1, of(name, 'busy')) * 100).toFixed(0)} %)`;
  const how = isWaiting ? '; by the clock, as it mostly waits' : '';
  report.add({ what: `${what}${how}`, ours: show('resolver'), theirs: show(other), value: of('resolver', key) / of(other, key), bar });
}
