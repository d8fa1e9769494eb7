import { FakeClock, settle } from '@elasti/operator-kit/testing';
import type { PodLease } from '../exchange';
import { type Attempt, GateBench, web } from './gate.fixture';
import { TurnClock } from './turn-clock';

const metrics = { ...web, port: 9090 };
const states = (attempts: readonly Attempt[]) => attempts.map(({ state }) => state);

async function statesOncePodIsReady(bench: GateBench, attempts: readonly Attempt[]): Promise<string[]> {
  bench.ready('a');
  await settle();
  return states(attempts);
}

describe('HoldingGate, while a pod is ready', () => {
  it('gives a place at once, at the port that the pod has', () => {
    const bench = new GateBench();
    bench.ready('a');

    const lease = bench.gate.tryEnter(web);

    expect(lease).toMatchObject({ address: '10.0.0.1', port: 8080, podKey: 'uid-a' });
  });

  it('takes the pod with the fewest open exchanges', () => {
    const bench = new GateBench();
    bench.ready('a', 'b', 'c');
    const leases = Array.from({ length: 6 }, () => bench.gate.tryEnter(web));
    const ofB = leases.filter((lease) => lease?.podKey === 'uid-b');

    for (const lease of ofB) lease?.release('done');
    const next = [bench.gate.tryEnter(web), bench.gate.tryEnter(web)];

    expect(leases.map((lease) => lease?.podKey).sort()).toEqual(['uid-a', 'uid-a', 'uid-b', 'uid-b', 'uid-c', 'uid-c']);
    expect(next.map((lease) => lease?.podKey)).toEqual(['uid-b', 'uid-b']);
  });

  it('counts all that is open on one place', () => {
    const bench = new GateBench();
    bench.ready('a', 'b');
    const [first, second] = [bench.gate.tryEnter(web), bench.gate.tryEnter(web)];

    first?.touch?.(3);
    const third = bench.gate.tryEnter(web);
    const fourth = bench.gate.tryEnter(web);

    expect([third?.podKey, fourth?.podKey]).toEqual([second?.podKey, second?.podKey]);
    first?.release('done');
    expect(bench.gate.tryEnter(web)?.podKey).toBe(first?.podKey);
  });

  it('lets pods with equally much to do take turns', () => {
    const bench = new GateBench();
    bench.ready('a', 'b', 'c');

    const visited = Array.from({ length: 3 }, () => {
      const lease = bench.gate.tryEnter(web);
      lease?.release('done');
      return lease?.podKey;
    });

    expect(new Set(visited).size).toBe(3);
  });

  it('counts a place once, however often it is released', () => {
    const bench = new GateBench();
    bench.ready('a', 'b');
    const [first] = [bench.gate.tryEnter(web), bench.gate.tryEnter(web)];

    first?.release('done');
    first?.release('done');

    expect(bench.gate.activityOf(web)?.open).toBe(1);
  });

  it('goes through the private Service where the ElastiService says so', () => {
    const bench = new GateBench({}, { forward: 'service' });
    const asleep = bench.gate.tryEnter(web);

    bench.ready('a');

    expect(asleep).toBeUndefined();
    expect(bench.gate.tryEnter(web)).toMatchObject({ address: '10.96.0.10', port: 80 });
  });

  it('holds for the private Service, too, until a pod behind it is ready', async () => {
    const bench = new GateBench({}, { forward: 'service' });
    const attempt = bench.enter();
    await settle();
    const before = attempt.state;

    bench.ready('a');
    await settle();

    expect(before).toBe('held');
    expect(attempt.lease).toMatchObject({ address: '10.96.0.10', port: 80 });
  });

  it('lets as many through the private Service as fit all pods behind it', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 2 }, { forward: 'service' });
    const attempts = Array.from({ length: 6 }, () => bench.enter());

    bench.ready('a', 'b');
    await settle();

    expect(states(attempts).filter((state) => state === 'entered')).toHaveLength(4);
  });

  it('remembers what is open at a pod that was not ready for a moment', () => {
    const bench = new GateBench();
    bench.ready('a');
    bench.gate.tryEnter(web);

    bench.ready('b');
    bench.ready('a', 'b');
    const next = [bench.gate.tryEnter(web), bench.gate.tryEnter(web)];

    expect(next[0]?.podKey).toBe('uid-b');
  });

  it('serves requests for a Service that nobody speaks for any more, as long as its pods are known', () => {
    const bench = new GateBench();
    bench.ready('a');
    bench.gate.tryEnter(web)?.release('done');

    bench.forget();
    const late = [bench.gate.tryEnter(web), bench.enter().lease];
    for (const lease of late) lease?.release('done');
    const again = bench.gate.tryEnter(web);
    again?.release('done');
    bench.ready();

    expect([...late, again].map((lease) => lease?.podKey)).toEqual(['uid-a', 'uid-a', 'uid-a']);
    expect([bench.gate.tryEnter(web), bench.enter().error]).toEqual([undefined, expect.objectContaining({ reason: 'unknown' })]);
    expect(bench.gate.activityOf(web)).toBeUndefined();
  });

  it('serves requests for a Service that was never asked for before nobody spoke for it', () => {
    const bench = new GateBench();
    bench.ready('a');

    bench.forget();

    expect(bench.gate.tryEnter(web)?.podKey).toBe('uid-a');
  });
});

