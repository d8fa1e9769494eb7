// A kube-sim of its own process, so that it shares neither heap nor event loop with what is measured.
// Prints one line of JSON with its address; obeys lines on its standard input: `churn N` updates N pods and answers `churned`.
import { createInterface } from 'node:readline';
import { KubeSim } from '@elasti/kube-sim';
import { buildPod } from './pods.mjs';

const count = Number(process.argv[2]);
const sim = await KubeSim.start({ tls: 'self-signed' });
sim.load(
  (function* () {
    for (let number = 0; number < 20; number++) yield { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `shop-${number}` } };
    for (let number = 0; number < count; number++) yield buildPod(number);
  })(),
);
process.stdout.write(`${JSON.stringify({ kubeconfig: sim.kubeconfig() })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const [word, amount] = line.split(' ');
  if (word === 'churn') {
    await churn(Number(amount));
    process.stdout.write('churned\n');
  }
}
await sim.stop();

/** Rewrites pods round-robin, a batch a turn of the event loop, so that watchers can keep up. */
async function churn(events) {
  for (let done = 0; done < events; done += 200) {
    sim.load(
      Array.from({ length: Math.min(200, events - done) }, (_, offset) => {
        const pod = buildPod((done + offset) % count);
        pod.metadata.annotations.round = String(Math.floor((done + offset) / count));
        return pod;
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
  }
}
