import { GateError } from '../../apps/resolver/src/exchange';
import { H2Scene } from './resolver-h2.fixture';
import { until, WEB } from './resolver-http1.fixture';

describe("an answer of the resolver's own on HTTP/2", () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  const unknown = (): GateError => new GateError('unknown', WEB, 'no ElastiService speaks for the Service');
  const full = (): GateError => new GateError('queue full', WEB, 'too many requests wait here already', 5);

  it('tells the client to go where a new connection may lead to a pod: no service has the name', async () => {
    const resolver = await scene.resolver({ target: 'by request' });
    const client = scene.client(resolver);

    const { status } = await client.ask();
    await until('the end of the connection', () => client.closed);

    expect([status, client.goaways[0], resolver.tally.refusals]).toEqual([404, 0, ['somebody unknown']]);
  });

  it('tells the client to go when nobody speaks for its service any more, and serves what else it asked for', async () => {
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const refused = client.ask();
    await until('the first is held', () => resolver.gate.waiting.length === 1);
    const served = client.ask();
    await until('both are held', () => resolver.gate.waiting.length === 2);

    resolver.gate.waiting.shift()?.reject(unknown());
    const first = await refused;
    await until('the client is told', () => client.goaways.length > 0);
    resolver.gate.ready(await scene.pod());
    const second = await served;
    await until('the end of the connection', () => client.closed);

    expect([first.status, second.status]).toEqual([404, 200]);
  });

  it('leaves the connection as it is where the next may be served on it: the queue is full', async () => {
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const refused = client.ask();
    await until('it is held', () => resolver.gate.waiting.length === 1);

    resolver.gate.waiting.shift()?.reject(full());
    const first = await refused;
    resolver.gate.ready(await scene.pod());
    const second = await client.ask();

    expect([first.status, second.status, client.goaways]).toEqual([503, 200, []]);
  });

  it('leaves the connection as it is where no pod was asked for', async () => {
    const resolver = await scene.resolver({ policy: { answerInstead: () => ({ status: 200, text: 'up' }) } });
    const client = scene.client(resolver);

    const answers = [await client.ask(), await client.ask()];

    expect([...answers.map(({ status }) => status), client.goaways]).toEqual([200, 200, []]);
  });

  it('tells the client to go when the process is about to end', async () => {
    const resolver = await scene.resolver({ policy: { answerInstead: () => ({ status: 200, text: 'up' }) } });
    const client = scene.client(resolver);

    resolver.forwarder.tellToGo();
    const { status } = await client.ask();
    await until('the end of the connection', () => client.closed);

    expect(status).toBe(200);
  });

  it.each([
    ['HTTP', 'application/json', { ':status': 431, 'content-type': 'text/plain; charset=utf-8' }],
    ['gRPC', 'application/grpc', { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '8' }],
  ])('says in words of %s that the head of a request is too large', async (_, contentType, expected) => {
    const resolver = await scene.resolver();
    const fields = Object.fromEntries(Array.from({ length: 300 }, (__, at) => [`x-${at}`, 'v']));

    const { headers } = await scene.client(resolver).ask({ ':method': 'POST', 'content-type': contentType, ...fields });

    expect(headers).toMatchObject(expected);
  });
});