describe('HoldingGate, while no pod is ready', () => {
  it('holds, asks for a wake, and lets go the moment a pod is ready', async () => {
    const bench = new GateBench();

    const attempt = bench.enter();
    await settle();
    const before = [attempt.state, ...bench.wakes];
    bench.ready('a');

    expect(before).toEqual(['held', 'shop/web 1']);
    expect([attempt.lease?.podKey, bench.wakes, bench.gate.held]).toEqual(['uid-a', [], 0]);
  });

  it('lets the oldest go first, a fresh pod taking only so many at once', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 2 });
    const attempts = Array.from({ length: 5 }, () => bench.enter());
    await settle();

    const atFirst = await statesOncePodIsReady(bench, attempts);
    attempts[0]?.lease?.release('done');
    await bench.clock.advance(0);

    expect(atFirst).toEqual(['entered', 'entered', 'held', 'held', 'held']);
    expect(states(attempts)).toEqual(['entered', 'entered', 'entered', 'held', 'held']);
  });

  it('lets one that brings others along go once all of them fit, and nobody past it', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 4 });
    const [first, crowd, last] = [bench.enterWith(2), bench.enterWith(3), bench.enter()];
    const atFirst = await statesOncePodIsReady(bench, [first, crowd, last]);

    first.lease?.touch?.(1);
    await bench.clock.advance(0);

    expect(atFirst).toEqual(['entered', 'held', 'held']);
    expect(states([first, crowd, last])).toEqual(['entered', 'entered', 'held']);
  });

  it('lets one that brings more along than ever fit go to a pod with nothing open', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 2 });
    const [first, crowd, last] = [bench.enter(), bench.enterWith(5), bench.enter()];
    const atFirst = await statesOncePodIsReady(bench, [first, crowd, last]);

    first.lease?.release('done');
    await bench.clock.advance(0);

    expect(atFirst).toEqual(['entered', 'held', 'held']);
    expect(states([first, crowd, last])).toEqual(['entered', 'entered', 'held']);
    crowd.lease?.release('done');
    await bench.clock.advance(0);
    expect(last.state).toBe('entered');
  });

  it('leaves a pod alone for a moment that lost an exchange before it ever answered one, and not one that has answered', async () => {
    const bench = new GateBench();
    bench.ready('a');
    const next = () => bench.gate.tryEnter(web);

    next()?.release('broken');
    const atOnce = next();
    await bench.clock.advance(50);
    const later = next();
    later?.answered?.();
    later?.release('done');
    next()?.release('broken');

    expect([atOnce, later?.startingSinceMs]).toEqual([undefined, undefined]);
    expect(next()).toBeDefined();
  });

  it('takes a pod that has been ready for half a minute and answered nobody for one that does not answer', async () => {
    const bench = new GateBench();
    bench.ready('a');
    const lease = bench.gate.tryEnter(web);
    const atFirst = lease?.startingSinceMs;

    await bench.clock.advance(30_000);

    expect([atFirst, lease?.startingSinceMs]).toEqual([expect.any(Number), undefined]);
  });

  it('lets one that brings more along than fits go once the pod has had its first two seconds', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 2 });
    const [first, crowd, last] = [bench.enter(), bench.enterWith(50), bench.enter()];
    const atFirst = await statesOncePodIsReady(bench, [first, crowd, last]);

    await bench.clock.advance(3_000);

    expect(atFirst).toEqual(['entered', 'held', 'held']);
    expect(crowd.state).toBe('entered');
  });

  it('lets those go who wait behind one that wanted much room and leaves', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 2 });
    const [first, crowd, last] = [bench.enter(), bench.enterWith(2), bench.enter()];
    const atFirst = await statesOncePodIsReady(bench, [first, crowd, last]);

    crowd.leave();
    await bench.clock.advance(0);

    expect(atFirst).toEqual(['entered', 'held', 'held']);
    expect(last.state).toBe('entered');
  });

  it('lets nobody past one that lacks room and not a pod that it may use', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 4 });
    const [first, crowd, last] = [bench.enter(), bench.enterWith(4, { not: new Set(['uid-gone']) }), bench.enter()];
    const atFirst = await statesOncePodIsReady(bench, [first, crowd, last]);

    first.lease?.release('done');
    await bench.clock.advance(0);

    expect(atFirst).toEqual(['entered', 'held', 'held']);
    expect(states([crowd, last])).toEqual(['entered', 'held']);
  });

  it('counts all that one brings along from the moment it is let go', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 4 });
    const entered: string[] = [];
    for (const name of ['first', 'second']) {
      bench.gate.hold(web, { bytesHeld: 100 }, { exchanges: 3, entered: () => void entered.push(name), refused: () => undefined });
    }

    bench.ready('a');
    await settle();

    expect(entered).toEqual(['first']);
  });

  it('takes a place with nothing open on it for no load', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 4 });
    const [first, second, last] = [bench.enterWith(4), bench.enterWith(4), bench.enter()];
    const atFirst = await statesOncePodIsReady(bench, [first, second, last]);

    first.lease?.touch?.(0);
    await bench.clock.advance(0);

    expect(atFirst).toEqual(['entered', 'held', 'held']);
    expect(states([second, last])).toEqual(['entered', 'held']);
  });

  it('lets no more go in one turn of the event loop, however many leave in it', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 5_000 });
    const attempts = Array.from({ length: 300 }, () => bench.enter());
    bench.ready('a');

    for (const attempt of attempts.slice(100, 110)) attempt.leave();

    expect(states(attempts).filter((state) => state === 'entered')).toHaveLength(20);
  });

  it('lets as many go together as have ended together, when the turn in which they ended is over', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 50 });
    const attempts = Array.from({ length: 120 }, () => bench.enter());
    bench.ready('a');
    await bench.clock.advance(0);
    const count = () => states(attempts).filter((state) => state === 'entered').length;
    const atFirst = count();

    const turns = jest.spyOn(bench.clock, 'after');
    for (const attempt of attempts.slice(0, 50)) attempt.lease?.release('done');
    const inThatTurn = count();
    await bench.clock.advance(0);

    expect([atFirst, inThatTurn, count()]).toEqual([50, 50, 100]);
    // The one in which all of them follow, and the one that finds no more room.
    expect(turns).toHaveBeenCalledTimes(2);
  });

  it('lets nobody pass those who wait', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 1 });
    const [first, second] = [bench.enter(), bench.enter()];
    bench.ready('a');
    await settle();

    const pushy = bench.gate.tryEnter(web);
    const late = bench.enter();
    first.lease?.release('done');
    await bench.clock.advance(0);

    expect([pushy, second.state, late.state]).toEqual([undefined, 'entered', 'held']);
  });

  it('lets more in as the pod gets older, since connections that stay open would keep the rest out', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 1 });
    const attempts = Array.from({ length: 5 }, () => bench.enter());
    bench.ready('a');

    await bench.clock.advance(1_900);
    const young = states(attempts).filter((state) => state === 'entered').length;
    await bench.clock.advance(2_200);
    const older = states(attempts).filter((state) => state === 'entered').length;

    expect([young, older]).toEqual([1, 4]);
  });

  it('frees the slot of a client that leaves, and its bytes, at once', async () => {
    const bench = new GateBench({ maxRequests: 1, maxBytes: 100, maxBytesPerService: 100 });
    const attempt = bench.enter();

    attempt.leave();
    const next = bench.enter();
    await settle();

    expect(attempt.error).toEqual(new Error('the client left'));
    expect([next.state, bench.gate.held, bench.gate.activityOf(web)?.open]).toEqual(['held', 1, 1]);
  });

  it('wants no wake when everybody has left', () => {
    const bench = new GateBench();
    const attempts = [bench.enter(), bench.enter()];

    for (const attempt of attempts) attempt.leave();

    expect(bench.wakes).toEqual([]);
  });

  it('wants the wake again when the last pod goes while somebody waits', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 1 });
    const attempts = [bench.enter(), bench.enter()];
    bench.ready('a');
    await settle();
    const while1 = bench.wakes;

    bench.ready();

    expect([while1, bench.wakes, states(attempts)]).toEqual([[], ['shop/web 1'], ['entered', 'held']]);
  });
});

