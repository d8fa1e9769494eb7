import { createHash } from 'node:crypto';
import { eventually } from '../../eventually';
import type { Address, HttpResult } from './caller';
import type { PortName } from './sleepers';
import { wakingOf } from './stock';
import type { World } from './world';

/** As test/fixtures/echo describes a request. */
interface Description {
  readonly pod: string;
  readonly host: string;
  readonly port: number;
  readonly length: number;
  readonly sha256: string;
  readonly trailers: Readonly<Record<string, string>>;
}

const described = ({ body }: HttpResult) => JSON.parse(body) as Description;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const mebibyte = 'x'.repeat(1 << 20);
const pieces = ['first ', 'second ', 'third'];

/** HTTP/1.1 of every shape to a service at zero replicas. */
export function describeHttp(world: World): void {
  const podName = async (sleeper: string) => (await world.sleepers.podOf(sleeper)).metadata.name;
  const address = (sleeper: string, port: PortName = 'http'): Address => world.sleepers.addressOf(sleeper, port);

  describe('HTTP/1.1', () => {
    it('holds the first request, whatever its Host, until the pod has answered it, and tells how long that took when asked', async () => {
      await world.sleepers.asleep('get', world.caller);

      const headers = { host: 'shop.example.com', 'x-elasti-timing': '1' };
      const answer = await world.caller.request(address('get'), { headers, path: '/a/b?c=d' });

      expect(answer).toMatchObject({ status: 200, headers: { 'server-timing': expect.stringMatching(/^held;dur=\d.*ready;dur=\d/) } });
      expect(described(answer)).toMatchObject({ pod: await podName('get'), host: 'shop.example.com', url: '/a/b?c=d', port: 8080 });
      expect(answer.trailers).toEqual({ 'x-pod': await podName('get') });
    });

    it('passes on the whole of a body that is larger than what it keeps', async () => {
      await world.sleepers.asleep('post', world.caller);

      const headers = { 'content-length': String(mebibyte.length) };
      const answer = await world.caller.request(address('post'), { method: 'POST', headers, body: mebibyte });

      expect(answer.status).toBe(200);
      expect(described(answer)).toMatchObject({ pod: await podName('post'), length: mebibyte.length, sha256: sha256(mebibyte) });
    });

    it('passes on a chunked body and its trailers', async () => {
      await world.sleepers.asleep('chunked', world.caller);

      const answer = await world.caller.request(address('chunked'), { method: 'PUT', pieces });

      expect(answer.status).toBe(200);
      expect(described(answer)).toMatchObject({ sha256: sha256(pieces.join('')), trailers: { 'x-sent': '3' } });
    });

    it('lets a client that waits to be told send its body', async () => {
      await world.sleepers.asleep('expect', world.caller);

      const headers = { expect: '100-continue', 'content-length': '5' };
      const answer = await world.caller.request(address('expect'), { method: 'POST', headers, body: 'hello' });

      expect(answer).toMatchObject({ status: 200, continued: 'yes' });
      expect(described(answer).sha256).toBe(sha256('hello'));
    });

    it('knows the second port of a Service from the first', async () => {
      await world.sleepers.asleep('second', world.caller);

      const answer = await world.caller.request(address('second', 'second'));

      expect(answer.status).toBe(200);
      expect(described(answer)).toMatchObject({ pod: await podName('second'), port: 8081 });
    });

    it('passes TLS on unopened', async () => {
      await world.sleepers.asleep('tls', world.caller);

      const tls = { ca: world.sleepers.authority.ca, servername: 'sleeper.example' };
      const answer = await world.caller.request(address('tls', 'tls'), { tls });

      expect(answer.status).toBe(200);
      expect(described(answer)).toMatchObject({ pod: await podName('tls'), port: 8443 });
    });

    it.each([
      ['a request', 'get', 'http', undefined],
      ['a request over TLS', 'tls', 'tls', 'sleeper.example'],
    ] as const)('answers %s that comes while the target wakes', async (_what, sleeper, port, servername) => {
      const waking = wakingOf(sleeper);
      await world.sleepers.asleep(waking, world.caller);
      const tls = servername && { ca: world.sleepers.authority.ca, servername };
      const spec = { kind: 'request', ...address(waking, port), tls };

      const calls = [await world.caller.begin<HttpResult>(spec)];
      const pod = await podName(waking);
      calls.push(await world.caller.begin<HttpResult>(spec));
      await world.untilOpen(waking, 2, await world.elasti.resolvers());
      await world.sleepers.letStart(waking, world.caller);

      for (const call of calls) expect(described(await call.result())).toMatchObject({ pod });
    });

    it('passes TLS through a resolver while the target is awake', async () => {
      await world.sleepers.roused('tls', world.caller);
      const route = { host: (await world.elasti.resolver()).ip, port: await world.sleepers.routeOf('tls', 'tls') };

      const answer = await world.caller.request(route, { tls: { ca: world.sleepers.authority.ca, servername: 'sleeper.example' } });

      expect(described(answer)).toMatchObject({ pod: await podName('tls'), port: 8443 });
    });

    it('takes a GET to the next pod when its pod dies over it, and a POST to nobody else', async () => {
      await world.sleepers.roused('get', world.caller);
      const pod = await world.sleepers.podOf('get');
      const resolver = await world.elasti.resolver();
      const route = { host: resolver.ip, port: await world.sleepers.routeOf('get', 'http') };
      const ask = (method: string) => ({ kind: 'request', ...route, method, path: `/?id=${method}&unless=${pod.metadata.name}` });
      const seen = async (ip: string, method: string) => {
        const { body } = await world.caller.request({ host: ip, port: 8080 }, { path: `/seen?id=${method}` });
        return (JSON.parse(body) as { times: number }).times;
      };

      const get = await world.caller.begin<HttpResult>(ask('GET'));
      const post = await world.caller.begin<HttpResult>(ask('POST'));
      for (const method of ['GET', 'POST']) {
        await eventually(`${method} at the pod`, async () => ((await seen(pod.status?.podIP ?? '', method)) === 1 ? true : undefined));
      }
      await world.sleepers.deletePod(pod.metadata.name ?? '');
      const [got, posted] = [await get.result(), await post.result()];

      const next = await world.sleepers.podOf('get');
      expect(got.status).toBe(200);
      expect(described(got).pod).toBe(next.metadata.name);
      expect(posted.status).toBe(502);
      expect(await seen(next.status?.podIP ?? '', 'POST')).toBe(0);
    });

    it('leaves the end of a TLS connection to its client when the pod dies, and takes the next one to the next pod', async () => {
      await world.sleepers.roused('tls', world.caller);
      const pod = await world.sleepers.podOf('tls');
      const resolver = await world.elasti.resolver();
      const route = { host: resolver.ip, port: await world.sleepers.routeOf('tls', 'tls') };
      const tls = { ca: world.sleepers.authority.ca, servername: 'sleeper.example' };

      const call = await world.caller.begin<HttpResult>({ kind: 'request', ...route, tls, path: `/?id=a&unless=${pod.metadata.name}` });
      await eventually('the request at the pod', async () => {
        const { body } = await world.caller.request({ host: pod.status?.podIP ?? '', port: 8443 }, { tls, path: '/seen?id=a' });
        return (JSON.parse(body) as { times: number }).times === 1 ? true : undefined;
      });
      await world.sleepers.deletePod(pod.metadata.name ?? '');
      const cutOff = await call.result();
      const answer = await world.caller.request(route, { tls });

      expect(cutOff).toEqual({ error: 'ECONNRESET' });
      expect(described(answer).pod).toBe(await podName('tls'));
    });
  });
}
