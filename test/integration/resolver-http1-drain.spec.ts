import { FakeClock } from '@elasti/operator-kit/testing';

import { type Link, Links } from '../../apps/resolver/src/proxy';
import { GET, Scene, until } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => {
  jest.restoreAllMocks();
  return scene.stop();
});

const TOLD_TO_GO = /Connection: close\r\n\r\nok$/;
const HELLO = '\x16\x03\x01\x00\x05hello';
const UPGRADE = 'GET /chat HTTP/1.1\r\nHost: web\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
const EVENTS = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndata:1\r\n';
const DOWNLOAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nabc';

describe('while the process drains', () => {
  it('a request that is on its way on a kept connection is answered, and its client told to go', async () => {
    const { client, resolver } = await scene.all();
    await client.send(GET).until(/ok$/);

    client.send(GET);
    resolver.forwarder.drain();

    await client.until(TOLD_TO_GO);
    await client.until(({ ended }) => ended);
  });

  it('the first request of a connection just accepted is answered', async () => {
    const { client, resolver } = await scene.all();
    await until('it to be accepted', () => resolver.forwarder.openConnections === 1);

    resolver.forwarder.drain();
    client.send(GET);

    await client.until(TOLD_TO_GO);
  });

  it('a connection without a request is closed after a few seconds, also one that comes late', async () => {
    const clock = new FakeClock();
    const { client, resolver } = await scene.all(undefined, { clock, settings: { tickMs: 250 } });
    await client.send(GET).until(/ok$/);
    resolver.forwarder.drain();
    await scene.client(resolver);
    await until('it to be accepted', () => resolver.forwarder.openConnections === 2);

    await clock.advance(2_900);
    const before = resolver.forwarder.openConnections;
    await clock.advance(1_000);

    expect([before, resolver.forwarder.openConnections]).toEqual([2, 0]);
  });

  it('a client that has not yet taken all of its last answer gets the rest', async () => {
    const accepted = jest.spyOn(Links.prototype, 'accept');
    const clock = new FakeClock();
    const piece = 'HTTP/1.1 200 OK\r\nContent-Length: 16384\r\n\r\n'.padEnd(16_384 + 42, 'a');
    const { client, resolver } = await scene.all((socket) => void socket.write(piece), { clock, settings: { tickMs: 250 } });
    const link = accepted.mock.results[0]?.value as Link;
    client.socket.pause();
    let asked = 0;
    while (!link.isCongested) {
      client.send(GET);
      asked++;
      await until('the answer to be read', () => resolver.tally.statuses.length === asked);
    }

    resolver.forwarder.drain();
    await clock.advance(10_000);
    client.socket.resume();

    await client.until(({ text }) => text.length === asked * piece.length);
    await clock.advance(4_000);
    expect(resolver.forwarder.openConnections).toBe(0);
  });

  it('an answer of our own tells the client to go, too', async () => {
    const resolver = await scene.resolver({ policy: { answerInstead: () => ({ status: 200, text: 'ok' }) } });
    const client = await scene.client(resolver);

    resolver.forwarder.tellToGo();
    await client.send(GET + GET).until(({ ended }) => ended);

    expect(client.text.match(/Connection: close/g)).toHaveLength(1);
    expect(client.text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});

describe('what has no end of its own', () => {
  it.each([
    ['a tunnel', UPGRADE, SWITCHED],
    ['a connection that is not HTTP', HELLO, 'hello'],
    ['a stream of events', GET, EVENTS],
  ])('%s goes on while the process drains, and is ended when it is told', async (_name, question, answer) => {
    const { client, resolver, pod } = await scene.all((socket) => void socket.write(answer));
    await client.send(question).until(({ text }) => text.length >= answer.length);
    resolver.forwarder.drain();
    pod.connections[0]?.write('6\r\ndata:2\r\n');
    await client.until(/data:2\r\n$/);

    resolver.forwarder.endStreams();

    await client.until(({ ended }) => ended);
    expect(client.error).toBeUndefined();
    await until('the pod to be left', () => pod.connections.every(({ readableEnded, destroyed }) => readableEnded || destroyed));
    client.socket.end();
    await until('all to be gone', () => resolver.forwarder.openConnections === 0 && resolver.tally.open === 0);
  });

  it('is cut off when it does not go', async () => {
    const clock = new FakeClock();
    const { client, resolver, pod } = await scene.all((socket) => void socket.write(SWITCHED), { clock, settings: { tickMs: 250 } });
    await client.send(UPGRADE).until(/\r\n\r\n$/);
    pod.connections[0]?.removeAllListeners('end');

    resolver.forwarder.endStreams();
    await client.until(({ ended }) => ended);
    const before = resolver.forwarder.openConnections;
    await clock.advance(3_000);

    expect([before, resolver.forwarder.openConnections]).toEqual([1, 0]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not end an answer that has one, nor a request that is held', async () => {
    const { client, resolver, pod } = await scene.all((socket) => void socket.write(DOWNLOAD));
    await client.send(GET).until(/abc$/);
    resolver.gate.ready();
    const held = await scene.client(resolver);
    held.send(HELLO);
    await until('it to be held', () => resolver.gate.waiting.length === 1);

    resolver.forwarder.endStreams();
    pod.connections[0]?.write('def');

    await client.until(/abcdef$/);
    expect([resolver.gate.waiting.length, held.ended]).toEqual([1, false]);
  });
});
