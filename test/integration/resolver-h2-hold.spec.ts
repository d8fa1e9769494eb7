import type { ServerHttp2Stream } from 'node:http2';
import { GateError } from '../../apps/resolver/src/exchange';
import { answerOk, H2Scene } from './resolver-h2.fixture';
import { RawPod, until, WEB } from './resolver-http1.fixture';

describe('streams that the HTTP/2 relay holds', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  const timedOut = (): GateError => new GateError('timed out', WEB, 'waited 3 s for a ready pod');

  it('wait at the gate one by one, each with its own size', async () => {
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const small = client.ask();
    const large = client.ask({ ':method': 'POST', 'content-length': '10000' }, 'x'.repeat(10_000));

    await until('both are held', () => resolver.gate.waiting.length === 2);
    const sizes = resolver.gate.asked.map(({ bytesHeld }) => bytesHeld);
    resolver.gate.ready(await scene.pod());

    expect((await Promise.all([small, large])).map(({ status }) => status)).toEqual([200, 200]);
    expect(sizes.map((size) => Math.floor(size / 10_000))).toEqual([0, 1]);
    expect(resolver.gate.openLeases).toBe(1);
  });

  it('tell the gate how many of them go to the pod together, and how many are open there', async () => {
    const atPod: ServerHttp2Stream[] = [];
    const pod = await scene.pod((stream) => void atPod.push(stream));
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const answers = [client.ask(), client.ask(), client.ask()];
    await until('all are held', () => resolver.gate.waiting.length === 3);
    const [first, second] = resolver.gate.waiting;

    const asked = first?.holder.exchanges;
    resolver.gate.waiting.splice(0, 1);
    resolver.gate.ready(pod);
    const askedWhileDialling = second?.holder.exchanges;
    await until('all are at the pod', () => atPod.length === 3);
    for (const stream of atPod) answerOk(stream);
    await Promise.all(answers);
    await until('all are over', () => resolver.tally.open === 0);

    expect([asked, askedWhileDialling]).toEqual([3, 0]);
    expect(resolver.gate.touches).toEqual([3, 2, 1, 0]);
  });

  it('are answered when their own time is over, while the others go on waiting', async () => {
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const early = client.ask();
    await until('the first is held', () => resolver.gate.waiting.length === 1);
    const late = client.ask();
    await until('both are held', () => resolver.gate.waiting.length === 2);

    resolver.gate.waiting.shift()?.reject(timedOut());
    const first = await early;
    resolver.gate.ready(await scene.pod());

    expect([first.status, (await late).status]).toEqual([504, 200]);
  });

  it('leave the gate one by one when the client cancels them', async () => {
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const cancelled = client.session.request({ ':path': '/' });
    cancelled.on('error', () => undefined);
    const other = client.ask();
    await until('both are held', () => resolver.gate.waiting.length === 2);

    cancelled.close(8);
    await until('one has left', () => resolver.gate.waiting.length === 1);
    resolver.gate.ready(await scene.pod());

    await expect(other).resolves.toMatchObject({ status: 200 });
  });

  it('all wait again when the pod that one of them was promised is none, and keep their time', async () => {
    const silent = scene.add(await RawPod.start((socket) => socket.destroy(), 'silent'));
    const good = await scene.pod(answerOk, 'good');
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const answers = [client.ask(), client.ask(), client.ask()];
    await until('all are held', () => resolver.gate.waiting.length === 3);

    resolver.gate.ready(silent);
    await until('all are held again', () => resolver.gate.waiting.length === 3);
    const again = resolver.gate.asked.slice(3);
    resolver.gate.ready(silent, good);

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(again.every(({ not, waitedMs }) => not?.has('silent') === true && waitedMs !== undefined && waitedMs > 0)).toBe(true);
  });
});
