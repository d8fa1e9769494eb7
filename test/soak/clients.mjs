// Clients of every protocol. Each conversation resolves when it went as it should and throws what went wrong; a thrown error says in `begun`
// whether any byte of an answer had come. `signal` is the client leaving.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect as connectH2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'undici';
import { certificate, events, idHeader, podName } from './pods.mjs';

const patienceMs = 60_000;

/** By name: whether the rules let it be sent again after its pod died without a byte of an answer, and the conversation, which names itself by an id. */
export function conversations(ports) {
  const kept = new Agent({ keepAlive: true, timeout: 20_000 });
  const text = (length) =>
    randomBytes(Math.ceil(length / 2))
      .toString('hex')
      .slice(0, length);
  const plain = (method, body, agent) => (signal, id) => exchange({ port: ports.http, method, agent, signal, id }, body);
  return {
    close: () => kept.destroy(),
    kinds: {
      'GET, new connection': { safe: true, talk: plain('GET', [], false) },
      'GET, kept connection': { safe: true, talk: plain('GET', [], kept) },
      'PUT, 2 KiB': { safe: true, talk: (signal, id) => plain('PUT', [text(2_048)], kept)(signal, id) },
      'POST, 1 to 200 KiB': { safe: false, talk: (signal, id) => plain('POST', [text(1_024 + Math.random() * 200_000)], kept)(signal, id) },
      'POST, slow chunks': {
        safe: false,
        talk: (signal, id) =>
          plain(
            'POST',
            Array.from({ length: 5 }, () => text(20_000)),
            false,
          )(signal, id),
      },
      'server-sent events': { safe: true, talk: (signal, id) => listen(ports.http, signal, id) },
      WebSocket: { safe: true, talk: (signal, id) => chat(ports.http, signal, id) },
      TCP: { safe: false, talk: (signal) => talkRaw(ports.tcp, signal) },
      TLS: { safe: false, talk: (signal) => talkTls(ports.tls, signal) },
      'h2c GET': { safe: true, talk: (signal, id) => overH2(ports.h2c, { method: 'GET', body: '', signal, id }) },
      'h2c POST': { safe: false, talk: (signal, id) => overH2(ports.h2c, { method: 'POST', body: text(10_000), signal, id }) },
      'gRPC, unary': { safe: false, talk: (signal, id) => callGrpc(ports.h2c, text(2_000), signal, id) },
    },
  };
}

/** Whatever a pod's death may do, it makes no answer wrong and leaves nobody waiting. */
class Inexcusable extends Error {}

class Broken extends Error {
  constructor(cause, begun) {
    super(cause.message, { cause });
    this.begun = begun;
    this.isInexcusable = cause instanceof Inexcusable;
  }
}

async function exchange({ port, method, agent, signal, id }, pieces) {
  const digest = createHash('sha1');
  for (const piece of pieces) digest.update(piece);
  const expected = `${pieces.reduce((sum, piece) => sum + piece.length, 0)} ${digest.digest('hex')}`;
  const headers = { [idHeader]: id, ...(pieces.length === 1 ? { 'content-length': pieces[0].length } : {}) };
  let begun = false;
  try {
    const request = httpRequest({ host: '127.0.0.1', port, method, path: '/echo', agent, headers, timeout: patienceMs, signal });
    request.on('timeout', () => request.destroy(new Inexcusable('no answer in time')));
    const answered = once(request, 'response');
    // Awaited below; a failure while the body is still being sent must not go unheard.
    answered.catch(() => undefined);
    for (const piece of pieces) {
      request.write(piece);
      if (pieces.length > 1) await wait(30);
    }
    request.end();
    const [response] = await answered;
    begun = true;
    const body = await read(response);
    if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode} ${body.slice(0, 200)}`);
    if (body !== expected) throw new Inexcusable(`the pod got ${body} of ${expected}`);
  } catch (error) {
    // An answer that is not the pod's own is the resolver's, so the pod's had not begun.
    throw new Broken(error, begun && !error.message.startsWith('answered'));
  }
}

async function listen(port, signal, id) {
  let body = '';
  try {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: '/events',
      headers: { [idHeader]: id },
      agent: false,
      timeout: patienceMs,
      signal,
    }).end();
    request.on('timeout', () => request.destroy(new Inexcusable('no event in time')));
    const [response] = await once(request, 'response');
    if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
    body = ' ';
    for await (const chunk of response.setEncoding('utf8')) body += chunk;
    if (body.split('data:').length - 1 !== events.count) throw new Inexcusable('events are missing');
  } catch (error) {
    throw new Broken(error, body !== '');
  }
}

async function chat(port, signal, id) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat`, { headers: { [idHeader]: id } });
  const ended = endOfWebSocket(socket, signal);
  const heard = (name) => Promise.race([new Promise((resolve) => socket.addEventListener(name, resolve, { once: true })), ended]);
  let begun = false;
  try {
    await heard('open');
    begun = true;
    for (let number = 0; number < 4; number++) {
      const answer = heard('message');
      socket.send(`message ${number}`);
      const { data } = await answer;
      if (data !== `message ${number}`) throw new Inexcusable('another message came back');
      await wait(Math.random() * 50);
    }
  } catch (error) {
    throw new Broken(error, begun);
  } finally {
    socket.close();
  }
}

