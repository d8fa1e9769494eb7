// Plays KubeElasti's resolver, in a pod that has nothing but Node.js: it holds a request, asks the operator every second until it is heard, without a token,
// and then asks the private Service until it answers. What it holds at SIGTERM is lost.
import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const { ELASTI_OPERATOR_SERVICE_NAME: operator, ELASTI_OPERATOR_NAMESPACE: home, ELASTI_OPERATOR_PORT: port } = process.env;
/** One call for all who wait for a service; in the end the address of its private Service. */
const wakes = new Map();

async function wake(namespace, service) {
  const body = JSON.stringify({ count: 1, svc: service, namespace });
  const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const isHeard = async () => {
    const url = `http://${operator}.${home}.svc:${port}/informer/incoming-request`;
    const { ok } = await fetch(url, { ...call, signal: AbortSignal.timeout(5_000) });
    return ok;
  };
  while (!(await isHeard().catch(() => false))) await pause(1_000);
  const hash = createHash('sha256').update(service).digest('hex').slice(0, 10);
  return (await lookup(`elasti-${service}-pvt-${hash}.${namespace}.svc`)).address;
}

function forward({ method, url, headers }, response, host) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const onward = http.request({ host, port: 80, method, path: url, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.on('error', reject).pipe(response).on('finish', resolve);
  });
  onward.on('error', reject).end();
  return promise;
}

async function hold(request, response) {
  const [service, namespace] = (request.headers.host ?? '').split('.');
  const key = `${namespace}/${service}`;
  if (!wakes.has(key)) wakes.set(key, wake(namespace, service));
  const address = await wakes.get(key);
  while (!response.headersSent) await forward(request, response, address).catch(() => pause(200));
}

http.createServer((request, response) => void hold(request, response)).listen(8012);
http.createServer((_, response) => response.end()).listen(8013);
process.on('SIGTERM', () => process.exit(0));
