// `npm run bench:wake`: how long a wake takes on the cluster of KUBECONFIG, phase by phase, and what the resolver adds to it: from the ready EndpointSlice
// to the first byte at the client, beside a bare program that watches the same slice and sends the request itself. Fails when a bar is missed.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { quantile, Report } from '../resolver/report.mjs';
import { apply, install, kubectl, uninstall } from './installation.mjs';
import { buildObjects, measurer } from './objects.mjs';
import { momentsOf, phaseTable } from './phases.mjs';
import { buildPlot } from './plot.mjs';

const count = Number(process.env.WAKES ?? 30);
const namespace = 'elasti-bench-wake';
const report = new Report();

const wakes = await measure();
const since = (field) => wakes.map((wake) => wake[field] - wake.ready);
for (const [part, name, atMost] of [
  [0.5, 'p50', 1.5],
  [0.99, 'p99', 2],
]) {
  const [ours, theirs] = [quantile(since('answered'), part), quantile(since('bare'), part)];
  report.add({
    what: `from the ready EndpointSlice to the first byte at the client, ${name}, beside a bare watch and request`,
    ours: `${ours.toFixed(2)} ms`,
    theirs: `${theirs.toFixed(2)} ms`,
    value: ours / theirs,
    bar: { atMost },
  });
}
writeFileSync(join(import.meta.dirname, '../results/wake.svg'), buildPlot(wakes));
report.finish('bench:wake', `${count} wakes of one pod on a cluster, all on one clock`, `${phaseTable(wakes)}\n\n![The wakes](wake.svg)\n`);

async function measure() {
  try {
    await install();
    return await measureInstalled();
  } finally {
    await uninstall();
  }
}

async function measureInstalled() {
  try {
    await apply(buildObjects(namespace, count));
    await kubectl('wait', '--for=condition=Ready', `pod/${measurer}`, '-n', namespace, '--timeout=60s');
    return await follow();
  } finally {
    // What sleeps is given back before the operator goes.
    await kubectl('delete', 'elastiservices', '--all', '-n', namespace, '--timeout=60s');
    await kubectl('delete', 'namespace', namespace, '--timeout=90s');
  }
}

/** What the pod prints, a line for each wake. */
async function follow() {
  const logs = spawn('kubectl', ['logs', '-f', measurer, '-n', namespace], { stdio: ['ignore', 'pipe', 'inherit'] });
  const seen = [];
  for await (const line of createInterface({ input: logs.stdout })) {
    if (!line.startsWith('{')) {
      process.stderr.write(`${line}\n`);
      continue;
    }
    const wake = JSON.parse(line);
    const failure = wake.held.error ?? wake.dialled.error;
    if (failure) throw new Error(`wake ${wake.wake} failed: ${failure}`);
    seen.push(momentsOf(wake));
    process.stderr.write(`wake ${wake.wake}: ${(seen.at(-1).answered / 1000).toFixed(2)} s\n`);
  }
  if (seen.length < count) throw new Error(`only ${seen.length} of ${count} wakes; what the pod printed is above`);
  return seen;
}
