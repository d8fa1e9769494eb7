// Pods that are local servers on loopback addresses, and the life that they lead: they come, go in order, or die.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createH2Server } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { selfSigned } from './self-signed.mjs';

export const podPorts = { http: 18_341, h2c: 18_342, tcp: 18_343, tls: 18_344 };
/** What the certificate of all pods is for. */
export const podName = 'web.shop';
export const certificate = await selfSigned(podName);
/** How many events a stream has, and how far they are apart. */
export const events = { count: 5, everyMs: 60 };

/** One pod. `drain` serves what is open and takes no more; `die` cuts everything at once, as a killed process does. */
export class Pod {
  isDead = false;
  #servers = [];
  #sockets = new Set();
  #h2Sessions = new Set();

  /** What it gets of requests goes into the ledger. */
  static async start(address, ledger) {
    const pod = new Pod();
    const answer = (request, response) => answerHttp(request, response, noteFor(ledger, pod, request.headers));
    const upgrade = (request, socket) => {
      noteFor(ledger, pod, request.headers).saw();
      echoMessages(request, socket);
    };
    const http = createServer(answer).on('upgrade', upgrade);
    const h2c = createH2Server(answer).on('session', (session) => pod.#keep(pod.#h2Sessions, session));
    const tcp = createTcpServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket).on('error', () => socket.destroy()));
    const tls = createTlsServer(certificate, (socket) => socket.pipe(socket).on('error', () => socket.destroy()));
    http.keepAliveTimeout = 0;
    pod.#servers = [http, h2c, tcp, tls];
    await Promise.all([
      pod.#listen(http, address, podPorts.http),
      pod.#listen(h2c, address, podPorts.h2c),
      pod.#listen(tcp, address, podPorts.tcp),
      pod.#listen(tls, address, podPorts.tls),
    ]);
    return pod;
  }

  async drain() {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const session of this.#h2Sessions) session.close();
    // Node's own server closes kept connections that are idle; those that still have a request close behind it.
    await Promise.race([Promise.all(closed), wait(15_000, undefined, { ref: false })]);
    this.#cut();
  }

  die() {
    this.isDead = true;
    this.#cut();
  }

  #cut() {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) {
      // A killed process leaves some connections with a reset and some with a plain end. What has ended its side cannot be reset: its handle would stay.
      if (Math.random() < 0.5 && !socket.writableEnded && !socket.destroyed) socket.resetAndDestroy();
      else socket.destroy();
    }
  }

  #listen(server, address, port) {
    server.on('connection', (socket) => this.#keep(this.#sockets, socket));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, 1_024, resolve);
    });
  }

  #keep(set, one) {
    set.add(one);
    one.once('close', () => set.delete(one)).on('error', () => undefined);
  }
}

/** The header that names a request; a connection without one has none to name. */
export const idHeader = 'x-soak-id';

function noteFor(ledger, pod, headers) {
  const id = headers[idHeader];
  return { saw: () => ledger.saw(id, pod), sawWhole: () => ledger.sawWhole(id, pod) };
}

/** Says back what came: the length and digest of a body, or a stream of events. Serves both versions of HTTP. */
async function answerHttp(request, response, note) {
  response.on('error', () => undefined);
  note.saw();
  if (request.url.startsWith('/events')) return sendEvents(response);
  if (request.headers['content-type'] === 'application/grpc') return answerGrpc(request, response, note);
  const digest = createHash('sha1');
  let length = 0;
  try {
    for await (const chunk of request) {
      length += chunk.length;
      digest.update(chunk);
    }
  } catch {
    return response.destroy();
  }
  note.sawWhole();
  // Some work, so that requests are open when a pod goes.
  await wait(Math.random() * 20);
  const text = `${length} ${digest.digest('hex')}`;
  response.setHeader('content-length', text.length);
  response.end(text);
}

/** A unary call that says its message back. */
async function answerGrpc(request, response, note) {
  const pieces = [];
  try {
    for await (const chunk of request) pieces.push(chunk);
  } catch {
    return response.destroy();
  }
  note.sawWhole();
  await wait(Math.random() * 20);
  response.setHeader('content-type', 'application/grpc');
  response.setHeader('trailer', 'grpc-status');
  response.addTrailers({ 'grpc-status': '0' });
  response.end(Buffer.concat(pieces));
}

async function sendEvents(response) {
  response.setHeader('content-type', 'text/event-stream');
  for (let number = 0; number < events.count && !response.destroyed; number++) {
    response.write(`data: ${number}\n\n`);
    await wait(events.everyMs);
  }
  response.end();
}

/** WebSocket, as far as the clients here speak it: small masked frames, said back without their mask. */
function echoMessages(request, socket) {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  // Sockets of an HTTP server stay open on their own side when the other has ended.
  socket.on('error', () => socket.destroy()).on('end', () => socket.end());
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (let length = frameLength(pending); length > 0 && pending.length >= length; length = frameLength(pending)) {
      socket.write(unmasked(pending.subarray(0, length)));
      const isClose = (pending[0] & 0x0f) === 8;
      pending = pending.subarray(length);
      if (isClose) return socket.end();
    }
  });
}

function frameLength(bytes) {
  return bytes.length < 2 ? 0 : 6 + (bytes[1] & 0x7f);
}

function unmasked(frame) {
  const payload = Buffer.from(frame.subarray(6));
  for (let index = 0; index < payload.length; index++) payload[index] ^= frame[2 + (index & 3)];
  return Buffer.concat([Buffer.from([frame[0], payload.length]), payload]);
}
