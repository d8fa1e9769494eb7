import type { PrometheusTriggerMetadata } from '@elasti/api';
import { FakeClock, settle } from '@elasti/operator-kit/testing';
import { PrometheusClient } from './prometheus-client';
import { parsePrometheusMetadata } from './prometheus-metadata';
import { PrometheusTrigger } from './prometheus-trigger';
import { QueryRound } from './query-round';
import { isHealthQuery, type Reply, sample, ScriptedTransport } from './query-transport.fixture';

function setup(reply: (query: string, origin: string) => Reply, maxPerServer = 2) {
  const transport = new ScriptedTransport((query, { origin }) => reply(query, origin));
  const clock = new FakeClock();
  const abort = new AbortController();
  const client = new PrometheusClient(transport, clock);
  const newRound = () => new QueryRound(client, { nowMs: clock.now(), maxPerServer, signal: abort.signal });
  return { transport, clock, abort, newRound };
}

function trigger({
  cooldownS = 900,
  host = 'one',
  ...metadata
}: { cooldownS?: number; host?: string } & Partial<PrometheusTriggerMetadata>) {
  const question = parsePrometheusMetadata({ serverAddress: `http://${host}`, query: 'q', threshold: '1', ...metadata }, {});
  return new PrometheusTrigger(question, cooldownS);
}

const manyQueries = (count: number, host?: string) => Array.from({ length: count }, (_, index) => trigger({ host, query: `q${index}` }));
const healthy = (query: string, other: Reply) => (isHealthQuery(query) ? sample(1) : other);

describe('QueryRound', () => {
  it('asks once what several triggers ask', async () => {
    const { transport, newRound } = setup((query) => healthy(query, sample(3)));
    const round = newRound();

    const outcomes = await Promise.all(['1', '3', '4'].map((threshold) => round.evaluate(trigger({ threshold }))));

    expect(outcomes).toEqual(['busy', 'busy', 'idle']);
    expect(transport.queries).toHaveLength(2);
  });

  it('asks once for the health of a server that several triggers ask different things', async () => {
    const { transport, newRound } = setup((query) => healthy(query, sample(3)));
    const round = newRound();

    await Promise.all(manyQueries(5).map((each) => round.evaluate(each)));

    expect(transport.queries.filter(isHealthQuery)).toHaveLength(1);
    expect(transport.queries).toHaveLength(6);
  });

  it.each([
    ['another server', { host: 'two' }],
    ['another path', { serverAddress: 'http://one/other' }],
    ['other headers', { headers: { authorization: 'Bearer other' } }],
    ['another filter', { uptimeFilter: 'job="prom"' }],
    ['another cooldown', { cooldownS: 901 }],
  ])('asks %s for itself', async (_what, difference) => {
    const { transport, newRound } = setup((query) => healthy(query, sample(3)));
    const round = newRound();

    await Promise.all([round.evaluate(trigger({})), round.evaluate(trigger(difference))]);

    expect(transport.queries.filter(isHealthQuery)).toHaveLength(2);
  });

  it('takes headers in another order for the same', async () => {
    const { transport, newRound } = setup((query) => healthy(query, sample(3)));
    const round = newRound();

    await Promise.all([round.evaluate(trigger({ headers: { a: '1', b: '2' } })), round.evaluate(trigger({ headers: { b: '2', A: '1' } }))]);

    expect(transport.queries).toHaveLength(2);
  });

  it('asks anew in the next round', async () => {
    const { transport, newRound } = setup((query) => healthy(query, sample(3)));

    await newRound().evaluate(trigger({}));
    await newRound().evaluate(trigger({}));

    expect(transport.queries).toHaveLength(4);
  });

  it('has no more queries open at one server than it may, and answers all', async () => {
    const { transport, newRound } = setup((query) => healthy(query, sample(0)), 3);
    const round = newRound();

    const outcomes = await Promise.all(manyQueries(20).map((each) => round.evaluate(each)));

    expect(new Set(outcomes)).toEqual(new Set(['idle']));
    expect(transport.mostOpen).toBe(3);
  });

  it('does not let a server wait for one that does not answer', async () => {
    const { newRound } = setup((query, origin) => (origin === 'http://slow' ? 'silence' : healthy(query, sample(0))));
    const round = newRound();
    const answered: string[] = [];

    for (let cooldownS = 1; cooldownS < 50; cooldownS++)
      void round.evaluate(trigger({ host: 'slow', cooldownS })).then(() => answered.push('slow'));
    for (const each of manyQueries(3, 'fast')) void round.evaluate(each).then(() => answered.push('fast'));
    await settle();

    expect(answered).toEqual(['fast', 'fast', 'fast']);
  });

  it('gives up on a server that answers nothing, so that the round ends', async () => {
    const { transport, clock, newRound } = setup(() => 'silence');
    const round = newRound();
    const outcomes = Promise.all(Array.from({ length: 50 }, (_, index) => round.evaluate(trigger({ cooldownS: index + 1 }))));

    await clock.advance(5_000);

    expect(await outcomes).toEqual(Array(50).fill({ error: expect.objectContaining({ failure: 'timeout' }) }));
    expect(transport.requests).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('goes on asking a server that answers others', async () => {
    const { clock, newRound } = setup((query) =>
      query === 'q1' || query === 'q2' || query === 'q3' ? 'silence' : healthy(query, sample(0)),
    );
    const round = newRound();
    const outcomes = Promise.all(manyQueries(8).map((each) => round.evaluate(each)));

    await clock.advance(10_000);

    expect((await outcomes).filter((outcome) => outcome === 'idle')).toHaveLength(5);
  });

  it('shares the failure of a query with all who asked it', async () => {
    const { transport, newRound } = setup((query) => healthy(query, new Error('broken')));
    const round = newRound();

    const outcomes = await Promise.all([round.evaluate(trigger({})), round.evaluate(trigger({}))]);

    expect(outcomes).toEqual(Array(2).fill({ error: expect.objectContaining({ failure: 'unreachable' }) }));
    expect(transport.queries).toHaveLength(2);
  });

  it('ends with its signal: what is open and what waits', async () => {
    const { transport, clock, abort, newRound } = setup((query) => healthy(query, 'silence'));
    const round = newRound();
    const settled = Promise.allSettled(manyQueries(10).map((each) => round.evaluate(each)));
    await settle();

    abort.abort(new Error('stopping'));

    expect(await settled).toEqual(Array(10).fill({ status: 'rejected', reason: new Error('stopping') }));
    expect([transport.requests.length, transport.open, clock.pendingTimers]).toEqual([3, 0, 0]);
  });

  it('asks nothing after its signal', async () => {
    const { transport, abort, newRound } = setup((query) => healthy(query, sample(0)));
    abort.abort(new Error('stopping'));

    await expect(newRound().evaluate(trigger({}))).rejects.toThrow('stopping');
    expect(transport.requests).toEqual([]);
  });
});