describe('HoldingGate, what was waited for', () => {
  it('is told with the place: when the wake was accepted, and when the pod became ready', async () => {
    const bench = new GateBench();
    const attempt = bench.enter();
    await bench.clock.advance(20);
    for (const demand of bench.waker.wanted) demand.wakeAccepted?.();
    await bench.clock.advance(480);
    for (const demand of bench.waker.wanted) demand.wakeAccepted?.();

    bench.ready('a');
    await settle();

    expect(attempt.lease?.waitedFor).toEqual({ wakeAcceptedAtMs: 20, readyAtMs: 500 });
  });

  it('does not change as a pod is left alone after a refusal', async () => {
    const bench = new GateBench();
    bench.ready('a');
    bench.gate.tryEnter(web)?.release('done');
    await bench.clock.advance(10);
    bench.gate.tryEnter(web)?.release('refused');

    const attempt = bench.enter();
    await bench.clock.advance(60);

    expect(attempt.lease?.waitedFor).toEqual({ readyAtMs: 0 });
  });

  it('tells nothing of a wake that was for another wait', async () => {
    const bench = new GateBench();
    bench.enter().leave();
    const before = bench.enter();
    for (const demand of bench.waker.wanted) demand.wakeAccepted?.();
    before.leave();

    const attempt = bench.enter();
    bench.ready('a');
    await settle();

    expect(attempt.lease?.waitedFor).toEqual({ readyAtMs: 0 });
  });

  it('is nothing for those who did not wait', () => {
    const bench = new GateBench();
    bench.ready('a');

    expect(bench.gate.tryEnter(web)?.waitedFor).toBeUndefined();
  });
});

