import { FakeClock, type ScriptedOutcome, ScriptedServer, ScriptedStream, settle } from '../testing';
import { Pod } from './builtins';
import { KubeClient } from './kube-client';
import { GoneError, ServerError, TransportError } from './kube.errors';

const added = (name: string) => ({ type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name } } });

function setup(options: { signal?: AbortSignal; maxEventBytes?: number; outcome?: ScriptedOutcome } = {}) {
  const server = new ScriptedServer();
  const clock = new FakeClock();
  const stream = new ScriptedStream();
  server.script(options.outcome ?? stream);
  const client = KubeClient.forServer({
    server: 'https://api.example',
    poolFactory: server.poolFactory,
    clock,
    maxEventBytes: options.maxEventBytes,
  });
  const events = client.watch(Pod, { namespace: 'shop', resourceVersion: '7', allowWatchBookmarks: true, signal: options.signal });
  const iterator = events[Symbol.asyncIterator]();
  const leave = () => iterator.return?.();
  return { server, clock, stream, events, iterator, leave };
}

async function consume(iterator: AsyncIterator<{ object: { metadata: { name?: string } } }>) {
  const names: (string | undefined)[] = [];
  let failure: unknown;
  const done = (async () => {
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) names.push(next.value.object.metadata.name);
    } catch (error) {
      failure = error;
    }
  })();
  await settle();
  return { names, done, failure: () => failure };
}

describe('a watch', () => {
  it('asks for what it was told to', async () => {
    const { server, iterator, leave } = setup();

    void iterator.next();
    await settle();

    expect(server.requests[0]?.path).toBe('/api/v1/namespaces/shop/pods?watch=true&allowWatchBookmarks=true&resourceVersion=7');
    await leave();
  });

  it('hands out events in order and ends when the server ends the answer', async () => {
    const { stream, iterator } = setup();
    const { names, done, failure } = await consume(iterator);

    stream.send(added('a'), added('b'));
    stream.send(added('c'));
    stream.end();
    await done;

    expect(names).toEqual(['a', 'b', 'c']);
    expect(failure()).toBeUndefined();
  });

  it('fails with a TransportError when the connection breaks, after the events that came before', async () => {
    const { stream, iterator } = setup();
    const { names, done, failure } = await consume(iterator);

    stream.send(added('a'));
    stream.break(new Error('other side closed'));
    await done;

    expect(names).toEqual(['a']);
    expect(failure()).toBeInstanceOf(TransportError);
  });

  it('fails with the typed error of an ERROR event and closes the connection', async () => {
    const { stream, iterator } = setup();
    const { done, failure } = await consume(iterator);

    stream.send({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } });
    await done;

    expect(failure()).toBeInstanceOf(GoneError);
    expect(stream.aborted).toBe(true);
  });

  it('treats an ERROR event without a code as the trouble of the server', async () => {
    const { stream, iterator } = setup();
    const { done, failure } = await consume(iterator);

    stream.send({ type: 'ERROR', object: { kind: 'Status', message: 'etcd is away' } });
    await done;

    expect(failure()).toBeInstanceOf(ServerError);
  });

  it('takes a line that is cut off at the end for a broken stream, without quoting it', async () => {
    const { stream, iterator } = setup();
    const { done, failure } = await consume(iterator);

    stream.sendBytes('{"type":"ADDED","object":{"metadata":{"name":"priv');
    stream.end();
    await done;

    expect(failure()).toBeInstanceOf(TransportError);
    expect(String((failure() as Error).stack)).not.toContain('priv');
  });

  it('closes the connection when the loop is left', async () => {
    const { stream, events } = setup();

    const looping = (async () => {
      for await (const event of events) if (event.object.metadata.name === 'a') break;
    })();
    await settle();
    stream.send(added('a'), added('b'));
    await looping;

    expect(stream.aborted).toBe(true);
  });

  it('ends a pending step when it is left from elsewhere', async () => {
    const { stream, iterator, leave } = setup();
    const pending = iterator.next();
    await settle();

    await leave();

    await expect(pending).resolves.toEqual({ done: true, value: undefined });
    expect(stream.aborted).toBe(true);
  });

  it("fails with the signal's reason, at once and whatever has arrived, when aborted", async () => {
    const giveUp = new AbortController();
    const reason = new Error('stopping');
    const { stream, iterator, clock } = setup({ signal: giveUp.signal });
    const first = iterator.next();
    await settle();
    stream.send(added('a'), added('b'));
    await first;

    giveUp.abort(reason);

    await expect(iterator.next()).rejects.toBe(reason);
    expect(stream.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('reads no further ahead than its limit, and goes on when the consumer does', async () => {
    const { stream, iterator, leave } = setup();
    const first = iterator.next();
    await settle();

    stream.send(added('a'));
    await first;
    const big = added('x'.repeat(100 * 1024));
    stream.send(big);
    stream.send(big);
    const before = stream.paused;
    stream.send(big);
    const full = stream.paused;
    for (let i = 0; i < 3; i++) await iterator.next();
    void iterator.next();
    await settle();

    expect([before, full, stream.paused]).toEqual([false, true, false]);
    await leave();
  });

  it('loses nothing of what waited while it was paused', async () => {
    const { stream, iterator, leave } = setup();
    const first = iterator.next();
    await settle();

    stream.send(added('a'));
    await first;
    stream.send(added('x'.repeat(300 * 1024)));
    stream.send(added('last'));
    await iterator.next();

    await expect(iterator.next()).resolves.toMatchObject({ value: { object: { metadata: { name: 'last' } } } });
    await leave();
  });

  it('refuses an event beyond its size limit', async () => {
    const { stream, iterator } = setup({ maxEventBytes: 100 });
    const { done, failure } = await consume(iterator);

    stream.send(added('x'.repeat(200)));
    await done;

    expect(failure()).toBeInstanceOf(TransportError);
    expect(String(failure())).toContain('maxEventBytes');
  });

  it('gives up when the server does not answer in time', async () => {
    const { iterator, clock } = setup({ outcome: 'silence' });

    const failed = iterator.next().catch((error: unknown) => error);
    await clock.advance(30_000);

    expect(String(await failed)).toContain('no answer within 30000 ms');
    expect(clock.pendingTimers).toBe(0);
  });

  it('has no limit of time once the server has answered', async () => {
    const { iterator, clock, stream, leave } = setup();
    const pending = iterator.next();
    await settle();

    await clock.advance(3_600_000);
    stream.send(added('late'));

    await expect(pending).resolves.toMatchObject({ value: { object: { metadata: { name: 'late' } } } });
    await leave();
  });

  it('can be aborted before the server answers', async () => {
    const giveUp = new AbortController();
    const reason = new Error('stopping');
    const { iterator, clock } = setup({ signal: giveUp.signal, outcome: 'silence' });

    const failed = iterator.next().catch((error: unknown) => error);
    await settle();
    giveUp.abort(reason);

    expect(await failed).toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  it('opens again, once, over a connection that turned out to be dead', async () => {
    const { server, iterator } = setup({ outcome: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    server.script({ body: '' });

    await expect(iterator.next()).resolves.toEqual({ done: true, value: undefined });

    expect(server.requests).toHaveLength(2);
  });
});
