// `npm run bench:kit`: the kit beside @kubernetes/client-node's own informer and client, on the same kube-sim over TLS.
// Each measurement runs in a process of its own; rounds are interleaved and medians compared. Fails when a ratio is missed.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const here = import.meta.dirname;
const rounds = Number(process.env.ROUNDS ?? 5);
const podCount = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'elasti-bench-'));
const kubeconfig = join(folder, 'kubeconfig');

const server = spawn(process.execPath, [join(here, 'server.mjs'), String(podCount)], { stdio: ['pipe', 'pipe', 'inherit'] });
const serverLines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
writeFileSync(kubeconfig, JSON.parse((await serverLines.next()).value).kubeconfig);

const samples = { kit: [], 'client-node': [] };
for (let round = 0; round < rounds; round++) {
  for (const side of round % 2 ? ['client-node', 'kit'] : ['kit', 'client-node']) {
    const informer = await measure('informer', side);
    if (informer.objects !== podCount) throw new Error(`${side} holds ${informer.objects} of ${podCount} pods`);
    samples[side].push({ ...informer, ...(await measure('gets', side)) });
  }
}
const { heaps, seen } = await measureEvents();
server.stdin.end();
rmSync(folder, { recursive: true });

const rows = [
  ratio('time to synced', 'ms', 'syncedMs', 0.75),
  ratio('retained heap', 'MB', 'retainedHeap', 0.5, 1e6),
  ratio('peak RSS', 'MB', 'peakRss', 0.5, 1e6),
  ratio('longest event-loop stall', 'ms', 'stallMs', 0.15),
  ratio('500 sequential GETs over TLS', 'ms', 'getsMs', 0.25),
];
// The first tenth still fills pools and compiles code; from then on the heap must stay where it is.
const growth = heaps.at(-1) / heaps[1];
rows.push({
  what: `heap after ${seen} watch events, end / early`,
  ours: `${(heaps.at(-1) / 1e6).toFixed(1)} MB`,
  theirs: `${(heaps[1] / 1e6).toFixed(1)} MB`,
  ratio: growth,
  limit: 1.05,
});

report();

function median(side, field) {
  const values = samples[side].map((sample) => sample[field]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)];
}

function ratio(what, unit, field, limit, scale = 1) {
  const [ours, theirs] = [median('kit', field), median('client-node', field)];
  return {
    what,
    ours: `${(ours / scale).toFixed(1)} ${unit}`,
    theirs: `${(theirs / scale).toFixed(1)} ${unit}`,
    ratio: ours / theirs,
    limit,
  };
}

function report() {
  const lines = [
    `# bench:kit`,
    '',
    `${podCount} pods of about 4 KB on kube-sim over TLS, ${rounds} interleaved rounds, medians; Node ${process.version}, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    '| what | operator-kit | client-node | ratio | at most | |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.what} | ${row.ours} | ${row.theirs} | ${row.ratio.toFixed(3)} | ${row.limit} | ${row.ratio <= row.limit ? 'ok' : 'MISSED'} |`,
    ),
    '',
  ];
  process.stdout.write(lines.join('\n'));
  writeFileSync(join(here, '../results/kit.md'), lines.join('\n'));
  process.exitCode = rows.every((row) => row.ratio <= row.limit) ? 0 : 1;
}

function startMeasure(task, side) {
  const child = spawn(process.execPath, ['--expose-gc', join(here, 'measure.mjs'), task, side, kubeconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  const ready = new Promise((resolve) => child.stderr.on('data', (chunk) => ((errors += chunk), errors.includes('ready') && resolve())));
  const result = new Promise((resolve, reject) => {
    child.on('close', (code) => (code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`${task} ${side} failed: ${errors}`))));
  });
  return { ready, result };
}

function measure(task, side) {
  return startMeasure(task, side).result;
}

async function measureEvents() {
  const { ready, result } = startMeasure('events', 'kit');
  await Promise.race([ready, result]);
  server.stdin.write('churn 100000\n');
  return result;
}