describe('HoldingGate.nudge', () => {
  it('asks for a wake and counts as activity, with nothing held', async () => {
    const bench = new GateBench();
    await bench.clock.advance(1_000);

    const nudged = bench.gate.nudge(web);

    expect([nudged, bench.wakes, bench.gate.held]).toEqual([true, ['shop/web 0'], 0]);
    expect(bench.gate.activity()).toMatchObject([{ service: 'web', open: 0, held: 0, lastRequestMs: 1_000 }]);
  });

  it('asks for 30 s after the last one', async () => {
    const bench = new GateBench();
    bench.gate.nudge(web);
    await bench.clock.advance(20_000);
    bench.gate.nudge(web);

    await bench.clock.advance(29_000);
    const before = bench.wakes;
    await bench.clock.advance(1_200);

    expect([before, bench.wakes, bench.clock.pendingTimers]).toEqual([['shop/web 0'], [], 0]);
  });

  it('asks for nothing once a pod is ready, also when that goes again', async () => {
    const bench = new GateBench();
    bench.gate.nudge(web);

    bench.ready('a');
    const ready = [...bench.wakes, bench.gate.nudge(web)];
    bench.ready();
    await bench.clock.advance(200);

    expect([ready, bench.wakes, bench.clock.pendingTimers]).toEqual([[false], [], 0]);
  });

  it('does not end the wish of those who wait, nor they that of a nudge', async () => {
    const bench = new GateBench();
    const attempt = bench.enter();
    bench.gate.nudge(web);

    attempt.leave();
    const nudged = bench.wakes;
    bench.enter();
    await bench.clock.advance(31_000);

    expect([nudged, bench.wakes]).toEqual([['shop/web 0'], ['shop/web 1']]);
  });

  it('wakes nothing through a port that never wakes, or that nobody knows', () => {
    const bench = new GateBench();

    const nudged = [bench.gate.nudge(metrics), bench.gate.nudge({ ...web, port: 81 }), bench.gate.nudge({ ...web, service: 'stranger' })];

    expect([nudged, bench.wakes, bench.gate.activity()]).toEqual([[false, false, false], [], []]);
  });

  it('leaves nothing behind when the ElastiService goes', async () => {
    const bench = new GateBench();
    bench.gate.nudge(web);

    bench.forget();
    await bench.clock.advance(200);

    expect([bench.wakes, bench.clock.pendingTimers, bench.gate.activityOf(web)]).toEqual([[], 0, undefined]);
  });
});

