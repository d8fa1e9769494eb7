import type { RehearsalRequest, RehearsalSubject } from '@elasti/api';
import { FakeClock, settle } from '@elasti/operator-kit/testing';
import { Rehearsals } from './rehearsals';
import { ResolverClient } from './resolver-client';
import { aPod } from './resolver-pod.fixture';
import { FakePods } from './resolver-pods.fixture';
import type { ResolverRequest, ResolverResponse } from './resolver-transport';
import { networkError, ok, type Reply, ScriptedTransport } from './resolver-transport.fixture';

const { signal } = new AbortController();
const one = aPod();
const two = aPod({ address: '10.0.0.2', podName: 'resolver-2', uid: 'uid-2' });

function aSubject(service = 'web', ports: [port: number, resolverPort: number][] = [[80, 20_001]]): RehearsalSubject {
  return { namespace: 'shop', service, routes: ports.map(([port, resolverPort]) => ({ port, resolverPort })) };
}

const subjectsOf = ({ body = '' }: ResolverRequest) => (JSON.parse(body) as RehearsalRequest).services;

/** Yes to everything, but for what the test says. */
function rehearsalOf(request: ResolverRequest, differently: object = {}): ResolverResponse {
  const services = subjectsOf(request).map(({ routes, ...name }) => ({
    ...name,
    routes: routes.map((route) => ({ ...route, listening: true, connects: 'yes', ...differently })),
  }));
  return ok({ services });
}

function setup(reply: (request: ResolverRequest) => Reply = (request) => rehearsalOf(request)) {
  const clock = new FakeClock();
  const transport = new ScriptedTransport(reply);
  const pods = new FakePods([one, two]);
  const rehearsals = new Rehearsals(new ResolverClient(transport, clock, 8013), pods, clock);
  const batches = () => transport.requests.map((request) => subjectsOf(request).length);
  /** With the time it takes to gather a batch. */
  const outcomesOf = async (subject: RehearsalSubject, ...asked: (typeof one)[]) => {
    const outcome = rehearsals.rehearse(subject, asked, signal);
    await clock.advance(5);
    return (await outcome).map(({ outcome }) => outcome);
  };
  return { clock, transport, pods, rehearsals, batches, outcomesOf };
}

