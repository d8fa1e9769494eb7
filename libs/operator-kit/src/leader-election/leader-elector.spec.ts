import { Registry } from 'prom-client';
import { silentLogger } from '../logging';
import { KitMetrics } from '../metrics';
import { FakeClock, settle } from '../testing';
import { FakeLeases } from './fake-leases.fixture';
import type { LeaderElectionOptions } from './leader-election.config';
import { LeaseLostError } from './leader-election.errors';
import { type LeaderCallbacks, LeaderElector } from './leader-elector';

const lease = 15_000;
const deadline = 10_000;
const retry = 2_000;

function setup() {
  const clock = new FakeClock();
  const leases = new FakeLeases();
  const metrics = new KitMetrics(new Registry());

  /** A process that stands for election; its workers stop as soon as they are told to. */
  const candidate = (identity: string, callbacks: Partial<LeaderCallbacks> = {}, options: Partial<LeaderElectionOptions> = {}) => {
    const client = leases.connect();
    const elector = new LeaderElector(
      { namespace: 'shop', name: 'operator', identity, ...options },
      { client, clock, logger: silentLogger, metrics, random: () => 0 },
    );
    const shutdown = new AbortController();
    const work = { started: 0, signal: undefined as AbortSignal | undefined };
    const onStartedLeading = (signal: AbortSignal) => {
      work.started += 1;
      work.signal = signal;
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    };
    const ended = elector.run({ onStartedLeading, ...callbacks }, shutdown.signal);
    const outcome = { error: undefined as unknown, isSettled: false };
    ended
      .catch((error: unknown) => (outcome.error = error))
      .finally(() => (outcome.isSettled = true))
      .catch(() => undefined);
    return { elector, client, work, outcome, shutdown, ended, isWorking: () => work.started > 0 && !work.signal?.aborted };
  };

  const spec = () => leases.lease?.spec;
  return { clock, leases, metrics, candidate, spec };
}

/** A record that another process, whose clock may be anywhere, left behind. */
const heldByOther = (renewTime = '2030-01-01T00:00:00.000000Z') => ({
  holderIdentity: 'other',
  leaseDurationSeconds: 15,
  acquireTime: '2029-01-01T00:00:00.000000Z',
  renewTime,
  leaseTransitions: 4,
});

describe('LeaderElector, taking the lease', () => {
  it('Creates a missing lease, takes an empty or expired one, never a live one', async () => {
    const missing = setup();
    const first = missing.candidate('a');
    await settle();
    expect(first.elector.isLeader).toBe(true);
    expect(missing.spec()).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });

    const empty = setup();
    empty.leases.put({ ...heldByOther(), holderIdentity: '' });
    const second = empty.candidate('a');
    await settle();
    expect(second.elector.isLeader).toBe(true);

    const live = setup();
    live.leases.put(heldByOther());
    const third = live.candidate('a');
    await live.clock.advance(lease - 1);
    expect(live.spec()).toEqual(heldByOther());
    expect(third.work.started).toBe(0);

    await live.clock.advance(1);
    expect(live.spec()).toMatchObject({ holderIdentity: 'a' });
    expect(third.work.started).toBe(1);
  });

  it('Expiry is judged by local time since the record was last seen to change: clock skew is harmless', async () => {
    const { clock, leases, candidate } = setup();
    leases.put(heldByOther('1999-01-01T00:00:00.000000Z'));
    const { elector } = candidate('a');

    await clock.advance(lease - 1_000);
    leases.put(heldByOther('1999-01-01T00:00:02.000000Z'));
    await clock.advance(lease - 1_000);
    expect(elector.isLeader).toBe(false);

    await clock.advance(retry);
    expect(elector.isLeader).toBe(true);
  });

  it('takes over from a holder whose renewal time lies in the future', async () => {
    const { clock, leases, candidate } = setup();
    leases.put(heldByOther('2099-01-01T00:00:00.000000Z'));
    const { elector } = candidate('a');

    await clock.advance(lease);

    expect(elector.isLeader).toBe(true);
  });

  it('does not take an edit of labels for a sign of life', async () => {
    const { clock, leases, candidate } = setup();
    leases.put(heldByOther());
    const { elector } = candidate('a');

    await clock.advance(lease - 1_000);
    leases.put(heldByOther(), { labels: { edited: 'true' } });
    await clock.advance(1_000);

    expect(elector.isLeader).toBe(true);
  });

  it('waits as long as the holder promised, not as long as it would itself', async () => {
    const { clock, leases, candidate } = setup();
    leases.put({ ...heldByOther(), leaseDurationSeconds: 60 });
    const { elector } = candidate('a');

    await clock.advance(59_000);
    expect(elector.isLeader).toBe(false);

    await clock.advance(1_000);
    expect(elector.isLeader).toBe(true);
  });

  it('leaves fields alone that are not the election’s own', async () => {
    const { clock, leases, candidate } = setup();
    const foreign = { preferredHolder: 'c', strategy: 'OldestEmulationVersion' };
    leases.put({ ...heldByOther(), holderIdentity: '', ...foreign }, { labels: { keep: 'me' } });
    const { shutdown } = candidate('a');

    await clock.advance(retry);
    expect(leases.lease).toMatchObject({ metadata: { labels: { keep: 'me' } }, spec: { holderIdentity: 'a', ...foreign } });

    shutdown.abort();
    await settle();
    expect(leases.lease).toMatchObject({ spec: { holderIdentity: '', ...foreign } });
  });

  it('tells who leads, once for each change', async () => {
    const { clock, leases, candidate } = setup();
    leases.put(heldByOther());
    const leaders: string[] = [];
    candidate('a', { onNewLeader: (identity) => leaders.push(identity) });

    await clock.advance(lease + retry);

    expect(leaders).toEqual(['other', 'a']);
  });
});

