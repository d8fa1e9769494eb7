import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { PassThrough } from 'node:stream';

import { FIRST_WINDOW, FLAG, FRAME, frameHead, PREFACE, writeWindowUpdate } from '../../apps/resolver/src/h2/frame';
import { writeSettings } from '../../apps/resolver/src/h2/settings-frame';
import { answerOk, H2Scene } from './resolver-h2.fixture';
import type { H2Answer, H2Pod, OnStream } from './resolver-h2.fixture';
import { RawPod, settled, until } from './resolver-http1.fixture';

/** What a pod was sent of bodies. */
function dataBytesIn(received: string): number {
  let total = 0;
  for (let at = PREFACE.length; at + 9 <= received.length;) {
    const length = (received.charCodeAt(at) << 16) | (received.charCodeAt(at + 1) << 8) | received.charCodeAt(at + 2);
    if (received.charCodeAt(at + 3) === FRAME.data) total += length;
    at += 9 + length;
  }
  return total;
}

describe('HTTP/2 requests whose pod is lost before it answers', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  const echo: OnStream = (stream) => {
    stream.respond({ ':status': 200 });
    stream.pipe(stream);
  };

  it('go to another pod when they are safe to repeat', async () => {
    const dying: H2Pod = await scene.pod(() => dying.die(), 'dying');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying, await scene.pod(answerOk, 'fine'));
    const client = scene.client(resolver);

    const answer = await client.ask();

    expect(answer.body.toString()).toBe('ok');
    expect(resolver.gate.outcomes).toEqual([{ podKey: 'dying', outcome: 'broken' }]);
    expect(client.goaways).toEqual([]);
    expect((await client.ask()).status).toBe(200);
  });

  it('take their bodies with them', async () => {
    const body = Buffer.alloc(40_000, 'body');
    const dying: H2Pod = await scene.pod((stream) => {
      stream.resume();
      stream.on('end', () => dying.die());
    }, 'dying');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying, await scene.pod(echo, 'fine'));

    const answer = await scene.client(resolver).ask({ ':method': 'PUT' }, body);

    expect(answer.body.equals(body)).toBe(true);
  });

  it('end at the next pod too when their bodies are empty', async () => {
    const dying: H2Pod = await scene.pod((stream, headers) => {
      if (headers[':method'] === 'GET') return answerOk(stream);
      stream.resume();
      stream.on('end', () => dying.die());
    }, 'dying');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying, await scene.pod(echo, 'fine'));
    const client = scene.client(resolver);
    // What comes while no pod is there yet is put together before it is sent.
    await client.ask();

    const answer = await client.ask({ ':method': 'PUT' }, Buffer.alloc(0));

    expect([answer.status, answer.body.length]).toEqual([200, 0]);
  });

  describe.each(['PUT', 'POST'])('in the middle of a %s', (method) => {
    const whole = Buffer.alloc(40_000, 'body');

    /** The pod dies with the first bytes of the body; the rest is sent when another has the request. */
    async function upload(headers: OutgoingHttpHeaders, firstBytes: Buffer): Promise<H2Answer> {
      let got = 0;
      const dying: H2Pod = await scene.pod((stream) => {
        stream.on('data', (chunk: Buffer) => {
          got += chunk.length;
          if (got === firstBytes.length) dying.die();
        });
      }, 'dying');
      const fine = await scene.pod(echo, 'fine');
      const resolver = await scene.resolver();
      resolver.gate.ready(dying, fine);
      const body = new PassThrough();
      const answer = scene.client(resolver).ask({ ':method': method, ...headers }, body);
      body.write(firstBytes);
      await until('the next pod has it, or nobody', () => fine.heads.length === 1 || resolver.tally.statuses.length === 1);
      body.end(whole.subarray(firstBytes.length));
      return answer;
    }

    it.each([
      ['whose length is not known', {}, 10_000],
      ['whose length is known, though the pod has asked for more', { 'content-length': '40000' }, 39_000],
    ])('go on with another pod when a part was sent of a body %s', async (_, headers, sent) => {
      const answer = await upload(headers, whole.subarray(0, sent));

      expect(answer.body.equals(whole)).toBe(true);
    });

    it('are answered with 502 when more was sent than is kept', async () => {
      await expect(upload({}, Buffer.alloc(100_000))).resolves.toMatchObject({ status: 502 });
    });
  });

  it('are not repeated when all of an announced body is with the pod, though the stream goes on', async () => {
    const dying: H2Pod = await scene.pod((stream) => void stream.once('data', () => dying.die()), 'dying');
    const fine = await scene.pod(answerOk, 'fine');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying, fine);
    const body = new PassThrough();

    const answer = scene.client(resolver).ask({ ':method': 'POST', 'content-length': '5' }, body);
    body.write('whole');

    expect((await answer).status).toBe(502);
    expect(fine.heads).toEqual([]);
  });

  it('are not repeated when they are gRPC, whose messages count before the request is whole', async () => {
    const dying: H2Pod = await scene.pod((stream) => void stream.once('data', () => dying.die()), 'dying');
    const fine = await scene.pod(answerOk, 'fine');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying, fine);
    const body = new PassThrough();

    const answer = scene.client(resolver).ask({ ':method': 'POST', 'content-type': 'application/grpc' }, body);
    body.write('message');

    expect((await answer).headers['grpc-status']).toBe('14');
    expect(fine.heads).toEqual([]);
  });

  it('wait for a pod when there is no other, and none of the others on the connection is lost', async () => {
    const streams: ServerHttp2Stream[] = [];
    const dying = await scene.pod((stream) => void streams.push(stream), 'dying');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying);
    const client = scene.client(resolver);
    const answers = Array.from({ length: 10 }, () => client.ask());
    await until('all are there', () => streams.length === 10);
    resolver.gate.ready();

    dying.die();
    await until('all are held again', () => resolver.gate.waiting.length === 10);
    const late = client.ask();
    resolver.gate.ready(await scene.pod(answerOk, 'fine'));

    const statuses = (await Promise.all([...answers, late])).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 11 }, () => 200));
  });

  it('are answered with 502 when they may have changed something, or three pods have dropped them', async () => {
    const resolver = await scene.resolver();
    const pods: H2Pod[] = await Promise.all(
      ['a', 'b', 'c', 'd'].map((podKey) => scene.pod(() => pods.find((pod) => pod.podKey === podKey)?.die(), podKey)),
    );
    resolver.gate.ready(...pods);

    const post = await scene.client(resolver).ask({ ':method': 'POST' });
    const seen = pods.reduce((sum, { heads }) => sum + heads.length, 0);
    const get = await scene.client(resolver).ask();

    expect([post.status, get.status]).toEqual([502, 502]);
    expect([seen, pods.reduce((sum, { heads }) => sum + heads.length, 0)]).toEqual([1, 4]);
  });

  it('are never repeated once the answer has begun', async () => {
    const dying = await scene.pod((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('begun');
    }, 'dying');
    const fine = await scene.pod(answerOk, 'fine');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying, fine);
    const client = scene.client(resolver);
    const stream = client.session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    const closed = new Promise((resolve) => stream.on('close', resolve));
    await new Promise((resolve) => stream.on('data', resolve));

    dying.die();
    await closed;

    expect(stream.rstCode).toBe(2);
    expect(fine.heads).toEqual([]);
  });

  it('keep to the window of the next pod with all their bodies together, and all are answered in the end', async () => {
    let got = 0;
    const first = await scene.pod((stream) => void stream.on('data', (chunk: Buffer) => (got += chunk.length)), 'first');
    // Gives back nothing of the window that it begins with, until it is told to.
    const second = scene.add(
      await RawPod.start((socket, text) => {
        if (text.startsWith(PREFACE)) socket.write(writeSettings(new Map()), 'latin1');
      }, 'second'),
    );
    const resolver = await scene.resolver();
    resolver.gate.ready(first);
    const client = scene.client(resolver);
    const bodies = [1, 3, 5].map(() => client.ask({ ':method': 'PUT' }, Buffer.alloc(50_000, 'x')));
    await until('all bodies are there', () => got === 150_000);

    resolver.gate.ready(second);
    first.die();
    const before = await settled(() => dataBytesIn(second.received));
    second.connections[0]?.write(writeWindowUpdate(0, 100_000), 'latin1');
    await until('all bodies are there again', () => dataBytesIn(second.received) === 150_000);
    for (const id of [1, 3, 5])
      second.connections[0]?.write(`${frameHead(1, FRAME.headers, FLAG.endHeaders | FLAG.endStream, id)}\x88`, 'latin1');

    expect(before).toBe(FIRST_WINDOW);
    expect((await Promise.all(bodies)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(client.goaways).toEqual([]);
  });

  it('leave the windows of both sides as wide as the next pod believes them to be', async () => {
    const large = Buffer.alloc(1024 * 1024, 'large');
    const dying: H2Pod = await scene.pod((stream, { ':path': path }) => {
      if (path === '/drop') dying.die();
      else echo(stream, {});
    }, 'dying');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying, await scene.pod(echo, 'fine'));
    const client = scene.client(resolver);
    await client.ask({ ':method': 'POST' }, large);

    await client.ask({ ':path': '/drop' });
    const bodies = await Promise.all(Array.from({ length: 4 }, () => client.ask({ ':method': 'POST' }, large)));

    expect(bodies.every(({ body }) => body.equals(large))).toBe(true);
    expect(await settled(() => client.goaways.length, 50)).toBe(0);
  });
});
