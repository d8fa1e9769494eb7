// What stays open: server-sent events at /events, and a WebSocket, at any path, that says again what it is told.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const { HOSTNAME: pod, POD_IP: host, PORT: port } = process.env;
const streams = new Set();
const page = `<!doctype html>
<title>live</title>
<p>Open for as long as this page is, and so is the pod:</p>
<pre id="log"></pre>
<script>
  const say = (text) => document.getElementById('log').append(text + '\\n');
  new EventSource('/events').onmessage = ({ data }) => say('event: ' + data);
  const socket = new WebSocket('ws://' + location.host);
  socket.onopen = () => socket.send('hello');
  socket.onmessage = ({ data }) => say('WebSocket: ' + data);
</script>
`;

const server = createServer((request, response) => {
  if (request.url === '/healthz') return response.end('ok\n');
  if (request.url !== '/events') return response.setHeader('content-type', 'text/html').end(page);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${pod} tells the time every second\n\n`);
  streams.add(response);
  response.once('close', () => streams.delete(response));
});
const ticker = setInterval(() => {
  for (const stream of streams) stream.write(`data: ${new Date().toISOString()}\n\n`);
}, 1_000);

server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  socket.write([...head, `Sec-WebSocket-Accept: ${accept.digest('base64')}`, '', ''].join('\r\n'));
  const open = { write: () => undefined, end: () => socket.destroy() };
  streams.add(open);
  socket.once('close', () => streams.delete(open));
  let pending = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    if ((pending[1] & 127) > 125) return socket.destroy();
    for (let frame = readFrame(pending); frame; frame = readFrame(pending)) {
      pending = pending.subarray(frame.size);
      if (frame.opcode === 8) return socket.end(frameOf(8, frame.payload));
      if (frame.opcode === 9) socket.write(frameOf(10, frame.payload));
      if (frame.opcode === 1) socket.write(frameOf(1, Buffer.from(`${pod}: ${frame.payload}`)));
    }
  });
});

/** A client's, so masked. Enough for a demonstration: of at most 125 bytes and never in parts. */
function readFrame(bytes) {
  const length = bytes.length >= 2 ? bytes[1] & 127 : Infinity;
  if (bytes.length < length + 6) return undefined;
  const payload = bytes.subarray(6, 6 + length).map((byte, position) => byte ^ bytes[2 + (position % 4)]);
  return { opcode: bytes[0] & 15, payload: Buffer.from(payload), size: length + 6 };
}

function frameOf(opcode, payload) {
  const text = payload.subarray(0, 125);
  return Buffer.concat([Buffer.from([128 | opcode, text.length]), text]);
}

server.listen(Number(port), host);
process.once('SIGTERM', () => {
  clearInterval(ticker);
  server.close();
  for (const stream of streams) stream.end();
});
