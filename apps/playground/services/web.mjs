// A web page. It is up in the time that Node needs.
import { createServer } from 'node:http';

const { HOSTNAME: pod, POD_IP: host, PORT: port } = process.env;
const startedAt = Date.now();

const server = createServer((request, response) => {
  if (request.url === '/healthz') return response.end('ok\n');
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html>
<title>web</title>
<h1>Good morning</h1>
<p>This page comes from the pod ${pod}, which has been awake for ${seconds} s.</p>
<p>Leave it alone for half a minute and the pod is gone; reload, and another one gets up for you.</p>
`);
});

server.listen(Number(port), host);
process.once('SIGTERM', () => server.close());
