import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { ClientHttp2Stream, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';

import type { OwnAnswer, ServicePort } from '../../apps/resolver/src/exchange';
import {
  FRAME,
  H2_ERROR,
  LARGEST_STREAM_ID,
  LARGEST_WINDOW,
  PREFACE,
  writeGoaway,
  writeHeaderBlock,
  writePing,
  writeWindowUpdate,
} from '../../apps/resolver/src/h2/frame';
import { writeLiteral } from '../../apps/resolver/src/h2/header-field';
import { SETTING, writeSettings } from '../../apps/resolver/src/h2/settings-frame';
import { answerOk, H2Scene } from './resolver-h2.fixture';
import { OK, RawClient, RawPod, settled, until, WEB } from './resolver-http1.fixture';

const run = promisify(execFile);
const API: ServicePort = { namespace: 'shop', service: 'api', port: 80 };
const MIB = Buffer.alloc(1024 * 1024, 'mebibyte');

function get(id: number, path: string): string {
  const fields = { ':method': 'GET', ':scheme': 'http', ':path': path, ':authority': 'web' };
  const block = Object.entries(fields).map(([name, value]) => writeLiteral(name, value));
  return writeHeaderBlock(id, block.join(''), 'ends stream');
}

/** What the DATA frames among these take of the window. */
function dataBytesIn(text: string): number {
  let total = 0;
  for (let at = 0; at + 9 <= text.length;) {
    const length = (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2);
    if (text.charCodeAt(at + 3) === FRAME.data) total += length;
    at += 9 + length;
  }
  return total;
}

describe('the life of a relayed HTTP/2 connection', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  const begun = async (stream: ClientHttp2Stream): Promise<void> => {
    stream.on('error', () => undefined);
    await once(stream, 'response');
  };

  describe('a pod that is lost', () => {
    it('is told with 502 where no answer had begun, with a reset where one had, and the client is sent away', async () => {
      const pod = await scene.pod((stream, headers) => {
        if (headers[':path'] === '/begun') stream.respond({ ':status': 200 });
      });
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = scene.client(resolver);
      const stream = client.session.request({ ':path': '/begun' });
      await begun(stream);
      const unanswered = client.ask({ ':path': '/unanswered', ':method': 'POST' });
      await until('both are there', () => pod.heads.length === 2);

      const closed = new Promise((resolve) => stream.on('close', resolve));
      pod.die();
      await closed;

      expect(stream.rstCode).toBe(2);
      await expect(unanswered).resolves.toMatchObject({ status: 502 });
      expect(resolver.tally.lostCount).toBe(2);
      await until('the client was sent away', () => client.closed);
      expect(client.goaways).toEqual([0]);
      expect(resolver.gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'broken' }]);
    });

    it('takes nothing with it where its answer was whole, though the client was still sending', async () => {
      const settings = '\0\0\0\x04\0\0\0\0\0';
      const answer = '\0\0\x01\x01\x05\0\0\0\x01\x88';
      const pod = scene.add(
        await RawPod.start((socket, text) => {
          if (text.startsWith(PREFACE)) socket.write(settings, 'latin1');
          if (text.includes('x-elasti-via')) socket.end(answer, 'latin1');
        }),
      );
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);

      const stream = scene.client(resolver).session.request({ ':path': '/', ':method': 'POST' }, { endStream: false });
      await begun(stream);
      await new Promise((resolve) => stream.resume().on('close', resolve));

      expect([stream.rstCode, resolver.tally.lostCount]).toEqual([0, 0]);
      expect(resolver.tally.statuses).toEqual([200]);
    });

    it('sends a client away gently when nothing was under way', async () => {
      const pod = await scene.pod();
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = scene.client(resolver);
      await client.ask();

      pod.die();

      await until('the client was sent away', () => client.closed);
      expect(client.goaways).toEqual([0]);
      expect(resolver.gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'done' }]);
    });

    it('costs no request that its client sends before it has heard', async () => {
      const settings = '\0\0\0\x04\0\0\0\0\0';
      const pod = await scene.pod();
      const next = await scene.pod(answerOk, 'next');
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = await RawClient.connect(resolver.port);
      scene.add({ stop: () => void client.socket.destroy() });
      client.send(PREFACE + settings + get(1, '/'));
      await until('the first is answered', () => resolver.tally.statuses.length === 1);

      resolver.gate.ready(next);
      pod.die();
      await client.until(({ text }) => text.includes(writeGoaway(LARGEST_STREAM_ID, H2_ERROR.none)));
      client.send(get(3, '/'));

      await until('the second is answered', () => resolver.tally.statuses.length === 2);
      client.send(writePing('elasti\0\x01', 'answer'));
      await client.until(({ ended }) => ended);
      expect([resolver.tally.statuses, next.heads.length]).toEqual([[200, 200], 1]);
    });

    it('is replaced by the next when it refuses the connection, or closes it before it says a word', async () => {
      const gone = await RawPod.start(() => undefined, 'gone');
      const { port } = gone;
      await gone.stop();
      const silent = scene.add(await RawPod.start((socket) => socket.destroy(), 'silent'));
      const good = await scene.pod(answerOk, 'good');
      const resolver = await scene.resolver();
      resolver.gate.ready({ podKey: 'gone', port }, silent, good);

      const answer = await scene.client(resolver).ask({ ':method': 'POST' }, 'body');

      expect(answer.body.toString()).toBe('ok');
      expect(resolver.gate.outcomes).toEqual([
        { podKey: 'gone', outcome: 'refused' },
        { podKey: 'silent', outcome: 'broken' },
      ]);
    });

    it.each([
      ['answers in HTTP/1', OK, 502],
      ['answers with a frame out of turn', '\0\0\0\x04\x01\0\0\0\0', 502],
    ])('is told with 502 when it %s', async (_, said, status) => {
      const pod = scene.add(await RawPod.start((socket) => void socket.write(said, 'latin1')));
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);

      await expect(scene.client(resolver).ask()).resolves.toMatchObject({ status });
    });

    it('leaves no ping of its client without an answer, and answers none a second time', async () => {
      const settings = '\0\0\0\x04\0\0\0\0\0';
      const pod = scene.add(
        await RawPod.start((socket, text) => {
          if (text.startsWith(PREFACE)) socket.write(settings, 'latin1');
          if (text.includes('answered')) socket.write(writePing('answered', 'answer'), 'latin1');
        }),
      );
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = await RawClient.connect(resolver.port);
      scene.add({ stop: () => void client.socket.destroy() });
      client.send(PREFACE + settings + get(1, '/'));
      await until('the request is there', () => pod.received.includes('x-elasti-via'));
      client.send(writePing('answered', 'question'));
      await client.until(/answered/);
      client.send(writePing('12345678', 'question'));
      await until('the other ping is there', () => pod.received.includes('12345678'));

      resolver.gate.ready();
      for (const socket of pod.connections) socket.destroy();
      await client.until(({ text }) => text.includes(writePing('12345678', 'answer')));

      expect([client.text.split('answered').length, client.text.split('12345678').length, resolver.gate.waiting.length]).toEqual([2, 2, 1]);
    });

    it('leaves no answer of its client to the pod that comes after it', async () => {
      const settings = '\0\0\0\x04\0\0\0\0\0';
      const pods = await Promise.all(
        ['of-pod-a', 'of-pod-b'].map((ping) =>
          RawPod.start((socket, text) => {
            if (text.startsWith(PREFACE)) socket.write(settings + writePing(ping, 'question'), 'latin1');
          }, ping),
        ),
      );
      pods.forEach((pod) => scene.add(pod));
      const [lost, next] = pods as [RawPod, RawPod];
      const resolver = await scene.resolver();
      resolver.gate.ready(lost);
      const client = await RawClient.connect(resolver.port);
      scene.add({ stop: () => void client.socket.destroy() });
      client.send(PREFACE + settings + get(1, '/'));
      await client.until(/of-pod-a/);

      resolver.gate.ready(next);
      for (const socket of lost.connections) socket.destroy();
      await client.until(/of-pod-b/);
      client.send(writePing('of-pod-a', 'answer') + writePing('of-pod-b', 'answer'));
      await until('the answer is there', () => next.received.includes(writePing('of-pod-b', 'answer')));

      expect(next.received).not.toContain('of-pod-a');
    });

    it('passes its farewell on and lets its streams end', async () => {
      const streams: ServerHttp2Stream[] = [];
      const pod = await scene.pod((stream) => {
        streams.push(stream);
        stream.respond({ ':status': 200 });
      });
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = scene.client(resolver);
      const answer = client.ask();
      await until('it is there', () => streams.length === 1);

      for (const session of pod.sessions) session.close();
      await until('the farewell', () => client.goaways.length > 0);
      streams[0]?.end('whole');

      await expect(answer.then(({ body }) => body.toString())).resolves.toBe('whole');
    });
  });

  it('counts each stream as activity, at its beginning and at its end', async () => {
    const streams: ServerHttp2Stream[] = [];
    const resolver = await scene.resolver();
    resolver.gate.ready(await scene.pod((stream) => void streams.push(stream)));
    const client = scene.client(resolver);
    const touched: number[] = [];

    for (let round = 0; round < 2; round++) {
      const answer = client.ask();
      await until('it is there', () => streams.length === 1);
      touched.push(resolver.gate.touches.length);
      streams.splice(0).forEach(answerOk);
      await answer;
      await until('it is over', () => resolver.tally.open === 0);
      touched.push(resolver.gate.touches.length);
    }

    // The gate itself has seen the first.
    expect(touched).toEqual([0, 1, 2, 3]);
  });

  it.each(['client', 'pod'] as const)('counts streams as activity until their %s is gone', async (gone) => {
    const pod = await scene.pod((stream) => stream.respond({ ':status': 200 }));
    const resolver = await scene.resolver();
    resolver.gate.ready(pod);
    const client = scene.client(resolver);
    await begun(client.session.request({ ':path': '/' }));
    const before = resolver.gate.touches.length;

    if (gone === 'pod') pod.die();
    else client.stop();
    await until('it is over', () => resolver.tally.open === 0);

    expect([before, resolver.gate.touches.length]).toEqual([0, 1]);
  });

  describe('moving on', () => {
    it('sends the client away once the service serves itself, and refuses nothing', async () => {
      let moving = false;
      const resolver = await scene.resolver({ policy: { isMovingOn: () => moving } });
      resolver.gate.ready(await scene.pod());
      const client = scene.client(resolver);
      await client.ask();

      moving = true;
      const answers = [client.ask(), client.ask()];

      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
      await until('the client is gone', () => client.closed && resolver.forwarder.openConnections === 0);
      expect(client.goaways).toContain(0);
    });

    it.each(['drain', 'the pod leaves'])('lets open streams end on %s, then closes', async (event) => {
      const streams: ServerHttp2Stream[] = [];
      const resolver = await scene.resolver();
      resolver.gate.ready(await scene.pod((stream) => void streams.push(stream)));
      const client = scene.client(resolver);
      const answer = client.ask();
      await until('it is there', () => streams.length === 1);

      if (event === 'drain') resolver.forwarder.drain();
      else resolver.forwarder.closePod('pod-a');
      await until('the client was told', () => client.goaways.length > 0);
      streams[0]?.respond({ ':status': 200 });
      streams[0]?.end('whole');

      await expect(answer.then(({ body }) => body.toString())).resolves.toBe('whole');
      await until('the client is gone', () => client.closed && resolver.forwarder.openConnections === 0);
    });

    it('closes an idle connection when it drains, and one that was idle for too long', async () => {
      const resolver = await scene.resolver({ settings: { idleClientMs: 40 } });
      resolver.gate.ready(await scene.pod());
      const [client, other] = [scene.client(resolver), scene.client(resolver)];
      await Promise.all([client.ask(), other.ask()]);

      resolver.forwarder.drain();

      await until('both are gone', () => client.closed && other.closed && resolver.forwarder.openConnections === 0);
    });

    it('leaves nothing behind when it stops at once', async () => {
      const resolver = await scene.resolver();
      const client = scene.client(resolver);
      const held = client.ask().catch((error: unknown) => error);
      await until('it is held', () => resolver.tally.open === 1);

      resolver.forwarder.stop();

      expect({ open: resolver.tally.open, waiting: resolver.gate.waiting.length }).toEqual({ open: 0, waiting: 0 });
      await expect(held).resolves.toBeInstanceOf(Error);
    });
  });

  describe('streams and windows', () => {
    it.each(['awake', 'held first'])('passes large bodies both ways, %s', async (situation) => {
      const pod = await scene.pod((stream) => {
        stream.respond({ ':status': 200 });
        stream.pipe(stream);
      });
      const resolver = await scene.resolver();
      if (situation === 'awake') resolver.gate.ready(pod);
      const client = scene.client(resolver);
      const bodies = [Buffer.concat(Array.from({ length: 8 }, () => MIB)), MIB, Buffer.alloc(70_000, 'x')];
      const answers = bodies.map((body) => client.ask({ ':method': 'POST' }, body));
      await until('all are there', () => resolver.tally.open === 3);
      resolver.gate.ready(pod);

      const received = (await Promise.all(answers)).map(({ body }) => body);

      expect(received.map((body, at) => bodies[at]?.equals(body))).toEqual([true, true, true]);
    });

    it('reads a pod only as fast as the client takes it', async () => {
      let sent = 0;
      const pod = await scene.pod((stream) => {
        stream.respond({ ':status': 200 });
        const next = (): void => {
          sent++;
          if (sent < 400) stream.write(MIB, next);
        };
        next();
      });
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = await RawClient.connect(resolver.port);
      scene.add({ stop: () => void client.socket.destroy() });
      const wide = writeSettings(new Map([[SETTING.initialWindowSize, LARGEST_WINDOW]])) + writeWindowUpdate(0, 2 ** 30);

      client.send(PREFACE + wide + get(1, '/'));
      await client.until(/mebibyte/);
      client.socket.pause();

      expect(await settled(() => sent)).toBeLessThan(100);
      client.socket.resume();
      await until('it goes on', () => sent > 100);
      client.socket.destroy();
    });

    it('sends a pod no more streams at a time than it takes', async () => {
      let open = 0;
      let most = 0;
      const pod = await scene.pod(
        (stream) => {
          most = Math.max(most, ++open);
          stream.on('close', () => open--);
          setImmediate(() => answerOk(stream));
        },
        'small',
        { maxConcurrentStreams: 3 },
      );
      const resolver = await scene.resolver();
      const client = scene.client(resolver);
      const answers = Array.from({ length: 60 }, (_, at) => client.ask({ ':method': 'POST' }, `body ${at}`));
      await until('all are held', () => resolver.tally.open === 60);

      resolver.gate.ready(pod);

      expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true);
      expect(most).toBeLessThanOrEqual(3);
    });

    it('lets many uploads wait for a pod with wide windows that takes few at a time', async () => {
      const pod = await scene.pod(
        (stream) => {
          let length = 0;
          (stream.session as ServerHttp2Session).setLocalWindowSize(64 * MIB.length);
          stream.on('data', (chunk: Buffer) => (length += chunk.length));
          stream.on('end', () => {
            stream.respond({ ':status': 200 });
            stream.end(String(length));
          });
        },
        'wide',
        { maxConcurrentStreams: 5, initialWindowSize: MIB.length },
      );
      const resolver = await scene.resolver();
      const client = scene.client(resolver);
      const body = Buffer.alloc(300 * 1024);
      const answers = Array.from({ length: 40 }, () => client.ask({ ':method': 'POST' }, body));
      await until('all are held', () => resolver.tally.open === 40);

      resolver.gate.ready(pod);

      const lengths = (await Promise.all(answers)).map((answer) => Number(answer.body.toString()));
      expect(lengths).toEqual(Array.from({ length: 40 }, () => body.length));
    });

    it('refuses none of them while the pod answers none', async () => {
      let ended = 0;
      const onStream = (stream: ServerHttp2Stream): void => {
        (stream.session as ServerHttp2Session).setLocalWindowSize(64 * MIB.length);
        stream.resume();
        stream.on('end', () => ended++);
      };
      const pod = await scene.pod(onStream, 'wide', { maxConcurrentStreams: 5, initialWindowSize: MIB.length });
      const resolver = await scene.resolver();
      const client = scene.client(resolver);
      const answers = Array.from({ length: 60 }, () => client.ask({ ':method': 'POST' }, Buffer.alloc(300 * 1024)).catch(() => undefined));
      await until('all are held', () => resolver.tally.open === 60);

      resolver.gate.ready(pod);
      await until('the first have arrived', () => ended === 5);

      expect(await settled(() => resolver.tally.open, 200)).toBe(60);
      expect(client.goaways).toEqual([]);
      client.stop();
      await Promise.all(answers);
    });

    it('lets the client open more than it may while it is held', async () => {
      const pod = await scene.pod((stream) => void stream.resume());
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = scene.client(resolver);

      const answers = Array.from({ length: 300 }, () => client.ask().catch(() => undefined));

      await until('all are there', () => pod.heads.length === 300);
      client.stop();
      await Promise.all(answers);
    });

    it('never passes more of an answer than the window that its own answers have left', async () => {
      const text = 'x'.repeat(10_000);
      const instead = (path: string): OwnAnswer | undefined => (path === '/probe' ? { status: 200, text } : undefined);
      const resolver = await scene.resolver({ policy: { answerInstead: (_, { target }) => instead(target) } });
      const pod = await scene.pod((stream) => {
        stream.respond({ ':status': 200 });
        stream.end(MIB);
      });
      const client = scene.client(resolver);
      const probes = await Promise.all([client.ask({ ':path': '/probe' }), client.ask({ ':path': '/probe' })]);
      const held = client.ask();
      await until('it is held', () => resolver.tally.open === 1);

      resolver.gate.ready(pod);

      expect(probes.map(({ body }) => body.length)).toEqual([10_001, 10_001]);
      expect((await held).body.equals(MIB)).toBe(true);
      expect(resolver.tally.statuses).toEqual([200]);
    });

    it('keeps count of the window with a client that gives back nothing', async () => {
      const answerInstead = (_: ServicePort, { target }: { target: string }): OwnAnswer | undefined =>
        target === '/probe' ? { status: 200, text: 'x'.repeat(9_999) } : undefined;
      const resolver = await scene.resolver({ policy: { answerInstead } });
      const pod = await scene.pod((stream) => {
        stream.respond({ ':status': 200 });
        stream.end(MIB);
      });
      const client = await RawClient.connect(resolver.port);
      scene.add({ stop: () => void client.socket.destroy() });
      client.send(PREFACE + writeSettings(new Map([[SETTING.initialWindowSize, LARGEST_WINDOW]])) + get(1, '/probe') + get(3, '/'));
      await until('one is held', () => resolver.tally.open === 1);

      resolver.gate.ready(pod);
      await client.until(() => dataBytesIn(client.text) > 40_000);
      const unpaid = await settled(() => dataBytesIn(client.text));
      client.send(writeWindowUpdate(0, 30_000));
      await client.until(() => dataBytesIn(client.text) > 65_535);
      const paid = await settled(() => dataBytesIn(client.text));

      expect(unpaid).toBeLessThanOrEqual(65_535);
      expect(paid).toBe(65_535 + 30_000);
    });

    it('speaks to pods that keep no table of header fields', async () => {
      const resolver = await scene.resolver();
      resolver.gate.ready(await scene.pod(answerOk, 'tableless', { headerTableSize: 0 }));
      const client = scene.client(resolver);

      const statuses = [(await client.ask()).status, (await client.ask()).status, (await client.ask({ ':path': '/other' })).status];

      expect(statuses).toEqual([200, 200, 200]);
    });

    it('knows the status of every answer', async () => {
      const pod = await scene.pod((stream, headers) => {
        stream.respond({ ':status': Number(headers.status) });
        stream.end();
      });
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = scene.client(resolver);
      const statuses = [200, 201, 302, 401, 429, 502, 502, 503, 503];

      for (const status of statuses) await client.ask({ status: String(status) });

      expect(resolver.tally.statuses).toEqual(statuses);
    });

    it.each([0, 100])('answers clients that keep a table of %d bytes, by itself and from pods', async (headerTableSize) => {
      const instead = (path: string): OwnAnswer | undefined => (path === '/probe' ? { status: 200, text: 'alive' } : undefined);
      const resolver = await scene.resolver({ policy: { answerInstead: (_, { target }) => instead(target) } });
      const client = scene.client(resolver, { headerTableSize });
      await once(client.session, 'localSettings');

      const own = [await client.ask({ ':path': '/probe' }), await client.ask({ ':path': '/probe' })];
      resolver.gate.ready(await scene.pod());
      const fromPod = [await client.ask(), await client.ask()];

      expect([...own, ...fromPod].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    });

    it('forbids pods to push', async () => {
      let allowed: boolean | undefined;
      const pod = await scene.pod((stream) => {
        allowed = stream.pushAllowed;
        answerOk(stream);
      });
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);

      await scene.client(resolver, { enablePush: true }).ask();

      expect(allowed).toBe(false);
    });

    it('passes a settings change of the client on, and the pod confirms it', async () => {
      const resolver = await scene.resolver();
      const pod = await scene.pod();
      resolver.gate.ready(pod);
      const client = scene.client(resolver);
      await client.ask();

      await new Promise<void>((resolve) => client.session.settings({ initialWindowSize: 1_000 }, () => resolve()));

      expect([...pod.sessions].map(({ remoteSettings }) => remoteSettings.initialWindowSize)).toEqual([1_000]);
      await expect(client.ask()).resolves.toMatchObject({ status: 200 });
    });
  });

  describe('whom a request is for', () => {
    const byHost = { policy: { targetOf: ({ host }: { host: string }) => ({ web: WEB, api: API })[host] }, target: 'by request' as const };

    it('is said by the first request of a connection, and others belong elsewhere', async () => {
      const resolver = await scene.resolver(byHost);
      resolver.gate.ready(await scene.pod());
      const client = scene.client(resolver);
      const ask = async (host: string): Promise<number | undefined> => (await client.ask({ ':authority': host })).status;

      expect([await ask('web'), await ask('api'), await ask('web')]).toEqual([200, 421, 200]);
    });

    it('is counted with the reason when it is turned away here', async () => {
      const resolver = await scene.resolver(byHost);
      resolver.gate.ready(await scene.pod());
      const client = scene.client(resolver);
      await client.ask({ ':authority': 'web' });
      await client.ask({ ':authority': 'api' });
      await client.ask({ ':authority': 'web', 'x-elasti-via': 'shop/web:80' });

      expect(resolver.tally.refusals).toEqual(['shop/api misdirected', 'shop/web came back']);
    });

    it('is counted as one too many when the connection holds enough', async () => {
      const resolver = await scene.resolver();
      const client = scene.client(resolver);
      const cookie = 'c'.repeat(30_000);
      const held = Array.from({ length: 8 }, () => client.ask({ cookie }).catch(() => undefined));
      await until('all are held', () => resolver.tally.open === 8);

      const answer = await client.ask({ cookie });

      expect([answer.status, resolver.tally.refusals]).toEqual([503, ['shop/web queue full']]);
      client.stop();
      await Promise.all(held);
    });

    it('is marked, so that a request that runs in a circle ends with 508', async () => {
      const pod = await scene.pod();
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);
      const client = scene.client(resolver);
      await client.ask();

      const circle = await client.ask({ 'x-elasti-via': String(pod.heads[0]?.['x-elasti-via']) });

      expect(circle.status).toBe(508);
      expect(pod.heads[0]).toMatchObject({ 'x-elasti-via': 'shop/web:80', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
    });

    it('may be answered instead of held, without asking the gate', async () => {
      const answerInstead = (): OwnAnswer => ({ status: 200, text: 'alive' });
      const resolver = await scene.resolver({ policy: { answerInstead } });

      const answer = await scene.client(resolver).ask();

      expect([answer.status, answer.body.toString(), resolver.gate.asked.length]).toEqual([200, 'alive\n', 0]);
    });
  });

  it('tells how long a stream was held when it is asked to', async () => {
    const pod = await scene.pod();
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const held = client.ask({ 'x-elasti-timing': '1' });
    await until('it is held', () => resolver.tally.open === 1);
    resolver.gate.ready(pod);

    expect((await held).headers['server-timing']).toMatch(/^held;dur=[0-9.]+, .*connect;dur=[0-9.]+$/);
    expect((await client.ask({ 'x-elasti-timing': '1' })).headers['server-timing']).toBe('held;dur=0');
    expect((await client.ask()).headers['server-timing']).toBeUndefined();
  });

  describe('curl', () => {
    it('is held and served by prior knowledge', async () => {
      const pod = await scene.pod((stream) => {
        stream.respond({ ':status': 200 });
        stream.pipe(stream);
      });
      const resolver = await scene.resolver();
      const args = ['-sS', '--http2-prior-knowledge', '-w', ' %{http_version} %{http_code}', '-d', 'hello'];
      const curl = run('curl', [...args, `http://127.0.0.1:${resolver.port}/`]);
      await until('it is held', () => resolver.tally.open === 1);

      resolver.gate.ready(pod);

      expect((await curl).stdout).toBe('hello 2 200');
    });

    it('stays with HTTP/1 when it asks a pod to upgrade that does not', async () => {
      const pod = scene.add(await RawPod.start((socket) => void socket.write(OK)));
      const resolver = await scene.resolver();
      resolver.gate.ready(pod);

      const { stdout } = await run('curl', ['-sS', '--http2', '-w', ' %{http_version}', `http://127.0.0.1:${resolver.port}/`]);

      expect(stdout).toBe('ok 1.1');
      expect(pod.received).toMatch(/\r\nUpgrade: h2c\r\n/i);
    });

    describe('asks to upgrade to HTTP/2', () => {
      const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
      const settings = '\0\0\0\x04\0\0\0\0\0';
      const head = '\0\0\x01\x01\x04\0\0\0\x01\x88';
      const body = '\0\0\x02\0\x01\0\0\0\x01ok';

      const upgrading = async (answer: (socket: Socket) => void, podKey?: string): Promise<RawPod> =>
        scene.add(
          await RawPod.start((socket, text) => {
            if (text.startsWith('GET')) socket.write(switching, 'latin1');
            if (text.includes('PRI *')) answer(socket);
          }, podKey),
        );
      const wholly = (socket: Socket): void => void socket.write(settings + head + body, 'latin1');
      const curl = ({ port }: { readonly port: number }) =>
        run('curl', ['-sS', '--http2', '-w', ' %{http_version}', `http://127.0.0.1:${port}/`]);

      it.each(['awake', 'held, then woken'])('and gets it with a pod that does, %s', async (situation) => {
        const pod = await upgrading(wholly);
        const resolver = await scene.resolver();
        if (situation === 'awake') resolver.gate.ready(pod);

        const answer = curl(resolver);
        if (situation !== 'awake') await until('it is held', () => resolver.gate.waiting.length === 1);
        resolver.gate.ready(pod);

        expect((await answer).stdout).toBe('ok 2');
      });

      it('and gets it with another pod when the first is lost before it answers', async () => {
        const dying = scene.add(await RawPod.start((socket) => void socket.destroy(), 'dying'));
        const resolver = await scene.resolver();
        resolver.gate.ready(dying, await upgrading(wholly, 'fine'));

        expect((await curl(resolver)).stdout).toBe('ok 2');
        expect(dying.connections).toHaveLength(1);
      });

      it('and is cut off, not ended as if all were there, when the pod is lost after that', async () => {
        const pod = await upgrading((socket) => {
          socket.write(settings + head, 'latin1', () => socket.resetAndDestroy());
        });
        const resolver = await scene.resolver();
        resolver.gate.ready(pod);

        await expect(curl(resolver)).rejects.toMatchObject({ code: expect.any(Number) as number });
        await until('all is over', () => resolver.tally.open === 0);
      });
    });
  });
});
