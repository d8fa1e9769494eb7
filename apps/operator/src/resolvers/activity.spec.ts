import { FakeClock } from '@elasti/operator-kit/testing';
import { ResolverActivity } from './activity';
import { ResolverClient } from './resolver-client';
import { aPod } from './resolver-pod.fixture';
import { FakePods } from './resolver-pods.fixture';
import type { ResolverPod } from './resolver-pod';
import { networkError, ok, type Reply, ScriptedTransport } from './resolver-transport.fixture';

const { signal } = new AbortController();
const one = aPod();
const two = aPod({ address: '10.0.0.2', podName: 'resolver-2', uid: 'uid-2', state: 'draining' });
const web = { namespace: 'shop', service: 'web' };
const api = { namespace: 'shop', service: 'api' };
const dead = networkError('ECONNREFUSED');

function setup(replies: Record<string, Reply>, pods: ResolverPod[] = [one, two]) {
  const transport = new ScriptedTransport(({ pod }) => replies[pod.address] ?? seen());
  const clock = new FakeClock();
  const known = new FakePods(pods);
  const activity = new ResolverActivity(new ResolverClient(transport, clock, 8013), known);
  return { activity, transport, clock, known };
}

/** From resolvers that have been up for a day. */
const dayMs = 86_400_000;
const seen = (...services: object[]) => ok({ services, countedForMs: dayMs });

describe('ResolverActivity.read', () => {
  it('asks every pod once, ready or draining, and tells what is open', async () => {
    const { activity, transport } = setup({ [two.address]: seen({ ...web, open: 1 }, { ...api, open: 0, lastRequestAgoMs: 1 }) });

    const snapshot = await activity.read(signal);

    expect(transport.requests.map(({ pod }) => pod.address)).toEqual([one.address, two.address]);
    expect(snapshot.of('shop', 'web')).toBe('active');
    expect(snapshot.of('shop', 'api')).toBe('quiet');
    expect(snapshot.of('other', 'web')).toBe('quiet');
    expect(snapshot.problem).toBeUndefined();
  });

  it('does not know about the rest when a pod does not answer', async () => {
    const { activity } = setup({ [one.address]: seen({ ...web, open: 1 }), [two.address]: dead });

    const snapshot = await activity.read(signal);

    expect(snapshot.of('shop', 'web')).toBe('active');
    expect(snapshot.of('shop', 'api')).toBe('unknown');
    expect(snapshot.problem).toContain('resolver pod resolver-2 cannot be reached');
  });

  it('is quiet without any resolver', async () => {
    const { activity } = setup({}, []);

    const snapshot = await activity.read(signal);

    expect(snapshot.of('shop', 'web')).toBe('quiet');
  });

  it('knows nothing before the pods are known', async () => {
    const { activity, known } = setup({}, []);
    known.hasSynced = false;

    const snapshot = await activity.read(signal);

    expect(snapshot.of('shop', 'web')).toBe('unknown');
  });

  it('asks a pod of two addresses by the other one only when the first fails', async () => {
    const six = aPod({ address: 'fd00::1', family: 'IPv6' });
    const { activity, transport } = setup({ [one.address]: dead, [six.address]: seen({ ...web, open: 1 }) }, [one, two, six]);

    const snapshot = await activity.read(signal);

    expect(snapshot.of('shop', 'web')).toBe('active');
    expect(snapshot.of('shop', 'api')).toBe('quiet');
    expect(transport.requests.map(({ pod }) => pod.address).sort()).toEqual([one.address, two.address, six.address]);
  });

  it('asks many pods at the same time, but not all of them', async () => {
    const pods = Array.from({ length: 40 }, (_, index) => aPod({ address: `10.0.0.${index}`, uid: `uid-${index}` }));
    const { activity, transport, clock } = setup(Object.fromEntries(pods.map(({ address }) => [address, 'silence'])), pods);
    const reading = activity.read(signal);

    await clock.advance(0);
    expect(transport.requests).toHaveLength(16);
    await clock.advance(6_000);

    expect((await reading).of('shop', 'web')).toBe('unknown');
    expect(transport.requests).toHaveLength(40);
  });

  it('ends with the reason of the signal', async () => {
    const { activity } = setup({ [one.address]: 'silence' });
    const stop = new AbortController();
    const reading = activity.read(stop.signal);

    stop.abort(new Error('stopping'));

    await expect(reading).rejects.toThrow('stopping');
  });
});

describe('ResolverActivity.silence', () => {
  it('is as long as since the last request that any pod has seen of any of the services', async () => {
    const { activity } = setup({
      [one.address]: seen({ ...web, open: 0, lastRequestAgoMs: 9_000 }, { ...api, open: 0, lastRequestAgoMs: 7_000 }),
      [two.address]: seen({ ...web, open: 0, lastRequestAgoMs: 8_000 }, { namespace: 'shop', service: 'other', open: 3 }),
    });

    await expect(activity.silence([web, api], signal)).resolves.toEqual({ state: 'silent', forMs: 7_000, since: 'a request' });
    await expect(activity.silence([web], signal)).resolves.toEqual({ state: 'silent', forMs: 8_000, since: 'a request' });
  });

  it('asks about one service only, when it is one', async () => {
    const { activity, transport } = setup({});

    await activity.silence([web], signal);

    expect(transport.requests.map(({ path }) => path)).toEqual(Array(2).fill('/activity?namespace=shop&service=web'));
  });

  it('is as long as all have been counting for a service that nobody has seen', async () => {
    const { activity } = setup({});

    await expect(activity.silence([web], signal)).resolves.toEqual({ state: 'silent', forMs: dayMs, since: 'the counting began' });
  });

  it.each<[string, Reply, number]>([
    ['has just started', ok({ services: [], countedForMs: 3_000 }), 3_000],
    ['is too old to say how long it has been counting', ok({ services: [] }), 0],
    ['is too old to say so, though it has seen something', ok({ services: [{ ...web, open: 0, lastRequestAgoMs: 60_000 }] }), 0],
  ])('is no longer than what the one resolver knows that %s', async (_what, reply, forMs) => {
    const { activity } = setup({ [one.address]: seen({ ...web, open: 0, lastRequestAgoMs: 9_000 }), [two.address]: reply });

    await expect(activity.silence([web], signal)).resolves.toEqual({ state: 'silent', forMs, since: 'the counting began' });
  });

  it('is broken by anything open, even when another pod does not answer', async () => {
    const { activity } = setup({ [one.address]: dead, [two.address]: seen({ ...api, open: 1, lastRequestAgoMs: 1_000_000 }) });

    await expect(activity.silence([web, api], signal)).resolves.toEqual({ state: 'active' });
  });

  it.each<[string, Reply, string]>([
    ['cannot be reached', dead, 'resolver pod resolver-2 cannot be reached'],
    ['talks nonsense', seen({ ...web, open: 'none' }), 'services[0].open must be a whole number'],
    ['fails', { statusCode: 500, body: '' }, 'answered with status 500'],
  ])('is unknown when one pod, though draining, %s', async (_what, reply, problem) => {
    const { activity } = setup({ [two.address]: reply });

    await expect(activity.silence([web], signal)).resolves.toEqual({ state: 'unknown', problem: expect.stringContaining(problem) });
  });

  it('is unknown when there is nobody to tell', async () => {
    const { activity, known } = setup({}, []);

    await expect(activity.silence([web], signal)).resolves.toEqual({ state: 'unknown', problem: 'there is no resolver to tell' });
    known.hasSynced = false;
    await expect(activity.silence([web], signal)).resolves.toEqual({ state: 'unknown', problem: 'the resolver pods are not known yet' });
  });
});
