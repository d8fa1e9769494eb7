// The least that a program can do to send a byte to a pod once it is ready: watches the slices that the resolver watches, and dials.
//   bare-dial.mjs <kubeconfig> <service> <port>
import { connect } from 'node:net';
import { EndpointSlice, KubeClient } from '@elasti/operator-kit';

const [kubeconfig, service, port] = process.argv.slice(2);
const label = 'elasti.truefoundry.com/private-service-of';
const client = await KubeClient.fromKubeConfig({ path: kubeconfig });
const { metadata } = await client.list(EndpointSlice, { labelSelector: label });
process.stdout.write('{"watching":true}\n');

for await (const { object } of watch(metadata.resourceVersion)) {
  if (object?.metadata.labels?.[label] !== service) continue;
  for (const { addresses, conditions } of object.endpoints ?? []) if (conditions.ready) dial(addresses[0]);
}

function watch(resourceVersion) {
  return client.watch(EndpointSlice, { labelSelector: label, resourceVersion, signal: new AbortController().signal });
}

function dial(address) {
  const socket = connect({ host: address, port: Number(port), noDelay: true });
  socket.on('error', () => socket.destroy());
  socket.write(`GET / HTTP/1.1\r\nHost: ${address}\r\n\r\n`);
  socket.once('data', () => socket.destroy());
}