describe('LeaderElector, leading', () => {
  it('Transitions +1 and acquireTime change only on takeover', async () => {
    const { clock, leases, candidate, spec } = setup();
    leases.put(heldByOther());
    candidate('a');

    await clock.advance(lease);
    const taken = spec();
    await clock.advance(retry);

    expect(taken).toMatchObject({ leaseTransitions: 5, acquireTime: '2030-01-01T00:00:15.000000Z' });
    expect(spec()).toEqual({ ...taken, renewTime: '2030-01-01T00:00:17.000000Z' });
  });

  it('Transient renewal errors within the deadline keep the lead', async () => {
    const { clock, candidate, spec } = setup();
    const { client, isWorking } = candidate('a');
    await settle();

    client.trouble = 'unreachable';
    await clock.advance(deadline - retry - 1);
    client.trouble = 'none';
    await clock.advance(60_000);

    expect(isWorking()).toBe(true);
    expect(spec()?.renewTime).toBe('2030-01-01T00:01:06.000000Z');
  });

  it('failing for the whole deadline loses it', async () => {
    const { clock, candidate } = setup();
    const { client, outcome, isWorking } = candidate('a');
    await settle();

    client.trouble = 'unreachable';
    await clock.advance(deadline);

    expect(isWorking()).toBe(false);
    expect(outcome.error).toEqual(expect.objectContaining({ message: 'lost the lease shop/operator: no renewal succeeded for 10000 ms' }));
  });

  it('is not held up past the deadline by a server that never answers', async () => {
    const { clock, candidate } = setup();
    const { client, outcome, isWorking } = candidate('a');
    await settle();

    client.trouble = 'silent';
    await clock.advance(deadline - 1);
    expect(isWorking()).toBe(true);

    await clock.advance(1);
    expect(isWorking()).toBe(false);
    expect(outcome.error).toBeInstanceOf(LeaseLostError);
  });

  it('recognises its own renewal when the answer was lost', async () => {
    const { clock, candidate, spec } = setup();
    const { client, isWorking } = candidate('a');
    await settle();

    client.trouble = 'answer lost';
    await clock.advance(retry);
    client.trouble = 'none';
    await clock.advance(retry);

    expect(isWorking()).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0, renewTime: '2030-01-01T00:00:04.000000Z' });
  });

  it('renews in spite of an edit by somebody else in between', async () => {
    const { clock, leases, candidate, spec } = setup();
    const { isWorking } = candidate('a');
    await settle();

    leases.put(spec(), { labels: { edited: 'true' } });
    await clock.advance(retry);

    expect(isWorking()).toBe(true);
    expect(leases.lease?.metadata.labels).toEqual({ edited: 'true' });
    expect(spec()?.renewTime).toBe('2030-01-01T00:00:02.000000Z');
  });

  it('stops at once when it sees another holder', async () => {
    const { clock, leases, candidate } = setup();
    const { outcome, isWorking } = candidate('a');
    await settle();

    leases.put(heldByOther());
    await clock.advance(retry);

    expect(isWorking()).toBe(false);
    expect(outcome.error).toEqual(expect.objectContaining({ message: 'lost the lease shop/operator: other holds it now' }));
    expect(leases.lease?.spec).toEqual(heldByOther());
  });

  it('Lost lease: stop leading at once and exit with an error', async () => {
    const { clock, candidate, metrics } = setup();
    const stopped: boolean[] = [];
    const stuck = new Promise<void>(() => undefined);
    const process = candidate('a', {
      onStartedLeading: (signal) => {
        signal.addEventListener('abort', () => stopped.push(signal.reason instanceof LeaseLostError));
        return stuck;
      },
      onStoppedLeading: () => stopped.push(process.elector.isLeader),
    });
    await settle();

    process.client.trouble = 'unreachable';
    await clock.advance(deadline);

    expect(process.outcome.error).toBeInstanceOf(LeaseLostError);
    expect(stopped).toEqual([true, false]);
    expect(await metrics.leader.get()).toMatchObject({ values: [{ labels: { name: 'operator' }, value: 0 }] });
  });

  it('Times are written with 6 fractional digits', async () => {
    const { clock, leases, candidate } = setup();
    const { shutdown } = candidate('a');

    await clock.advance(retry + 7);
    shutdown.abort();
    await settle();

    const times = leases.writes.flatMap(({ spec }) => [spec?.acquireTime, spec?.renewTime]);
    expect(times.every((time) => /^2030-01-01T00:00:0\d\.\d{6}Z$/.test(time ?? ''))).toBe(true);
    expect(times.at(-1)).toBe('2030-01-01T00:00:02.007000Z');
  });
});

