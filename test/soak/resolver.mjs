// `npm run soak:resolver`: the real resolver under mixed traffic while pods come and go every second. Every conversation is accounted for.
// DURATION is in seconds. Fails when a request is lost that the rules call safe, when anything grows, or when the log holds an error.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { needTools, openFiles, rssKb } from '../load/resolver/processes.mjs';
import { median, Report } from '../load/resolver/report.mjs';
import { startResolver, startWorld, until } from '../load/resolver/resolver.mjs';
import { conversations } from './clients.mjs';
import { Ledger } from './ledger.mjs';
import { PodLife } from './pod-life.mjs';
import { podPorts } from './pods.mjs';

needTools('taskset');
const durationMs = Number(process.env.DURATION ?? 600) * 1_000;
const clientCount = Number(process.env.CLIENTS ?? 40);
const leavingPart = 0.1;
const routes = { http: 27_330, h2c: 27_331, tcp: 27_332, tls: 27_333 };
const ports = Object.entries(routes).map(([name, resolverPort], index) => ({
  name,
  port: 80 + index,
  resolverPort,
  podPort: podPorts[name],
}));
const folder = mkdtempSync(join(tmpdir(), 'elasti-soak-'));
const report = new Report();
const tally = new Map();
const ledger = new Ledger();
const samples = [];

try {
  const world = await startWorld({ web: ports }, folder);
  const resolver = await startResolver(world, { internalPort: 18_347, proxyPort: 18_348, inside: true });
  const life = new PodLife((addresses) => world.setPods('web', addresses), ledger);
  // What is compiled and filled once is not growth.
  await traffic(life, Math.max(10_000, durationMs / 10));
  const early = await atRest(resolver, life);
  const sampling = sample(resolver, durationMs);
  await traffic(life, durationMs);
  await sampling;
  const late = await atRest(resolver, life);

  addTally();
  addGrowth(early, late);
  const { wakes } = await world.order('wakes');
  report.add({ what: 'pods that came, left in order, died; times asleep; wakes asked for', ours: countsOf(life, wakes), value: '' });
  await addEnd(resolver);
  await world.end();
} finally {
  rmSync(folder, { recursive: true });
}
report.finish('soak:resolver', `${durationMs / 1000} s, ${clientCount} clients at once, a pod comes and a pod goes every second`);
// Node may keep a socket of a pod that died for good; the resolver's own end is in the table.
process.exit();

async function traffic(life, forMs) {
  const stop = new AbortController();
  const living = life.run(stop.signal);
  const { kinds, close } = conversations(routes);
  const deadline = performance.now() + forMs;
  await Promise.all(Array.from({ length: clientCount }, () => client(Object.entries(kinds), life, deadline)));
  stop.abort();
  await living;
  close();
}

async function client(kinds, life, deadline) {
  while (performance.now() < deadline) {
    const [name, { safe, talk }] = kinds[Math.floor(Math.random() * kinds.length)];
    const leaving = new AbortController();
    const timer = Math.random() < leavingPart ? setTimeout(() => leaving.abort(), Math.random() * 400) : undefined;
    const beganMs = performance.now();
    const id = ledger.begin({ repeatable: safe });
    const outcome = await talk(leaving.signal, id).then(
      () => 'answered',
      (error) => judge(error, { safe, left: leaving.signal.aborted, life, beganMs, name, id }),
    );
    ledger.end(id);
    clearTimeout(timer);
    const counts = tally.get(name) ?? { answered: 0, left: 0, excused: 0, lost: 0 };
    counts[outcome] += 1;
    tally.set(name, counts);
    await wait(Math.random() * 60);
  }
}

/**
 * Only a pod that died excuses a failure, and only of what may not be sent again: one that had something of the request, or died with it
 * under way, when what was on its way to it is known to nobody. Who asks after a death is not excused by it.
 */
function judge(error, { safe, left, life, beganMs, name, id }) {
  if (left) return 'left';
  const isPodsFault = !error.isInexcusable && (ledger.wasLostWithPod(id) || life.diedDuring(beganMs, performance.now()));
  if ((!safe || error.begun) && isPodsFault) return 'excused';
  process.stderr.write(`lost: ${name}: ${error.message}\n`);
  return 'lost';
}

async function sample({ pid }, forMs) {
  const deadline = performance.now() + forMs;
  while (performance.now() < deadline) {
    await wait(forMs / 60);
    samples.push({ rssKb: rssKb(pid), openFiles: openFiles(pid) });
  }
}

/** Without clients and without pods, when every socket has had its time to close. */
async function atRest(resolver, life) {
  await life.rest();
  await until(async () => (await resolver.openOf('web')) === 0, 'something stays open at rest', { withinMs: 30_000 });
  await wait(5_000);
  const { heapBytes, timers } = await resolver.ask('heap');
  return { heapMb: heapBytes / 1e6, timers, openFiles: openFiles(resolver.pid) };
}

function addTally() {
  for (const [name, { answered, left, excused, lost }] of [...tally].toSorted()) {
    const ours = `${answered} answered, ${left} left, ${excused} cut by a dying pod`;
    report.add({ what: `${name}: lost`, ours, value: lost, bar: { atMost: 0 } });
  }
  const what = 'requests that must not be sent twice, whole at two pods';
  report.add({ what, ours: String(ledger.seenTwice), value: ledger.seenTwice, bar: { atMost: 0 } });
}

function addGrowth(early, late) {
  const unit = (value, digits = 0) => value.toFixed(digits);
  report.add({
    what: 'heap at rest, end beside beginning',
    ours: `${unit(late.heapMb, 1)} MB`,
    theirs: `${unit(early.heapMb, 1)} MB`,
    value: late.heapMb / early.heapMb,
    bar: { atMost: 1.15 },
  });
  const third = Math.max(1, Math.floor(samples.length / 3));
  for (const [what, of, name] of [
    ['RSS', (one) => one.rssKb / 1024, ' MB'],
    ['open files', (one) => one.openFiles, ''],
  ]) {
    const [last, first] = [samples.slice(-third), samples.slice(0, third)].map((part) => median(part.map(of)));
    report.add({
      what: `${what} under load, last third beside first`,
      ours: `${unit(last)}${name}`,
      theirs: `${unit(first)}${name}`,
      value: last / first,
      bar: { atMost: 1.25 },
    });
  }
  for (const [what, field] of [
    ['open files at rest, more than at the beginning', 'openFiles'],
    ['timers at rest, more than at the beginning', 'timers'],
  ]) {
    report.add({ what, ours: unit(late[field]), theirs: unit(early[field]), value: late[field] - early[field], bar: { atMost: 3 } });
  }
}

async function addEnd(resolver) {
  const { log } = resolver;
  for (const line of log.samples) process.stderr.write(`${line}\n`);
  report.add({ what: 'errors in the log', ours: `${log.errors} errors, ${log.warnings} warnings`, value: log.errors, bar: { atMost: 0 } });
  await resolver.stop();
  const { code, signal } = await resolver.closed;
  // One that had to be killed has no code.
  report.add({ what: 'exit code after SIGTERM', ours: String(code ?? signal), value: code ?? 1, bar: { atMost: 0 } });
}

function countsOf({ counts }, wakes) {
  return `${counts.came}, ${counts.left}, ${counts.died}; ${counts.slept}; ${wakes}`;
}