describe('HoldingGate, limits', () => {
  it.each([
    { limit: 'requests of the Service', config: { maxRequestsPerService: 2 }, draft: {} },
    { limit: 'bytes of the Service', config: { maxBytesPerService: 200 }, draft: {} },
    { limit: 'requests in all', config: { maxRequests: 2 }, draft: {} },
    { limit: 'bytes in all', config: { maxBytes: 299 }, draft: {} },
    { limit: 'requests the ElastiService allows', config: {}, draft: { queue: { maxRequests: 2 } } },
    { limit: 'bytes the ElastiService allows', config: {}, draft: { queue: { maxBytes: 250 } } },
  ])('refuses what is beyond the $limit, and says when to come again', async ({ config, draft }) => {
    const bench = new GateBench(config, draft);

    const attempts = [bench.enter(), bench.enter(), bench.enter()];
    await settle();

    expect(states(attempts)).toEqual(['held', 'held', 'failed']);
    expect(attempts[2]?.error).toMatchObject({ reason: 'queue full', status: 503, retryAfterSeconds: 5 });
    expect(bench.gate.held).toBe(2);
  });

  it('ends a wait at the deadline and names what was waited for', async () => {
    const bench = new GateBench({ requestTimeoutMs: 30_000 });
    const attempt = bench.enter();

    await bench.clock.advance(29_900);
    const before = attempt.state;
    await bench.clock.advance(200);

    expect(before).toBe('held');
    expect(attempt.error).toMatchObject({ reason: 'timed out', status: 504, detail: 'waited 30 s for a ready pod' });
    expect([bench.gate.held, bench.wakes, bench.clock.pendingTimers]).toEqual([0, [], 0]);
  });

  it("follows the ElastiService's own timeout, also when it changes meanwhile", async () => {
    const bench = new GateBench({}, { timeouts: { request: 60 } });
    const attempt = bench.enter();

    await bench.clock.advance(20_000);
    bench.know({ timeouts: { request: 10 } });
    await bench.clock.advance(200);

    expect(attempt.error).toMatchObject({ reason: 'timed out' });
  });

  it('says with a place how long a request may be held, as it is now', () => {
    const bench = new GateBench({ requestTimeoutMs: 30_000 });
    bench.ready('pod-a');
    const attempt = bench.enter();

    const before = attempt.lease?.requestTimeoutMs;
    bench.know({ timeouts: { request: 10 } });

    expect([before, attempt.lease?.requestTimeoutMs]).toEqual([30_000, 10_000]);
  });

  it('keeps one timer for all that is held, and none when nothing is', async () => {
    const bench = new GateBench();
    const attempts = Array.from({ length: 100 }, () => bench.enter());

    const timers = bench.clock.pendingTimers;
    for (const attempt of attempts) attempt.leave();
    await bench.clock.advance(200);

    expect([timers, bench.clock.pendingTimers]).toEqual([1, 0]);
  });
});

