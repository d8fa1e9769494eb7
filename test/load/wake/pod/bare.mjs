// The least that a program can do to send a request to a pod once it is ready: watches the slices that the resolver watches, and dials.
import { firstByte } from './first-byte.mjs';
import { namespace, watch } from './kube.mjs';

const [selector, port] = process.argv.slice(2);
const dialled = new Set();

await watch(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, selector, ({ endpoints }) => {
  for (const { addresses, conditions, targetRef } of endpoints ?? []) {
    if (!conditions.ready || dialled.has(targetRef.uid)) continue;
    dialled.add(targetRef.uid);
    firstByte(addresses[0], Number(port)).then(
      (timing) => process.send(timing),
      (error) => process.send({ error: error.message }),
    );
  }
});
process.send({ watching: true });
