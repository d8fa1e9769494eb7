import { constants } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';

import { FLAG, FRAME, frameHead, H2_ERROR, PREFACE, writeGoaway, writeRstStream } from '../../apps/resolver/src/h2/frame';
import { answerOk, H2Scene } from './resolver-h2.fixture';
import { RawPod, until } from './resolver-http1.fixture';

const SETTINGS = frameHead(0, FRAME.settings, 0, 0);
const REFUSED = `reset with ${constants.NGHTTP2_REFUSED_STREAM}`;

describe('HTTP/2 requests that a pod says it did nothing for', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  const saying = async (said: string): Promise<RawPod> =>
    scene.add(
      await RawPod.start((socket, text) => {
        if (text.startsWith(PREFACE)) socket.write(SETTINGS, 'latin1');
        if (text.includes('x-elasti-via')) socket.write(said, 'latin1');
      }, 'leaving'),
    );

  /** A pod that takes one stream at a time. */
  const narrow = async (streams: ServerHttp2Stream[]) =>
    scene.pod((stream) => void streams.push(stream), 'narrow', { maxConcurrentStreams: 1 });

  const goodBye = writeGoaway(0, H2_ERROR.none);
  const failure = writeGoaway(0, H2_ERROR.internal);
  const refusal = writeRstStream(1, H2_ERROR.refusedStream);

  it.each([
    ['its farewell', goodBye],
    ['a farewell for a failure of its own', failure],
    ['its refusal', refusal],
  ])('go to another pod by %s', async (_, said) => {
    const fine = await scene.pod(answerOk, 'fine');
    const resolver = await scene.resolver();
    resolver.gate.ready(await saying(said), fine);

    const answer = await scene.client(resolver).ask();

    expect([answer.status, fine.heads.length, resolver.tally.lostCount]).toEqual([200, 1, 0]);
  });

  it.each([
    ['its farewell', goodBye],
    ['its refusal', refusal],
  ])('are refused, which tells their client the same, by %s when they were not kept', async (_, said) => {
    const fine = await scene.pod(answerOk, 'fine');
    const resolver = await scene.resolver();
    resolver.gate.ready(await saying(said), fine);

    const answer = scene.client(resolver).ask({ ':method': 'POST' });

    await expect(answer).rejects.toThrow(REFUSED);
    expect([fine.heads.length, resolver.tally.lostCount]).toEqual([0, 1]);
  });

  it('go on waiting when they were never sent, until the pod has ended what it answers', async () => {
    const streams: ServerHttp2Stream[] = [];
    const pod = await narrow(streams);
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const answers = ['/first', '/second', '/third'].map((path) => client.ask({ ':path': path, ':method': 'POST' }, 'body'));
    await until('all are held', () => resolver.gate.waiting.length === 3);
    resolver.gate.ready(pod, await scene.pod(answerOk, 'fine'));
    await until('one is there', () => streams.length === 1);

    for (const session of pod.sessions) session.goaway(constants.NGHTTP2_NO_ERROR, 1);
    await until('the client was told', () => client.goaways.length === 1);
    streams[0]?.respond({ ':status': 201 });
    streams[0]?.end();

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 200, 200]);
    expect(streams).toHaveLength(1);
  });

  it('are refused when what the pod still answers does not end soon', async () => {
    const streams: ServerHttp2Stream[] = [];
    const pod = await narrow(streams);
    const resolver = await scene.resolver({ settings: { lingerMs: 50 } });
    const client = scene.client(resolver);
    const [first, second] = [client.ask({ ':path': '/first' }), client.ask({ ':path': '/second' })];
    await until('both are held', () => resolver.gate.waiting.length === 2);
    resolver.gate.ready(pod);
    await until('one is there', () => streams.length === 1);

    for (const session of pod.sessions) session.goaway(constants.NGHTTP2_NO_ERROR, 1);

    await expect(second).rejects.toThrow(REFUSED);
    streams[0]?.respond({ ':status': 201 });
    streams[0]?.end();
    await expect(first).resolves.toMatchObject({ status: 201 });
    await until('the client is gone', () => client.closed);
  });

  it('do not cost those their answer that it has begun', async () => {
    const begun = `${frameHead(1, FRAME.headers, FLAG.endStream, 1)}\x88`;
    const pod = await saying(writeGoaway(1, H2_ERROR.none) + begun);
    const resolver = await scene.resolver();
    resolver.gate.ready(pod);
    const client = scene.client(resolver);
    const answer = client.ask();
    await until('the client was told', () => client.goaways.length === 1);

    pod.connections[0]?.write(frameHead(0, FRAME.continuation, FLAG.endHeaders, 1), 'latin1');

    await expect(answer).resolves.toMatchObject({ status: 200 });
  });

  it('are left to their client when the pod finds fault with it', async () => {
    const fine = await scene.pod(answerOk, 'fine');
    const resolver = await scene.resolver();
    resolver.gate.ready(await saying(writeGoaway(0, H2_ERROR.enhanceYourCalm)), fine);
    const client = scene.client(resolver);

    await expect(client.ask()).rejects.toThrow('reset');

    expect([client.goaways[0], fine.heads.length, resolver.tally.lostCount]).toEqual([H2_ERROR.enhanceYourCalm, 0, 1]);
  });
});