describe('HoldingGate, names and ports', () => {
  it('knows nothing of a Service that no ElastiService speaks for', async () => {
    const bench = new GateBench();

    const attempt = bench.enter({}, { ...web, service: 'stranger' });

    expect(attempt.error).toMatchObject({ reason: 'unknown', status: 404 });
    expect(bench.gate.tryEnter({ ...web, service: 'stranger' })).toBeUndefined();
  });

  it('turns those who wait away a few seconds after the ElastiService went: nobody will wake their pods', async () => {
    const bench = new GateBench();
    const attempt = bench.enter();
    bench.forget();

    await bench.clock.advance(4_800);
    const before = attempt.state;
    await bench.clock.advance(400);

    expect([before, attempt.error]).toEqual(['held', expect.objectContaining({ reason: 'unknown' })]);
    expect([bench.wakes, bench.clock.pendingTimers, bench.gate.activityOf(web)]).toEqual([[], 0, undefined]);
  });

  it('goes on holding for an ElastiService that was only replaced', async () => {
    const bench = new GateBench();
    const attempt = bench.enter();
    bench.forget();
    await bench.clock.advance(1_000);

    bench.know({});
    await bench.clock.advance(10_000);
    bench.ready('a');

    expect(attempt.state).toBe('entered');
  });

  it('knows nothing of a port that the Service does not have', async () => {
    const bench = new GateBench();

    const attempt = bench.enter({}, { ...web, port: 81 });

    expect(attempt.error).toMatchObject({ reason: 'unknown' });
  });

  it('holds until the ports of the Service are known, and then tells who asked for none of them', async () => {
    const bench = new GateBench();
    bench.hidePorts();
    const [right, wrong] = [bench.enter(), bench.enter({}, { ...web, port: 81 })];
    bench.ready('a');
    await settle();
    const before = states([right, wrong]);

    bench.exposePorts();
    await settle();

    expect(before).toEqual(['held', 'held']);
    expect([right.state, wrong.error]).toEqual(['entered', expect.objectContaining({ reason: 'unknown' })]);
  });

  it('wakes nothing for a port that never wakes, and does not count it', async () => {
    const bench = new GateBench();

    const attempt = bench.enter({}, metrics);

    expect(attempt.error).toMatchObject({ reason: 'not waking', status: 503 });
    expect([bench.wakes, bench.gate.activity()]).toEqual([[], []]);
  });

  it('serves a port that never wakes while a pod is ready, past those who wait, and does not count it', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 1 });
    bench.enter();
    bench.enter();
    bench.ready('a');
    await settle();
    const before = bench.gate.activityOf(web)?.open;

    const lease = bench.gate.tryEnter(metrics);
    const during = bench.gate.activityOf(web)?.open;
    lease?.release('done');

    expect(lease).toMatchObject({ port: 8081 });
    expect([before, during, bench.gate.activityOf(web)?.open]).toEqual([2, 2, 2]);
  });
});