describe('LeaderElector, shutting down', () => {
  it('Release on shutdown only after workers stopped', async () => {
    const { clock, leases, candidate, spec } = setup();
    const workers = Promise.withResolvers<undefined>();
    const { shutdown, outcome } = candidate('a', { onStartedLeading: () => workers.promise });
    await settle();

    shutdown.abort();
    await clock.advance(60_000);
    expect(spec()).toMatchObject({ holderIdentity: 'a', renewTime: '2030-01-01T00:01:00.000000Z' });
    expect(outcome.isSettled).toBe(false);

    workers.resolve(undefined);
    await settle();
    expect(spec()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, acquireTime: '2030-01-01T00:00:00.000000Z' });
    expect(outcome).toEqual({ error: undefined, isSettled: true });
    expect(leases.writes.filter((written) => written.spec?.holderIdentity === '')).toHaveLength(1);
  });

  it('leaves the lease to run out when the workers did not stop cleanly', async () => {
    const { candidate, spec, clock } = setup();
    const workers = Promise.withResolvers<undefined>();
    const { shutdown, outcome } = candidate('a', { onStartedLeading: () => workers.promise });
    await settle();

    shutdown.abort();
    workers.reject(new Error('a worker is stuck'));
    await clock.advance(lease);

    expect(spec()?.holderIdentity).toBe('a');
    expect(outcome.error).toEqual(new Error('a worker is stuck'));
  });

  it('lets another take over without a wait', async () => {
    const { clock, candidate, spec } = setup();
    const first = candidate('a');
    await settle();
    const second = candidate('b');
    await settle();

    first.shutdown.abort();
    await clock.advance(retry);

    expect(second.isWorking()).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('leaves no timer behind, leading or not', async () => {
    const { clock, candidate } = setup();
    const leader = candidate('a');
    const standby = candidate('b');
    await clock.advance(retry);

    leader.shutdown.abort();
    standby.shutdown.abort();
    await Promise.all([leader.ended, standby.ended]);

    expect(clock.pendingTimers).toBe(0);
    expect(standby.work.started).toBe(0);
  });

  it('never releases what another holds by now', async () => {
    const { leases, candidate, spec } = setup();
    const { shutdown, ended } = candidate('a');
    await settle();

    leases.put(heldByOther());
    shutdown.abort();
    await ended;

    expect(spec()).toEqual(heldByOther());
  });
});

describe('several LeaderElectors', () => {
  it.each([1, 2, 3, 4, 5])('never let two lead, whatever fails on the way (run %i)', async (seed) => {
    const { clock, candidate } = setup();
    const random = pseudoRandom(seed);
    const troubles = ['none', 'none', 'none', 'unreachable', 'silent', 'answer lost'] as const;
    let processes = ['a', 'b', 'c'].map((name) => candidate(name));
    let handovers = 0;

    for (let step = 0; step < 400; step++) {
      const unlucky = processes[Math.floor(random() * processes.length)];
      if (unlucky) unlucky.client.trouble = troubles[Math.floor(random() * troubles.length)] ?? 'none';
      await clock.advance(Math.floor(random() * 3_000));

      expect(processes.filter(({ isWorking }) => isWorking()).length).toBeLessThanOrEqual(1);
      expect(processes.filter(({ elector }) => elector.isLeader).length).toBeLessThanOrEqual(1);
      const lost = processes.filter(({ outcome }) => outcome.isSettled);
      handovers += lost.length;
      processes = [...processes.filter(({ outcome }) => !outcome.isSettled), ...lost.map((_, index) => candidate(`${step}-${index}`))];
    }

    expect(handovers).toBeGreaterThan(3);
  });

  it('take over within the lease duration and one look when the leader dies', async () => {
    const { clock, candidate } = setup();
    const dead = candidate('a');
    await clock.advance(60_000);
    const others = [candidate('b'), candidate('c')];
    await clock.advance(retry);

    dead.client.trouble = 'silent';
    await clock.advance(lease + retry);

    expect(others.filter(({ isWorking }) => isWorking())).toHaveLength(1);
  });
});

function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