/** Fails when the WebSocket ends, however it does, or the client leaves. It may do so when nobody waits any more. */
function endOfWebSocket(socket, signal) {
  const ended = new Promise((_, reject) => {
    const fail = (why) => {
      clearTimeout(timer);
      reject(why);
      socket.close();
    };
    const timer = setTimeout(() => fail(new Inexcusable('nothing heard in time')), patienceMs);
    socket.addEventListener('error', () => fail(new Error('the WebSocket broke')), { once: true });
    socket.addEventListener('close', () => fail(new Error('the WebSocket was closed')), { once: true });
    signal.addEventListener('abort', () => fail(new Error('left')), { once: true });
  });
  ended.catch(() => undefined);
  return ended;
}

function talkRaw(port, signal) {
  return echoOver(connect({ port, host: '127.0.0.1', signal }), 'connect');
}

/** The pod's certificate is checked, so whoever stands in between can only pass the bytes on. */
function talkTls(port, signal) {
  const socket = connectTls({ socket: connect({ port, host: '127.0.0.1', signal }), servername: podName, ca: certificate.cert });
  return echoOver(socket, 'secureConnect');
}

async function echoOver(socket, opened) {
  socket.setTimeout(patienceMs, () => socket.destroy(new Inexcusable('no echo in time')));
  const ended = endOf(socket);
  let begun = false;
  try {
    await Promise.race([once(socket, opened), ended]);
    for (let number = 0; number < 4; number++) {
      const message = Buffer.from(`\u0001\u0002raw ${number}`);
      socket.write(message);
      const [echo] = await Promise.race([once(socket, 'data'), ended]);
      begun = true;
      if (!echo.equals(message)) throw new Inexcusable('other bytes came back');
      await wait(Math.random() * 50);
    }
  } catch (error) {
    throw new Broken(error, begun);
  } finally {
    socket.destroy();
  }
}

async function overH2(port, { method, body, signal, id }) {
  const session = connectH2(`http://127.0.0.1:${port}`).on('error', () => undefined);
  let begun = false;
  try {
    const stream = session.request({ ':method': method, ':path': '/echo', [idHeader]: id }, { signal });
    stream.setTimeout(patienceMs, () => stream.destroy(new Inexcusable('no answer in time')));
    const ended = endOf(stream);
    if (body) stream.end(body);
    const [headers] = await Promise.race([once(stream, 'response'), ended]);
    const expected = `${body.length} ${createHash('sha1').update(body).digest('hex')}`;
    begun = headers[':status'] === 200;
    const answer = await read(stream);
    if (headers[':status'] !== 200) throw new Error(`answered ${headers[':status']} ${answer.slice(0, 200)}`);
    if (answer !== expected) throw new Inexcusable(`the pod got ${answer} of ${expected}`);
  } catch (error) {
    throw new Broken(error, begun);
  } finally {
    session.destroy();
  }
}

/** A call that is over says so in its trailers, or, where no pod has answered, in its headers. */
async function callGrpc(port, text, signal, id) {
  const session = connectH2(`http://127.0.0.1:${port}`).on('error', () => undefined);
  let begun = false;
  try {
    const head = { ':method': 'POST', ':path': '/shop.Echo/Say', 'content-type': 'application/grpc', te: 'trailers', [idHeader]: id };
    const stream = session.request(head, { signal });
    stream.setTimeout(patienceMs, () => stream.destroy(new Inexcusable('no answer in time')));
    const ended = endOf(stream);
    let trailers = {};
    stream.once('trailers', (found) => (trailers = found));
    stream.end(grpcMessage(text));
    const [headers] = await Promise.race([once(stream, 'response'), ended]);
    begun = headers['grpc-status'] === undefined;
    const answer = await read(stream);
    const status = trailers['grpc-status'] ?? headers['grpc-status'];
    if (status !== '0') throw new Error(`answered ${headers[':status']}, gRPC status ${status}`);
    if (answer !== grpcMessage(text).toString()) throw new Inexcusable('another message came back');
  } catch (error) {
    throw new Broken(error, begun);
  } finally {
    session.destroy();
  }
}

/** Fails when a socket or stream ends, however it does. It may do so when nobody waits any more. */
function endOf(stream) {
  const ended = new Promise((_, reject) => {
    stream.on('error', reject).once('close', () => reject(new Error('ended early')));
  });
  ended.catch(() => undefined);
  return ended;
}

/** Not compressed, and its length before it. */
function grpcMessage(text) {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

async function read(stream) {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}
