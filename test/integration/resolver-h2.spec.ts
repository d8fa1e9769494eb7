import { GateError } from '../../apps/resolver/src/exchange';
import { H2Scene } from './resolver-h2.fixture';
import { until, WEB } from './resolver-http1.fixture';

describe('the HTTP/2 relay', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  it('passes a request to a ready pod and its answer back', async () => {
    const pod = await scene.pod((stream, headers) => {
      stream.respond({ ':status': 201, 'x-method': headers[':method'] });
      stream.end(`for ${headers[':path']}`);
    });
    const resolver = await scene.resolver();
    resolver.gate.ready(pod);

    const answer = await scene.client(resolver).ask({ ':method': 'POST', ':path': '/a?b=c' }, 'body');

    expect(answer.status).toBe(201);
    expect(answer.headers['x-method']).toBe('POST');
    expect(answer.body.toString()).toBe('for /a?b=c');
  });

  it('holds requests while no pod is ready, and sends all of them, bodies and all, once one is', async () => {
    const pod = await scene.pod((stream) => {
      stream.respond({ ':status': 200 });
      stream.pipe(stream);
    });
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const answers = Array.from({ length: 100 }, (_, at) => client.ask({ ':method': 'POST', ':path': `/${at}` }, `body ${at}`));
    await until('100 held', () => resolver.tally.open === 100);
    const allowed = client.session.remoteSettings.maxConcurrentStreams;

    resolver.gate.ready(pod);

    const bodies = (await Promise.all(answers)).map(({ body }) => body.toString());
    expect(bodies).toEqual(Array.from({ length: 100 }, (_, at) => `body ${at}`));
    expect(resolver.gate.asked).toHaveLength(100);
    expect(allowed).toBe(100);
  });

  it('answers every held request when the gate refuses, and asks again with the next', async () => {
    const pod = await scene.pod();
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const held = [client.ask(), client.ask({ ':method': 'POST', 'content-type': 'application/grpc' }, 'x')];
    await until('held', () => resolver.tally.open === 2);

    resolver.gate.waiting.splice(0).forEach(({ reject }) => reject(new GateError('timed out', WEB, 'no pod became ready')));
    const [plain, grpc] = await Promise.all(held);
    resolver.gate.ready(pod);

    expect(plain?.status).toBe(504);
    expect(plain?.body.toString()).toBe('shop/web:80: timed out: no pod became ready\n');
    expect(grpc?.status).toBe(200);
    expect(grpc?.headers['grpc-status']).toBe('4');
    expect(grpc?.headers['grpc-message']).toBe('shop/web:80: timed out: no pod became ready');
    await expect(client.ask()).resolves.toMatchObject({ status: 200 });
  });
});
