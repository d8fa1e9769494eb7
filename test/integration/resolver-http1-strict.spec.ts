import { PartialHeads } from '../../apps/resolver/src/http1';
import { ATTACKS, BAD_CHUNKS } from '../../apps/resolver/src/http1/attack-cases.fixture';
import { GET, OK, RawClient, Scene, settled, until } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => {
  jest.restoreAllMocks();
  return scene.stop();
});

describe('a request with two meanings', () => {
  it.each(ATTACKS)('is refused as the first of a connection: %s', async (_name, status, request) => {
    const { client, pod } = await scene.all(undefined, {
      target: 'by request',
      policy: { targetOf: () => ({ namespace: 'a', service: 'b', port: 1 }) },
    });

    await client.send(`${request}${GET}`).until(({ ended }) => ended);

    expect(client.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*Connection: close`));
    expect(client.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(pod.received).toBe('');
  });

  it.each(ATTACKS)(
    'is refused on the port of a service, or passed as it is when it is not taken for HTTP: %s',
    async (_name, status, request) => {
      const { client, pod } = await scene.all();

      await client.send(`${request}${GET}`).until(({ text }) => text !== '');

      if (client.text === OK) expect(pod.received).toBe(`${request}${GET}`);
      else expect([client.text.slice(0, 12), pod.received]).toEqual([`HTTP/1.1 ${status}`, '']);
    },
  );

  it('is refused behind a good one, with nothing of it at the pod', async () => {
    const { client, pod, resolver } = await scene.all();

    for (const [, status, request] of ATTACKS.slice(0, 3)) {
      const other = await RawClient.connect(client.socket.remotePort ?? 0);
      scene.add({ stop: () => void other.socket.destroy() });
      await other.send(`${GET}${request}${GET}`).until(({ ended }) => ended);
      expect(other.text).toMatch(new RegExp(`^HTTP/1\\.1 200 [^]*okHTTP/1\\.1 ${status} `));
    }

    expect(pod.received.match(/ HTTP\/1\.1\r\n/g)).toHaveLength(3);
    expect(resolver.tally.refusals).toEqual(Array.from({ length: 3 }, () => 'shop/web malformed'));
  });

  it.each(BAD_CHUNKS)('is refused in its body: %s', async (_name, body) => {
    const { client, pod, resolver } = await scene.all(() => undefined);

    client.send(`POST / HTTP/1.1\r\nHost: web\r\nTransfer-Encoding: chunked\r\n\r\n${body}${GET}`);
    await client.until(({ ended }) => ended);

    expect(resolver.tally.refusals).toEqual(['shop/web malformed']);
    expect(client.text).toMatch(/^HTTP\/1\.1 400 [^]*the chunked body is malformed\n$/);
    expect(pod.received).not.toContain('GET');
  });

  it('still lets its answer be read by a client that goes on sending', async () => {
    const { client } = await scene.all();

    client.send(`GET / HTTP/1.1\r\nHost: web\r\nBad Name: x\r\n\r\n`);
    for (let i = 0; i < 50; i++) client.send('a'.repeat(10_000));

    await client.until(({ ended }) => ended);
    expect(client.error).toBeUndefined();
    expect(client.text).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a client that sends without reading', () => {
  it('is stopped before its answers pile up', async () => {
    const body = 'a'.repeat(8 * 1024);
    const { client, resolver } = await scene.all((socket) => void socket.write(OK.replace('2\r\n\r\nok', `${body.length}\r\n\r\n${body}`)));
    client.socket.pause();

    for (let i = 0; i < 5_000; i++) client.send(GET);
    await expect(settled(() => resolver.tally.statuses.length)).resolves.toBeLessThan(2_500);
    client.socket.resume();

    await until('all answers', () => resolver.tally.statuses.length === 5_000, 30_000);
  }, 40_000);
});

describe('heads that do not end', () => {
  it('share one memory: a client for whose head there is no room is told to come back', async () => {
    const { client, resolver, pod } = await scene.all();
    jest.spyOn(PartialHeads.prototype, 'take').mockReturnValue(false);

    await client.send('GET / HTTP/1.1\r\nHost: ').until(({ ended }) => ended);

    expect(client.text).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: 5\r\n[^]*Connection: close\r\n/);
    expect([resolver.tally.refusals, pod.connections.length]).toEqual([['shop/web queue full'], 0]);
  });

  it('give their memory back, of however many clients', async () => {
    const spies = (['take', 'giveBack'] as const).map((name) => jest.spyOn(PartialHeads.prototype, name));
    const moved = (at: number): number => spies[at]?.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0) ?? 0;
    const { resolver } = await scene.all();
    const others = await Promise.all(Array.from({ length: 20 }, () => scene.client(resolver)));
    for (const other of others) other.send(`GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}`);
    await until('them to be read', () => moved(0) > 20 * 20_000);

    for (const one of others.slice(0, 10)) one.socket.destroy();
    for (const one of others.slice(10)) await one.send('\r\nHost: web\r\n\r\n').until(/ok$/);

    await until('all to be given back', () => moved(0) === moved(1));
  });
});