describe('HoldingGate, after a refusal', () => {
  it('sends a refused request to another pod', async () => {
    const bench = new GateBench();
    bench.ready('a', 'b');
    bench.gate.tryEnter(web)?.release('done');
    const attempt = bench.enter({ not: new Set(['uid-b']) });
    await settle();

    expect(attempt.lease?.podKey).toBe('uid-a');
  });

  it('leaves a pod that refused alone for a moment, and tries it again when there is no other', async () => {
    const bench = new GateBench();
    bench.ready('a');
    bench.gate.tryEnter(web)?.release('refused');

    const attempt = bench.enter({ not: new Set(['uid-a']) });
    await settle();
    const atFirst = attempt.state;
    await bench.clock.advance(200);

    expect(atFirst).toBe('held');
    expect([attempt.lease?.podKey, bench.wakes]).toEqual(['uid-a', []]);
  });

  it('waits longer with each refusal in a row, up to 2 s', async () => {
    const bench = new GateBench();
    bench.ready('a');
    const waits: number[] = [];

    for (let refusal = 0; refusal < 9; refusal++) {
      bench.gate.tryEnter(web)?.release('refused');
      const since = bench.clock.monotonic();
      const attempt = bench.enter();
      while (!attempt.lease) await bench.clock.advance(10);
      waits.push(bench.clock.monotonic() - since);
      attempt.lease.release('broken');
    }

    expect(waits.slice(0, 4)).toEqual([50, 100, 200, 400]);
    expect(waits.at(-1)).toBe(2_000);
  });

  it('tries it again as soon as the moment is over, and not only when it looks at the clock for all', async () => {
    const bench = new GateBench();
    bench.ready('a');
    bench.enter();
    await settle();
    await bench.clock.advance(30);
    bench.gate.tryEnter(web)?.release('refused');
    const attempt = bench.enter({ not: new Set(['uid-a']) });

    await bench.clock.advance(49);
    const before = attempt.state;
    await bench.clock.advance(1);

    expect([before, attempt.state]).toEqual(['held', 'entered']);
  });

  it('goes at once to a pod that becomes ready meanwhile', async () => {
    const bench = new GateBench();
    bench.ready('a');
    bench.gate.tryEnter(web)?.release('refused');
    const attempt = bench.enter({ not: new Set(['uid-a']) });

    bench.ready('a', 'b');

    expect(attempt.lease?.podKey).toBe('uid-b');
  });

  it('puts one that comes back before those who came later', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 1 });
    await bench.clock.advance(5_000);
    const newer = bench.enter();
    const back = bench.enter({ waitedMs: 5_000, not: new Set(['uid-x']) });

    bench.ready('a');
    await settle();

    expect(states([newer, back])).toEqual(['held', 'entered']);
  });

  it('gives one that comes back no new deadline', async () => {
    const bench = new GateBench({ requestTimeoutMs: 10_000 });
    await bench.clock.advance(5_000);
    const newer = bench.enter();
    const back = bench.enter({ waitedMs: 5_000 });

    await bench.clock.advance(5_200);

    expect(states([newer, back])).toEqual(['held', 'failed']);
  });

  it('turns one away at its deadline that pods have refused in turns, so that it never had to wait', async () => {
    const bench = new GateBench({ requestTimeoutMs: 60_000 });
    bench.ready('a', 'b');
    const refusedBy = new Set<string>();
    const beganAtMs = bench.clock.monotonic();

    let attempt = bench.enter();
    for (let tries = 0; tries < 100 && attempt.lease; tries++) {
      await bench.clock.advance(3_000);
      refusedBy.add(attempt.lease.podKey);
      attempt.lease.release('refused');
      attempt = bench.enter({ not: refusedBy, waitedMs: bench.clock.monotonic() - beganAtMs });
      await bench.clock.advance(0);
    }

    expect(attempt.error).toMatchObject({ reason: 'timed out', detail: 'waited 60 s for a pod that takes the connection' });
    expect(bench.clock.monotonic() - beganAtMs).toBe(60_000);
  });

  it('keeps a place for one that was let go to a pod in vain, although others have filled the queue since', async () => {
    const bench = new GateBench({ maxRequestsPerService: 2, maxConcurrencyPerFreshPod: 1 });
    const [first] = [bench.enter(), bench.enter()];
    bench.ready('a');
    await bench.clock.advance(0);
    const newcomers = [bench.enter(), bench.enter()];

    first.lease?.release('refused');
    const back = bench.enter({ not: new Set(['uid-a']), waitedMs: 10, wasLetGo: true });

    expect([...states(newcomers), back.state]).toEqual(['held', 'failed', 'held']);
  });

  it('lets those pass who do not mind the pod that another avoids', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 1 });
    const not = new Set(['uid-a']);
    const attempts = [bench.enter({ not }), bench.enter({ not }), bench.enter()];

    bench.ready('a', 'b');
    await settle();

    expect(states(attempts)).toEqual(['entered', 'held', 'entered']);
  });
});

