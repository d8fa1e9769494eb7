// A kube-sim, a resolver and a Prometheus in a process of their own. Prints one line of JSON with their addresses, then answers each line of
// its standard input with one line: `counts` (requests since the last `reset`, by verb and resource), `watches`, `reset`, `join` (a second resolver pod).
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { ElastiService } from '@elasti/api';
import { KubeSim } from '@elasti/kube-sim';
import { buildCluster } from './objects.mjs';

const count = Number(process.argv[2]);
const listen = (handler) =>
  new Promise((resolve) => {
    const server = createServer(handler);
    server.listen(0, '0.0.0.0', () => resolve(server));
  });

const prometheus = await listen((request, response) => {
  const isHealth = request.url.includes('min_over_time');
  const result = [{ metric: {}, value: [Date.now() / 1000, isHealth ? '1' : '0'] }];
  response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
});
const resolver = await listen(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url.startsWith('/activity')) return response.end('{"services":[]}');
  const { services } = JSON.parse(Buffer.concat(chunks));
  const routes = (subject) => subject.routes.map((route) => ({ ...route, listening: true, connects: 'yes' }));
  response.end(JSON.stringify({ services: services.map((subject) => ({ ...subject, routes: routes(subject) })) }));
});

const calls = new Map();
const sim = await KubeSim.start({ tls: 'self-signed', historyLimit: 50_000, loopbackEndpoints: 'allowed' });
sim.faults.inject({
  effect: { kind: 'latency', delayMs: 0 },
  when: ({ verb, resource, subresource }) => {
    const key = `${verb} ${subresource ? `${resource}/${subresource}` : resource}`;
    calls.set(key, (calls.get(key) ?? 0) + 1);
    return false;
  },
});
sim.load([ElastiService.crd()]);
sim.load(buildCluster(count, `http://127.0.0.1:${prometheus.address().port}`));
sim.load([resolverSlice('a', '127.0.0.1')]);
process.stdout.write(`${JSON.stringify({ kubeconfig: sim.kubeconfig(), resolverPort: resolver.address().port })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(obey(line))}\n`);
}
await sim.stop();
prometheus.closeAllConnections();
prometheus.close();
resolver.closeAllConnections();
resolver.close();

/** The resolver listens on every loopback address, so each of them can be a pod. */
function resolverSlice(letter, address) {
  const service = 'elasti-resolver-service';
  const targetRef = { kind: 'Pod', name: `resolver-${letter}`, uid: letter };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'elasti', name: `${service}-${letter}`, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true }, nodeName: 'node-1', targetRef }],
    ports: [{ name: 'http-resolver', port: resolver.address().port, protocol: 'TCP' }],
  };
}

function obey(word) {
  switch (word) {
    case 'join':
      sim.load([resolverSlice('b', '127.0.0.2')]);
      return 'joined';
    case 'counts':
      return Object.fromEntries(calls);
    case 'watches':
      return sim.openWatchCount;
    case 'reset':
      calls.clear();
      return 'reset';
    default:
      throw new Error(`unknown order ${word}`);
  }
}
