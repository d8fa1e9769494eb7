import { eventually } from '../../eventually';
import { streamingProtocols } from './protocols';
import { wakingOf } from './stock';
import type { PortName } from './sleepers';
import type { World } from './world';

interface GrpcResult {
  readonly grpcStatus?: string;
  readonly said: readonly string[];
}

/** Everything that is not a plain request, in the situations that a client can meet. */
export function describeProtocols(world: World): void {
  const podName = async (sleeper: string) => (await world.sleepers.podOf(sleeper)).metadata.name ?? '';
  const routeOf = async (sleeper: string, port: PortName) => ({
    host: (await world.elasti.resolver()).ip,
    port: await world.sleepers.routeOf(sleeper, port),
  });

  describe.each(streamingProtocols)('$title', ({ sleeper, port, talk, heard, stay, eventsBefore, cutOff }) => {
    it('is held while the target sleeps', async () => {
      await world.sleepers.asleep(sleeper, world.caller);

      const result = await world.caller.call<object>(talk(world.sleepers.addressOf(sleeper, port)));

      expect(result).toMatchObject(heard(await podName(sleeper)));
    });

    it('is held while the target wakes, behind the one that woke it', async () => {
      const waking = wakingOf(sleeper);
      await world.sleepers.asleep(waking, world.caller);
      const spec = () => talk(world.sleepers.addressOf(waking, port));

      const calls = [await world.caller.begin<object>(spec())];
      const pod = await podName(waking);
      calls.push(await world.caller.begin<object>(spec()));
      await world.untilOpen(waking, 2, await world.elasti.resolvers());
      await world.sleepers.letStart(waking, world.caller);

      for (const call of calls) expect(await call.result()).toMatchObject(heard(pod));
    });

    it('goes through a resolver while the target is awake', async () => {
      await world.sleepers.roused(sleeper, world.caller);

      const result = await world.caller.call<object>(talk(await routeOf(sleeper, port)));

      expect(result).toMatchObject(heard(await podName(sleeper)));
    });

    it('is cut off, and not ended as if it were whole, when its pod goes; the next one waits for the next pod', async () => {
      await world.sleepers.roused(sleeper, world.caller);
      const pod = await podName(sleeper);
      const route = await routeOf(sleeper, port);

      const call = await world.caller.begin<object>(stay(route, pod));
      await call.seen(eventsBefore);
      await world.sleepers.deletePod(pod);
      const left = await call.result();
      const next = await world.caller.call<object>(talk(route));

      expect(left).toMatchObject(cutOff(pod));
      expect(left).not.toMatchObject(heard(pod));
      const nextPod = await podName(sleeper);
      expect(nextPod).not.toBe(pod);
      expect(next).toMatchObject(heard(nextPod));
    });
  });

  it('lets the server speak first where the annotation of the Service says so', async () => {
    await world.sleepers.asleep('noted', world.caller);

    const address = world.sleepers.addressOf('noted', 'greeter');
    const { said } = await world.caller.call<{ said: string[] }>({ kind: 'tcp', ...address, lines: [], greeted: true });

    expect(said).toEqual([`220 ${await podName('noted')}`, 'bye']);
  });

  describe('h2c by prior knowledge', () => {
    const ask = async (path: string, address: { host: string; port: number }) =>
      world.caller.call<{ status: number; body: string }>({ kind: 'h2', ...address, path });

    it('is held while the target sleeps', async () => {
      await world.sleepers.asleep('h2c', world.caller);

      const { status, body } = await ask('/a?b', world.sleepers.addressOf('h2c', 'h2c'));

      expect(status).toBe(200);
      expect(JSON.parse(body)).toMatchObject({ pod: await podName('h2c'), url: '/a?b' });
    });

    it('gives a request that may be repeated to the next pod when its own dies over it', async () => {
      await world.sleepers.roused('h2c', world.caller);
      const pod = await podName('h2c');
      const resolver = await world.elasti.resolver();
      const route = { host: resolver.ip, port: await world.sleepers.routeOf('h2c', 'h2c') };

      const call = await world.caller.begin<{ status: number; body: string }>({ kind: 'h2', ...route, path: `/?unless=${pod}` });
      await world.untilOpen('h2c', 1, [resolver]);
      await world.sleepers.deletePod(pod);
      const { status, body } = await call.result();

      expect(status).toBe(200);
      expect(JSON.parse(body)).toMatchObject({ pod: await podName('h2c') });
    });

    it('holds a hundred streams of one connection', async () => {
      await world.sleepers.asleep('streams', world.caller);

      const address = world.sleepers.addressOf('streams', 'h2c');
      const { statuses } = await world.caller.call<{ statuses: number[] }>({ kind: 'h2streams', ...address, count: 100 });

      expect(statuses).toEqual(Array.from({ length: 100 }, () => 200));
    });
  });

  describe('gRPC', () => {
    const grpc = (address: { host: string; port: number }, method: string, messages: string[]) => ({
      kind: 'grpc',
      ...address,
      method,
      messages,
    });

    it.each([
      ['a unary call', 'grpc-unary', 'Unary', ['hello'], (pod: string) => [`${pod} hello`]],
      ['a stream of answers', 'grpc-count', 'Count', ['go'], (pod: string) => [`${pod} 1`, `${pod} 2`, `${pod} 3`]],
      ['a stream of messages', 'grpc-join', 'Join', ['a', 'b', 'c'], (pod: string) => [`${pod} a+b+c`]],
    ])('holds %s while the target sleeps, and gives the answer with its status', async (_what, sleeper, method, messages, said) => {
      await world.sleepers.asleep(sleeper, world.caller);

      const result = await world.caller.call<GrpcResult>(grpc(world.sleepers.addressOf(sleeper, 'h2c'), method, messages));

      expect(result).toMatchObject({ grpcStatus: '0', said: said(await podName(sleeper)) });
    });

    it.each([
      ['a stream of answers', 'Count', ['go'], '0', (pod: string) => [`${pod} 1`, `${pod} 2`, `${pod} 3`]],
      ['a stream of messages', 'Join', ['a', 'b', 'c'], '0', (pod: string) => [`${pod} a+b+c`]],
      ['a status that is no answer', 'Fail', ['go'], '5', () => []],
    ])('passes %s through a resolver while the target is awake', async (_what, method, messages, grpcStatus, said) => {
      await world.sleepers.roused('grpc-unary', world.caller);

      const result = await world.caller.call<GrpcResult>(grpc(await routeOf('grpc-unary', 'h2c'), method, messages));

      expect(result).toMatchObject({ grpcStatus, said: said(await podName('grpc-unary')) });
    });

    it('says UNAVAILABLE in its own words when the pod dies over a call', async () => {
      await world.sleepers.roused('grpc-unary', world.caller);
      const pod = await podName('grpc-unary');
      const resolver = await world.elasti.resolver();
      const route = { host: resolver.ip, port: await world.sleepers.routeOf('grpc-unary', 'h2c') };

      const call = await world.caller.begin<GrpcResult>(grpc(route, 'Hang', ['hello']));
      await eventually('the call at the pod', async () => ((await podHas(pod)) > 0 ? true : undefined));
      await world.sleepers.deletePod(pod);

      expect(await call.result()).toMatchObject({ status: 200, contentType: 'application/grpc', grpcStatus: '14', said: [] });
    });

    /** How many calls hang at the pod. */
    async function podHas(pod: string): Promise<number> {
      const { status } = await world.sleepers.podOf('grpc-unary');
      const { body } = await world.caller.call<{ body: string }>({ kind: 'h2', host: status?.podIP, port: 8082, path: '/hanging' });
      const told = JSON.parse(body) as { pod: string; hanging: number };
      return told.pod === pod ? told.hanging : 0;
    }
  });
}