describe('Rehearsals.rehearse', () => {
  it('gives the outcome of each pod, in the order given', async () => {
    const { outcomesOf } = setup((request) => rehearsalOf(request, { listening: request.pod.address !== one.address }));

    const outcomes = await outcomesOf(aSubject(), two, one);

    expect(outcomes).toEqual(['can', { cannot: 'does not listen on port 20001, which stands for port 80' }]);
  });

  it.each([
    ['listens and connects', { connects: 'yes' }, 'can'],
    ['listens, and there is no pod to try', { connects: 'no pod' }, 'can'],
    [
      'cannot connect',
      { connects: 'no', problem: 'ETIMEDOUT' },
      { cannot: 'cannot reach a pod on port 80 (ETIMEDOUT): a NetworkPolicy or a mesh may be in the way' },
    ],
    [
      'does not listen, though it connects',
      { listening: false, problem: 'EADDRINUSE' },
      { cannot: 'does not listen on port 20001, which stands for port 80 (EADDRINUSE)' },
    ],
  ])('knows what it means that a pod %s', async (_what, answer, outcome) => {
    const { outcomesOf } = setup((request) => rehearsalOf(request, answer));

    await expect(outcomesOf(aSubject(), one)).resolves.toEqual([outcome]);
  });

  it('wants every route, not just the first', async () => {
    const { outcomesOf } = setup((request) => {
      const [subject] = subjectsOf(request);
      const routes = subject?.routes.map((route) => ({ ...route, listening: true, connects: route.port === 443 ? 'no' : 'yes' }));
      return ok({ services: [{ ...subject, routes }] });
    });

    const outcomes = await outcomesOf(
      aSubject('web', [
        [80, 20_001],
        [443, 20_002],
      ]),
      one,
    );

    expect(outcomes).toEqual([{ cannot: expect.stringContaining('port 443') }]);
  });

  it('takes no routes at all for no rehearsal', async () => {
    const { outcomesOf, transport, rehearsals } = setup();

    const outcomes = await outcomesOf(aSubject('web', []), one);

    expect(outcomes).toEqual([{ cannot: 'has no port to listen on for this service' }]);
    expect(rehearsals.known(aSubject('web', []), one)).toBe(false);
    expect(transport.requests).toEqual([]);
  });

  it.each<[string, (request: ResolverRequest) => Reply, string]>([
    ['cannot be reached', () => networkError('ECONNREFUSED'), 'cannot be reached on port 8013 (ECONNREFUSED)'],
    ['talks nonsense', () => ok({ services: 'yes' }), 'makes no sense: services must be a list'],
    ['fails', () => ({ statusCode: 503, body: '' }), 'answered with status 503'],
  ])('gives the reason when a pod %s', async (_what, reply, reason) => {
    const { outcomesOf } = setup(reply);

    await expect(outcomesOf(aSubject(), one)).resolves.toEqual([{ cannot: expect.stringContaining(reason) }]);
  });

  it('asks a pod once about many subjects that come together, each with its own answer', async () => {
    const { clock, rehearsals, batches } = setup((request) => {
      const services = subjectsOf(request).map((subject) => ({
        ...subject,
        routes: subject.routes.map((route) => ({ ...route, listening: subject.service !== 's7', connects: 'yes' })),
      }));
      return ok({ services });
    });

    const asked = Array.from({ length: 200 }, (_, index) => rehearsals.rehearse(aSubject(`s${index}`), [one], signal));
    await clock.advance(5);
    const outcomes = (await Promise.all(asked)).map(([rehearsed]) => rehearsed?.outcome);

    expect(batches()).toEqual([200]);
    expect(outcomes.flatMap((outcome, index) => (outcome === 'can' ? [] : [index]))).toEqual([7]);
  });

  it('gathers what comes within a few milliseconds', async () => {
    const { clock, rehearsals, batches } = setup();

    const first = rehearsals.rehearse(aSubject('a'), [one], signal);
    await clock.advance(4);
    const second = rehearsals.rehearse(aSubject('b'), [one], signal);
    await clock.advance(1);

    await Promise.all([first, second]);
    expect(batches()).toEqual([2]);
  });

  it('never asks about more than 500 at once, nor more than twice at the same time', async () => {
    const held: (() => void)[] = [];
    const { clock, rehearsals, batches } = setup((request) => {
      const { promise, resolve } = Promise.withResolvers<ResolverResponse>();
      held.push(() => resolve(rehearsalOf(request)));
      return promise;
    });

    const asked = Array.from({ length: 1_200 }, (_, index) => rehearsals.rehearse(aSubject(`s${index}`), [one], signal));
    await clock.advance(5);
    expect(batches()).toEqual([500, 500]);
    held.shift()?.();
    await settle();

    expect(batches()).toEqual([500, 500, 200]);
    for (const release of held) release();
    await expect(Promise.all(asked)).resolves.toHaveLength(1_200);
  });

  it('answers about all pods within the time of one call, even those that waited behind others', async () => {
    const { clock, rehearsals } = setup((request) => (request.pod.address === one.address ? 'silence' : rehearsalOf(request)));
    for (const service of ['a', 'b']) {
      void rehearsals.rehearse(aSubject(service), [one], signal);
      await clock.advance(100);
    }
    let outcome: unknown;
    void rehearsals.rehearse(aSubject('c'), [one, two], signal).then((rehearsed) => (outcome = rehearsed.map(({ outcome }) => outcome)));

    await clock.advance(5_000);

    expect(outcome).toEqual([{ cannot: 'did not answer within 5 s' }, 'can']);
  });

  it('lets one subject go before the call, without the others', async () => {
    const { clock, rehearsals, transport } = setup();
    const stop = new AbortController();
    const aborted = expect(rehearsals.rehearse(aSubject('a'), [one], stop.signal)).rejects.toThrow('enough');
    const other = rehearsals.rehearse(aSubject('b'), [one], signal);

    stop.abort(new Error('enough'));
    await aborted;
    await clock.advance(5);

    await expect(other).resolves.toEqual([{ pod: one, outcome: 'can' }]);
    expect(transport.requests.map(subjectsOf)).toEqual([[aSubject('b')]]);
  });

  it('lets one subject of an open call go without the others', async () => {
    const { promise, resolve } = Promise.withResolvers<ResolverResponse>();
    const { clock, rehearsals, transport } = setup(() => promise);
    const stop = new AbortController();
    const aborted = expect(rehearsals.rehearse(aSubject('a'), [one], stop.signal)).rejects.toThrow('enough');
    const other = rehearsals.rehearse(aSubject('b'), [one], signal);
    await clock.advance(5);
    expect(transport.requests).toHaveLength(1);

    stop.abort(new Error('enough'));
    await aborted;
    for (const request of transport.requests) resolve(rehearsalOf(request));

    await expect(other).resolves.toEqual([{ pod: one, outcome: 'can' }]);
  });

  it('does not begin for a signal that has fired, and leaves no timer behind', async () => {
    const { clock, rehearsals, outcomesOf } = setup();

    await expect(rehearsals.rehearse(aSubject(), [one], AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    await outcomesOf(aSubject(), one, two);

    expect(clock.pendingTimers).toBe(0);
  });

  it('answers at once when the pod leaves', async () => {
    const { clock, pods, rehearsals } = setup(() => 'silence');
    const outcome = rehearsals.rehearse(aSubject(), [one], signal);
    await clock.advance(5);

    pods.change(two);

    await expect(outcome).resolves.toEqual([{ pod: one, outcome: { cannot: 'has left' } }]);
  });
});

describe('Rehearsals.known', () => {
  it('remembers who could take exactly these routes', async () => {
    const { rehearsals, outcomesOf } = setup();

    await outcomesOf(
      aSubject('web', [
        [80, 20_001],
        [443, 20_002],
      ]),
      one,
    );

    const routes: [number, number][] = [
      [443, 20_002],
      [80, 20_001],
    ];
    expect(rehearsals.known(aSubject('web', routes), one)).toBe(true);
    expect(rehearsals.known(aSubject('web', routes), two)).toBe(false);
    expect(rehearsals.known(aSubject('api', routes), one)).toBe(false);
    expect(rehearsals.known(aSubject('web', routes.slice(1)), one)).toBe(false);
    expect(rehearsals.known(aSubject('web', [...routes, [22, 20_003]]), one)).toBe(false);
  });

  it('remembers nobody who could not, and forgets one who no longer can', async () => {
    let connects = 'yes';
    const { rehearsals, outcomesOf } = setup((request) => rehearsalOf(request, { connects }));
    await outcomesOf(aSubject(), one);

    connects = 'no';
    await outcomesOf(aSubject(), one, two);

    expect([one, two].map((pod) => rehearsals.known(aSubject(), pod))).toEqual([false, false]);
  });

  it('still knows one that only failed to answer', async () => {
    const replies: Reply[] = [networkError('ECONNREFUSED')];
    const { rehearsals, outcomesOf } = setup((request) => replies.pop() ?? rehearsalOf(request));
    rehearsals.trust(aSubject(), one);

    await outcomesOf(aSubject(), one);

    expect(rehearsals.known(aSubject(), one)).toBe(true);
  });

  it('forgets a pod that leaves, also one whose address comes back', () => {
    const { rehearsals, pods } = setup();
    rehearsals.trust(aSubject(), one);
    rehearsals.trust(aSubject(), two);

    pods.change(aPod({ uid: 'uid-3' }), two);
    expect([one, aPod({ uid: 'uid-3' }), two].map((pod) => rehearsals.known(aSubject(), pod))).toEqual([false, false, true]);
    pods.change(one, two);

    expect(rehearsals.known(aSubject(), one)).toBe(false);
  });

  it('does not trust a pod that is gone', () => {
    const { rehearsals, pods } = setup();
    pods.change(two);

    rehearsals.trust(aSubject(), one);
    pods.change(one, two);

    expect(rehearsals.known(aSubject(), one)).toBe(false);
  });

  it('forgets a service when told', () => {
    const { rehearsals } = setup();
    rehearsals.trust(aSubject(), one);

    rehearsals.forget('shop', 'web');

    expect(rehearsals.known(aSubject(), one)).toBe(false);
  });
});
