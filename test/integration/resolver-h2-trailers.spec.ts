import type { IncomingHttpHeaders } from 'node:http2';

import { H2Scene } from './resolver-h2.fixture';
import type { H2Client, H2Pod, OnStream } from './resolver-h2.fixture';
import { settled, until } from './resolver-http1.fixture';

describe('the trailers of HTTP/2 requests', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  /** Answers with the body and the trailer that it got. */
  const echo: OnStream = (stream) => {
    let body = '';
    let trailers: IncomingHttpHeaders = {};
    stream.on('data', (chunk: Buffer) => (body += String(chunk)));
    stream.on('trailers', (received: IncomingHttpHeaders) => (trailers = received));
    stream.on('end', () => {
      stream.respond({ ':status': 200 });
      stream.end(`${body} ${String(trailers['x-sum'])}`);
    });
  };

  function put({ session }: H2Client, body: string, trailers: Record<string, string>): Promise<string> {
    return new Promise((resolve) => {
      const stream = session.request({ ':method': 'PUT', ':path': '/' }, { waitForTrailers: true });
      let answer = '';
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => (answer += String(chunk)));
      stream.on('close', () => resolve(stream.rstCode === 0 ? answer : `reset with ${stream.rstCode}`));
      stream.end(body);
    });
  }

  it.each(['awake', 'held, then woken'])('reach the pod behind the body, %s', async (situation) => {
    const pod = await scene.pod(echo);
    const resolver = await scene.resolver();
    if (situation === 'awake') resolver.gate.ready(pod);

    const answer = put(scene.client(resolver), 'body', { 'x-sum': '42' });
    if (situation !== 'awake') await until('it is held with its trailers', () => resolver.gate.asked.length === 2);
    resolver.gate.ready(pod);

    await expect(answer).resolves.toBe('body 42');
  });

  it('go to the next pod with the request', async () => {
    const dying: H2Pod = await scene.pod((stream) => void stream.resume().on('end', () => dying.die()), 'dying');
    const resolver = await scene.resolver();
    resolver.gate.ready(dying, await scene.pod(echo, 'fine'));

    await expect(put(scene.client(resolver), 'body', { 'x-sum': '42' })).resolves.toBe('body 42');
  });

  it('count at the gate when they are held, in the place that the request has there', async () => {
    const resolver = await scene.resolver();
    const answer = put(scene.client(resolver), 'body', { 'x-sum': 'x'.repeat(10_000) });

    await until('it is counted anew', () => resolver.gate.asked.length === 2);
    const [before = 0, after = 0] = resolver.gate.asked.map(({ bytesHeld }) => bytesHeld);

    expect(after - before).toBeGreaterThan(10_000);
    expect(await settled(() => resolver.gate.waiting.length, 50)).toBe(1);
    resolver.gate.ready(await scene.pod(echo));
    await answer;
  });
});
