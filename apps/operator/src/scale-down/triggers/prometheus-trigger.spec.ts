import { FakeClock } from '@elasti/operator-kit/testing';
import { PrometheusClient } from './prometheus-client';
import { parsePrometheusMetadata } from './prometheus-metadata';
import { PrometheusTrigger } from './prometheus-trigger';
import { AnswerTooLargeError } from './query-transport';
import { isHealthQuery, type Reply, sample, ScriptedTransport } from './query-transport.fixture';
import type { TriggerFailure } from './trigger-outcome';

const signal = new AbortController().signal;
const nowMs = Date.UTC(2030, 0, 2, 3, 4, 5, 678);

function setup({ health = sample(1), value = sample(0), metadata = {} }: { health?: Reply; value?: Reply; metadata?: object } = {}) {
  const transport = new ScriptedTransport((query) => (isHealthQuery(query) ? health : value));
  const clock = new FakeClock();
  const client = new PrometheusClient(transport, clock);
  const question = parsePrometheusMetadata(
    { serverAddress: 'http://prometheus:9090/base/', query: 'sum(rate(a[1m])) + 1 & "ä"', threshold: '0.5', ...metadata },
    {},
  );
  const evaluate = (abort: AbortSignal = signal) =>
    new PrometheusTrigger(question, 900).evaluate((query) => client.ask(query, nowMs, abort));
  return { transport, clock, evaluate };
}

const failure = (kind: TriggerFailure) => ({ error: expect.objectContaining({ failure: kind }) });

describe('PrometheusTrigger', () => {
  it.each([
    ['0', 'idle'],
    ['0.4999', 'idle'],
    ['-1', 'idle'],
    ['0.5', 'busy'],
    ['7', 'busy'],
  ])('takes %s for %s when the threshold is 0.5', async (value, outcome) => {
    await expect(setup({ value: sample(value) }).evaluate()).resolves.toBe(outcome);
  });

  it('asks whether Prometheus was up for the whole cooldown, and only then the query', async () => {
    const { transport, evaluate } = setup();

    await evaluate();

    expect(transport.queries).toEqual([
      'min_over_time((max(up{container="prometheus"}) or vector(0))[900s:])',
      'sum(rate(a[1m])) + 1 & "ä"',
    ]);
  });

  it('looks for Prometheus itself by the filter of the trigger', async () => {
    const { transport, evaluate } = setup({ metadata: { uptimeFilter: 'job="prom"' } });

    await evaluate();

    expect(transport.queries[0]).toBe('min_over_time((max(up{job="prom"}) or vector(0))[900s:])');
  });

  it('asks for the time of the round, below the path of the address, with its headers', async () => {
    const { transport, evaluate } = setup({ metadata: { headers: { 'X-Scope-OrgID': 'shop' } } });

    await evaluate();

    const [, { origin, path, headers }] = transport.requests as [unknown, (typeof transport.requests)[0]];
    expect(origin).toBe('http://prometheus:9090');
    expect(path).toMatch(
      /^\/base\/api\/v1\/query\?query=sum\(rate\(a%5B1m%5D\)\)%20%2B%201%20%26%20%22%C3%A4%22&time=2030-01-02T03%3A04%3A05Z$/,
    );
    expect(headers).toEqual({ accept: 'application/json', 'x-scope-orgid': 'shop' });
  });

  it.each([sample(0), sample(0.5), sample(2)])(
    'cannot tell when Prometheus was not up all the time, and does not ask on',
    async (health) => {
      const { transport, evaluate } = setup({ health });

      await expect(evaluate()).resolves.toEqual(failure('unhealthy'));
      expect(transport.requests).toHaveLength(1);
    },
  );

  it.each<[TriggerFailure, Reply]>([
    ['status', { statusCode: 503, body: '' }],
    ['status', { statusCode: 302, body: '' }],
    ['status', { statusCode: 204, body: '' }],
    ['status', { statusCode: 422, body: '{"status":"error","errorType":"execution"}' }],
    ['malformed', { statusCode: 200, body: '<html>' }],
    ['unreachable', Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:9090'), { code: 'ECONNREFUSED' })],
    ['too large', new AnswerTooLargeError(5)],
    ['not a number', sample('NaN')],
  ])('cannot tell, for the reason of %s, whether it is the health or the query that fails', async (kind, reply) => {
    await expect(setup({ health: reply }).evaluate()).resolves.toEqual(failure(kind));
    await expect(setup({ value: reply }).evaluate()).resolves.toEqual(failure(kind));
  });

  it('waits five seconds for an answer, and leaves no timer behind', async () => {
    const { clock, evaluate, transport } = setup({ value: 'silence' });
    const outcome = evaluate();

    await clock.advance(4_999);
    expect(transport.open).toBe(1);
    await clock.advance(1);

    await expect(outcome).resolves.toEqual(failure('timeout'));
    expect([transport.open, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('is cut off by the signal, which is no outcome', async () => {
    const { clock, evaluate } = setup({ value: 'silence' });
    const abort = new AbortController();
    const outcome = evaluate(abort.signal);
    await clock.advance(0);

    abort.abort(new Error('stopping'));

    await expect(outcome).rejects.toThrow('stopping');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[Reply, string]>([
    [{ statusCode: 301, body: '' }, 'prometheus:9090 answered 301: redirects are not followed, so name the server it leads to'],
    [{ statusCode: 400, body: '{"errorType":"bad_data","error":"token=hidden"}' }, 'prometheus:9090 answered 400 (bad_data)'],
    [{ statusCode: 500, body: '{"errorType":"hidden"}' }, 'prometheus:9090 answered 500'],
    [{ statusCode: 500, body: 'null' }, 'prometheus:9090 answered 500'],
  ])('says what the server answered, and shows nothing that could be secret', async (value, message) => {
    const outcome = await setup({ value, metadata: { headers: { authorization: 'hidden' } } }).evaluate();

    expect(outcome).toEqual({ error: expect.objectContaining({ message }) });
  });
});
