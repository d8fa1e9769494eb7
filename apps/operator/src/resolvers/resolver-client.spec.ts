import type { RehearsalSubject } from '@elasti/api';
import { FakeClock } from '@elasti/operator-kit/testing';
import { ResolverClient } from './resolver-client';
import { aPod } from './resolver-pod.fixture';
import { networkError, ok, type Reply, ScriptedTransport } from './resolver-transport.fixture';
import type { ResolverRequest } from './resolver-transport';

const { signal } = new AbortController();
const subject: RehearsalSubject = { namespace: 'shop', service: 'web', routes: [{ port: 80, resolverPort: 20_001 }] };
const route = { port: 80, resolverPort: 20_001, listening: true, connects: 'yes' };

function setup(reply: (request: ResolverRequest) => Reply) {
  const clock = new FakeClock();
  const transport = new ScriptedTransport(reply);
  return { clock, transport, client: new ResolverClient(transport, clock, 8013) };
}

describe('ResolverClient', () => {
  it('posts the subjects to the internal port of the pod', async () => {
    const { client, transport } = setup(() => ok({ services: [{ ...subject, routes: [route] }] }));

    const answer = await client.rehearse(aPod(), [subject], signal);

    expect(answer).toEqual([[route]]);
    expect(transport.requests).toEqual([
      {
        pod: aPod(),
        port: 8013,
        method: 'POST',
        path: '/rehearse',
        body: JSON.stringify({ services: [subject] }),
        maxBytes: 4 * 1024 * 1024,
      },
    ]);
  });

  it('asks for the activity of everything, or of one service', async () => {
    const { client, transport } = setup(() => ok({ services: [] }));

    await client.activity(aPod(), signal);
    await client.activity(aPod(), signal, { namespace: 'shop', service: 'web&open=9' });

    expect(transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /activity',
      'GET /activity?namespace=shop&service=web%26open%3D9',
    ]);
  });

  it.each([
    ['a rehearsal', 5_000, (client: ResolverClient) => client.rehearse(aPod(), [subject], signal)],
    ['activity', 2_000, (client: ResolverClient) => client.activity(aPod(), signal)],
  ])('gives up on %s after %d ms and leaves no timer', async (_what, timeoutMs, ask) => {
    const { client, clock } = setup(() => 'silence');
    const outcome = expect(ask(client)).rejects.toThrow(`did not answer within ${timeoutMs / 1000} s`);
    await clock.advance(timeoutMs - 1);
    expect(clock.pendingTimers).toBe(1);

    await clock.advance(1);

    await outcome;
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with the reason of the signal', async () => {
    const { client } = setup(() => 'silence');
    const stop = new AbortController();
    const outcome = client.activity(aPod(), stop.signal);

    stop.abort(new Error('stopping'));

    await expect(outcome).rejects.toThrow('stopping');
  });

  it.each([302, 404, 500, 204])('takes status %d for no answer', async (statusCode) => {
    const { client } = setup(() => ({ ...ok({ services: [] }), statusCode }));

    await expect(client.activity(aPod(), signal)).rejects.toThrow(`answered with status ${statusCode}`);
  });

  it('says that a pod cannot be reached, and how', async () => {
    const { client, transport } = setup(() => networkError('ECONNREFUSED'));

    await expect(client.activity(aPod(), signal)).rejects.toThrow(/^cannot be reached on port 8013 \(ECONNREFUSED\)/);
    expect(transport.requests).toHaveLength(1);
  });

  it('asks once more when a kept connection turns out to be closed', async () => {
    const replies: Reply[] = [networkError('UND_ERR_SOCKET'), ok({ services: [] })];
    const { client } = setup(() => replies.shift() ?? networkError('too many'));

    await expect(client.activity(aPod(), signal)).resolves.toEqual({ services: [] });
  });

  it('does not ask a third time', async () => {
    const { client, transport } = setup(() => networkError('ECONNRESET'));

    await expect(client.activity(aPod(), signal)).rejects.toThrow('ECONNRESET');
    expect(transport.requests).toHaveLength(2);
  });

  it('closes the connections to pods that left', () => {
    const { client, transport } = setup(() => 'silence');

    client.keepOnly([aPod({ address: '10.0.0.2' })]);

    expect(transport.kept).toEqual([['10.0.0.2']]);
  });
});
