import { Resolver, RawClient, RawPod, until } from './resolver-http1.fixture';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('the forwarder between one client and one pod', () => {
  const started: { stop(): Promise<void> }[] = [];
  const clients: RawClient[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.socket.destroy();
    for (const one of started.splice(0).reverse()) await one.stop();
  });

  async function setup(options: Parameters<typeof Resolver.start>[0] & { pod?: Parameters<typeof RawPod.start>[0] } = {}) {
    const pod = await RawPod.start(options.pod ?? ((socket) => void socket.write(OK)));
    const resolver = await Resolver.start(options);
    started.push(pod, resolver);
    resolver.gate.ready(pod);
    const client = await RawClient.connect(resolver.port);
    clients.push(client);
    return { pod, resolver, client, gate: resolver.gate };
  }

  it('passes a request on and its answer back', async () => {
    const { client, pod } = await setup();

    client.send('GET /x?y=1 HTTP/1.1\r\nHost: web\r\n\r\n');

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(pod.received).toMatch(/^GET \/x\?y=1 HTTP\/1\.1\r\nHost: web\r\n/);
  });

  it('uses one connection on each side for one request after the other, and gives every lease back', async () => {
    const { client, pod, gate, resolver } = await setup();

    for (let i = 1; i <= 5; i++) {
      client.send('GET / HTTP/1.1\r\nHost: web\r\n\r\n');
      await client.until((one) => one.text.length === OK.length * i);
    }

    expect(pod.connections).toHaveLength(1);
    expect(gate.outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done', 'done', 'done']);
    expect(resolver.tally).toMatchObject({ open: 0, statuses: [200, 200, 200, 200, 200] });
  });

  it('leaves nothing open after a stop', async () => {
    const { client, resolver, pod } = await setup();
    await client.send('GET / HTTP/1.1\r\nHost: web\r\n\r\n').until(/ok$/);

    await resolver.stop();

    await client.until(({ closed, ended }) => closed || ended);
    await until('the pod to be left', () => pod.connections.every(({ destroyed, readableEnded }) => destroyed || readableEnded));
    expect(resolver.forwarder.openConnections).toBe(0);
    expect(resolver.forwarder.pools.openConnections).toBe(0);
  });
});
