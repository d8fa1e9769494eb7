// Runs in the cluster, so that one clock measures everything. For each wake: the target asleep, a client that asks for it, a bare program that waits
// for the same slice, and what the API told meanwhile. A line of JSON for each.
import { fork } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { firstByte } from './first-byte.mjs';
import { scale } from './kube.mjs';
import { Moments } from './moments.mjs';

const { TARGET: target, WAKES: wakes, SLICES: sliceSelector } = process.env;
const patienceMs = 120_000;
const ports = { http: 80, metrics: 9100, pod: 8080 };

const { address } = await lookup(target);
const moments = new Moments();
await moments.begin(target, sliceSelector);
const client = fork(`${import.meta.dirname}/client.mjs`);
const bare = fork(`${import.meta.dirname}/bare.mjs`, [sliceSelector, String(ports.pod)]);
await once(bare, 'message');

for (let wake = 1; wake <= Number(wakes); wake++) {
  await asleep();
  moments.forget();
  const answers = Promise.all([once(client, 'message'), once(bare, 'message')]);
  client.send({ host: address, port: ports.http });
  const [[held], [dialled]] = await answers;
  // The slice may be told later here than to those who wait for it.
  await until('the slice', () => moments.all.ready !== undefined);
  process.stdout.write(`${JSON.stringify({ wake, held, dialled, ...moments.all })}\n`);
  await scale(target, 0);
}
client.kill();
bare.kill();
process.exit(0);

/** By the word of the operator, and as clients come: a port that wakes nobody is answered by resolvers alone, ten times in a row. */
async function asleep() {
  await until('sleep', () => moments.asleep);
  let inARow = 0;
  await until('resolvers in the Service', async () => {
    const { head } = await firstByte(address, ports.metrics).catch(() => ({ head: '' }));
    inARow = head.startsWith('HTTP/1.1 503') ? inARow + 1 : 0;
    return inARow >= 10;
  });
}

async function until(what, check) {
  const endMs = performance.now() + patienceMs;
  while (!(await check())) {
    if (performance.now() > endMs) throw new Error(`${what}: not within ${patienceMs / 1000} s`);
    await pause(20);
  }
}
