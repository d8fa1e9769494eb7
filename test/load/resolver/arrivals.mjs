// A pod that notes when the first byte comes. Prints one line when it listens; `arm` forgets, `first` says when the first byte after that came.
//   arrivals.mjs <port>
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
let firstNs;
const server = createServer({ noDelay: true }, (socket) => {
  socket.setEncoding('latin1').on('error', () => undefined);
  socket.on('data', (text) => {
    firstNs ??= process.hrtime.bigint();
    // Heads are never cut in two here: each is far smaller than a packet.
    const requests = text.split('\r\n\r\n').length - 1;
    socket.write(answer.repeat(requests));
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1', 8_192, () => process.stdout.write('{"listening":true}\n'));

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'arm') firstNs = undefined;
  process.stdout.write(`${JSON.stringify({ firstNs: firstNs === undefined ? null : String(firstNs) })}\n`);
}
process.exit(0);