describe('HoldingGate, activity', () => {
  it('tells what is open, held ones included, and when the last one began', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 1 });
    await bench.clock.advance(1_000);
    bench.enter();
    await bench.clock.advance(1_000);
    bench.enter();
    bench.ready('a');
    await settle();

    const [seen] = bench.gate.activity();

    expect(seen).toMatchObject({ namespace: 'shop', service: 'web', open: 2, held: 1, lastRequestMs: 2_000 });
  });

  it('goes back to nothing open when all is over, and remembers the last request', async () => {
    const bench = new GateBench();
    const attempts = [bench.enter(), bench.enter()];
    bench.ready('a');
    await settle();

    for (const { lease } of attempts) lease?.release('broken');

    expect(bench.gate.activityOf(web)).toMatchObject({ open: 0, held: 0, lastRequestMs: 0 });
  });

  it.each([
    ['counts', 80, 2_000],
    ['does not count, on a port that wakes nothing,', 9090, undefined],
  ])('%s what uses a place that was given before', async (_, port, lastRequestMs) => {
    const bench = new GateBench({}, { nonWakingPorts: ['metrics'] });
    bench.ready('a');
    const lease = bench.gate.tryEnter({ ...web, port });
    await bench.clock.advance(2_000);

    lease?.touch?.(1);

    expect(bench.gate.activityOf(web)?.lastRequestMs).toBe(lastRequestMs);
    lease?.release('done');
    await bench.clock.advance(1_000);
    lease?.touch?.(1);
    expect(bench.gate.activityOf(web)?.lastRequestMs).toBe(lastRequestMs);
  });

  it('says how each wait ended', async () => {
    const bench = new GateBench({ requestTimeoutMs: 1_000 });
    bench.enter().leave();
    bench.enter();
    await bench.clock.advance(1_100);
    bench.enter();
    bench.ready('a');

    expect(bench.ends).toEqual(['left', 'timed out', 'entered']);
  });

  it('tells of everyone who is turned away, whether they waited or not', async () => {
    const bench = new GateBench({ requestTimeoutMs: 1_000, maxRequestsPerService: 1 });
    bench.enter();
    bench.enter();
    bench.enter({}, { ...web, port: 9090 });
    bench.enter({}, { ...web, service: 'nobody' });
    await bench.clock.advance(1_100);

    expect(bench.refusals).toEqual(['queue full', 'not waking', 'unknown', 'timed out']);
  });
});

describe('HoldingGate.hold', () => {
  it('lets all go whose exchanges end the moment they begin, without piling up calls', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 1 });
    let entered = 0;
    const holder = {
      entered: (lease: PodLease) => {
        entered++;
        lease.release('done');
      },
      refused: () => {},
    };
    for (let count = 0; count < 900; count++) bench.gate.hold(web, { bytesHeld: 1 }, holder);

    bench.ready('a');
    for (let turn = 0; turn < 44; turn++) await bench.clock.advance(0);

    expect([entered, bench.gate.held, bench.gate.activityOf(web)?.open]).toEqual([900, 0, 0]);
  });

  it('lets a crowd go over several turns of the event loop, without waiting in between', async () => {
    const bench = new GateBench({ maxConcurrencyPerFreshPod: 5_000 });
    let entered = 0;
    const holder = {
      entered: () => {
        entered++;
      },
      refused: () => {},
    };
    for (let count = 0; count < 2_500; count++) bench.gate.hold(web, { bytesHeld: 1 }, holder);

    bench.ready('a');
    const atOnce = entered;
    for (let turn = 0; turn < 124; turn++) await bench.clock.advance(0);

    expect([atOnce, entered]).toEqual([20, 2_500]);
  });

  it('frees the slot of a ticket that is left, and says nothing more to its holder', () => {
    const bench = new GateBench();
    const holder = { entered: jest.fn(), refused: jest.fn() };
    const ticket = bench.gate.hold(web, { bytesHeld: 1 }, holder);

    ticket?.leave();
    ticket?.leave();
    bench.ready('a');

    expect([bench.gate.held, holder.entered.mock.calls, holder.refused.mock.calls]).toEqual([0, [], []]);
  });
});

describe('TurnClock', () => {
  it('reads the time once a turn', async () => {
    const clock = new FakeClock();
    const turns = new TurnClock(clock);
    const first = turns.monotonic();

    await clock.advance(50);

    expect([first, turns.monotonic()]).toEqual([0, 50]);
  });

  it('calls after no time at all when the turn is over, and not when that was taken back', async () => {
    const clock = new FakeClock();
    const turns = new TurnClock(clock);
    const called: string[] = [];
    turns.after(0, () => called.push('kept'));
    turns.after(0, () => called.push('taken back')).cancel();
    const atOnce = [...called];

    await new Promise(setImmediate);

    expect([atOnce, called, clock.pendingTimers]).toEqual([[], ['kept'], 0]);
  });
});
