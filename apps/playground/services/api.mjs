// An API that takes its time to start, as one does that fills caches or loads a model first.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { HOSTNAME: pod, POD_IP: host, PORT: port, WARM_UP_MS: warmUpMs = '3000' } = process.env;

const server = createServer((request, response) => {
  if (request.url === '/healthz') return response.end('ok\n');
  response.setHeader('content-type', 'application/json');
  response.end(`${JSON.stringify({ pod, method: request.method, path: request.url, answeredAt: new Date() })}\n`);
});

process.once('SIGTERM', () => (server.listening ? server.close() : process.exit(0)));
await sleep(Number(warmUpMs));
server.listen(Number(port), host);
