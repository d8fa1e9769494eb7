import { once } from 'node:events';
import type { ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';

import { H2Scene } from './resolver-h2.fixture';
import type { H2Client, H2Resolver } from './resolver-h2.fixture';
import { until } from './resolver-http1.fixture';

const EVENTS = { accept: 'text/event-stream' };
const GRPC = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };

describe('what has no end of its own on HTTP/2', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  async function setup(head: OutgoingHttpHeaders): Promise<{ resolver: H2Resolver; client: H2Client; streams: ServerHttp2Stream[] }> {
    const streams: ServerHttp2Stream[] = [];
    const pod = await scene.pod((stream) => {
      streams.push(stream);
      stream.respond({ ':status': 200, ...head }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.write('1');
    });
    const resolver = await scene.resolver();
    resolver.gate.ready(pod);
    return { resolver, client: scene.client(resolver), streams };
  }

  async function begin({ session }: H2Client, head: OutgoingHttpHeaders, endStream: boolean) {
    const stream: ClientHttp2Stream = session.request({ ':path': '/', ...head }, { endStream });
    const got = { text: '', ended: false, trailers: {} as IncomingHttpHeaders };
    stream.on('data', (chunk: Buffer) => (got.text += String(chunk)));
    stream.on('trailers', (trailers: IncomingHttpHeaders) => (got.trailers = trailers));
    stream.on('end', () => (got.ended = true));
    stream.on('error', () => undefined);
    await once(stream, 'data');
    return { stream, got, closed: new Promise((resolve) => stream.on('close', resolve)) };
  }

  it.each([
    ['a stream of events', EVENTS, { 'content-type': 'text/event-stream; charset=utf-8' }, true, {}],
    ['a gRPC stream from the pod', GRPC, { 'content-type': 'application/grpc' }, true, { 'grpc-status': '14' }],
    ['a gRPC stream both ways', GRPC, { 'content-type': 'application/grpc' }, false, { 'grpc-status': '14' }],
  ])('%s goes on while the process drains, and is ended when it is told', async (_name, request, answer, endStream, trailers) => {
    const { resolver, client, streams } = await setup(answer);
    const { stream, got, closed } = await begin(client, request, endStream);
    resolver.forwarder.drain();
    streams[0]?.write('2');
    await until('it goes on', () => got.text === '12');

    resolver.forwarder.endStreams();
    await closed;

    expect([got.ended, stream.rstCode]).toEqual([true, 0]);
    expect(got.trailers).toMatchObject(trailers);
    await until('the pod to be left', () => streams[0]?.destroyed === true);
    await until('all to be gone', () => client.closed && resolver.forwarder.openConnections === 0 && resolver.tally.open === 0);
    expect([resolver.tally.statuses, resolver.tally.lostCount]).toEqual([[200], 0]);
  });

  it('a gRPC stream that is still sent and not yet answered is told to go elsewhere', async () => {
    const resolver = await scene.resolver();
    const pod = await scene.pod((stream) => void stream.resume());
    resolver.gate.ready(pod);
    const stream = scene.client(resolver).session.request({ ':path': '/', ...GRPC });
    stream.write('1');
    stream.resume();
    await until('it is there', () => pod.heads.length === 1);

    resolver.forwarder.endStreams();
    const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];

    expect(answer['grpc-status']).toBe('14');
  });

  it.each([
    ['of a client that would take events', EVENTS, { 'content-type': 'text/plain' }],
    ['that says nothing of itself', {}, {}],
  ])('does not end an answer %s, which has one, nor a request that is held', async (_name, request, answer) => {
    const { resolver, client, streams } = await setup(answer);
    const { got, closed } = await begin(client, request, true);
    resolver.gate.ready();
    const held = scene.client(resolver).session.request({ ':path': '/', ...GRPC });
    held.on('error', () => undefined);
    await until('it is held', () => resolver.gate.waiting.length === 1);

    resolver.forwarder.endStreams();
    streams[0]?.end('2');
    await closed;

    expect(got).toMatchObject({ text: '12', ended: true });
    expect([resolver.gate.waiting.length, held.destroyed]).toEqual([1, false]);
  });

  it('leaves a gRPC call alone that was sent in full and is not yet answered', async () => {
    const streams: ServerHttp2Stream[] = [];
    const resolver = await scene.resolver();
    resolver.gate.ready(await scene.pod((stream) => void streams.push(stream)));
    const answer = scene.client(resolver).ask(GRPC, 'message');
    await until('it is there', () => streams.length === 1 && streams[0]?.resume().readableEnded === true);

    resolver.forwarder.endStreams();
    streams[0]?.respond({ ':status': 200 });
    streams[0]?.end('whole');

    await expect(answer.then(({ body }) => body.toString())).resolves.toBe('whole');
  });
});
