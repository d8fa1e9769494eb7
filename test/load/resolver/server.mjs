// A kube-sim and an operator that grants every wake, in a process of their own. Takes its services as JSON in the first argument, prints one line with
// its addresses, then answers each line of its standard input: `pods <service> <address,address>` makes exactly these pods ready and says when;
// `wakes` says how often a wake was asked for.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { ElastiService } from '@elasti/api';
import { KubeSim } from '@elasti/kube-sim';
import { buildSlice, buildWorld } from './objects.mjs';

const services = JSON.parse(process.argv[2]);
let wakes = 0;
const operator = createServer((request, response) => {
  request.resume().on('end', () => {
    wakes += 1;
    response.setHeader('content-type', 'application/json').end('{"message":"Request received successfully!"}');
  });
});
await new Promise((resolve) => operator.listen(0, '127.0.0.1', resolve));
const sim = await KubeSim.start({ tls: 'self-signed', historyLimit: 50_000 });
sim.load([ElastiService.crd()]);
sim.load(buildWorld(services));
process.stdout.write(`${JSON.stringify({ kubeconfig: sim.kubeconfig(), operatorPort: operator.address().port })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(obey(line.split(' ')))}\n`);
}
await sim.stop();
operator.closeAllConnections();
operator.close();

function obey([word, service, addresses]) {
  switch (word) {
    case 'pods': {
      // Nanoseconds of the machine's own clock, which all processes share.
      const atNs = String(process.hrtime.bigint());
      sim.load([buildSlice(service, services[service], addresses ? addresses.split(',') : [])]);
      return { atNs };
    }
    case 'wakes':
      return { wakes };
    default:
      throw new Error(`unknown order ${word}`);
  }
}
