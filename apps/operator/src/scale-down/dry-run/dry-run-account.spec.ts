import fc from 'fast-check';
import { DryRunAccount, type DryRunObservation } from './dry-run-account';

const beginMs = Date.UTC(2030, 0, 1);
const hourMs = 3_600_000;

/** What comes of observations an hour apart. */
function accountAfter(...observations: DryRunObservation[]): DryRunAccount {
  return observations.reduce(
    (account, observation, hour) => account.after(observation, beginMs + hour * hourMs),
    DryRunAccount.begin(beginMs),
  );
}

describe('DryRunAccount', () => {
  it.each<[string, DryRunObservation[], object]>([
    ['begins with nothing', [], { sleptSeconds: 0, wakes: 0 }],
    ['falls asleep when idle', ['awake', 'idle'], { sleptSeconds: 0, wakes: 0, asleepSince: '2030-01-01T01:00:00Z' }],
    ['sleeps on while idle', ['idle', 'idle', 'idle'], { sleptSeconds: 0, wakes: 0, asleepSince: '2030-01-01T00:00:00Z' }],
    ['wakes when it must be awake', ['idle', 'idle', 'awake'], { sleptSeconds: 7_200, wakes: 1 }],
    ['is woken once, however long it is awake', ['idle', 'awake', 'awake', 'awake'], { sleptSeconds: 3_600, wakes: 1 }],
    ['is not woken from being awake', ['awake', 'unknown', 'awake'], { sleptSeconds: 0, wakes: 0 }],
    ['sleeps on while nobody can tell', ['idle', 'unknown', 'idle', 'awake'], { sleptSeconds: 10_800, wakes: 1 }],
    ['stays awake while nobody can tell', ['awake', 'unknown', 'unknown'], { sleptSeconds: 0, wakes: 0 }],
    ['ends its sleep unwoken when it cannot sleep any more', ['idle', 'off', 'off'], { sleptSeconds: 3_600, wakes: 0 }],
    ['adds sleeps up', ['idle', 'awake', 'idle', 'idle', 'awake'], { sleptSeconds: 10_800, wakes: 2 }],
  ])('%s', (_what, observations, expected) => {
    expect(accountAfter(...observations).toStatus()).toEqual({ since: '2030-01-01T00:00:00Z', ...expected });
  });

  it('is the same object when nothing changed, so that nothing is written', () => {
    const awake = accountAfter('awake');
    const asleep = accountAfter('idle');

    expect(awake.after('awake', beginMs + hourMs)).toBe(awake);
    expect(awake.after('unknown', beginMs + hourMs)).toBe(awake);
    expect(awake.after('off', beginMs + hourMs)).toBe(awake);
    expect(asleep.after('idle', beginMs + hourMs)).toBe(asleep);
    expect(asleep.after('unknown', beginMs + hourMs)).toBe(asleep);
  });

  it('counts the sleep it would be in', () => {
    expect(accountAfter('idle', 'awake', 'idle').sleptSecondsAt(beginMs + 4 * hourMs)).toBe(3 * 3_600);
  });

  it.each([
    { since: 'soon', sleptSeconds: 0, wakes: 0 },
    { since: '2030-01-01T00:00:00Z', sleptSeconds: -1, wakes: 0 },
    { since: '2030-01-01T00:00:00Z', sleptSeconds: 0.5, wakes: 0 },
    { since: '2030-01-01T00:00:00Z', sleptSeconds: 0, wakes: -1 },
    { since: '2030-01-01T00:00:00Z', sleptSeconds: 0, wakes: 0, asleepSince: '' },
  ])('does not go on from what is no account: %j', (status) => {
    expect(DryRunAccount.fromStatus(status)).toBeUndefined();
  });

  describe('whatever happens', () => {
    const anyObservation = fc.constantFrom<DryRunObservation>('idle', 'idle', 'awake', 'awake', 'unknown', 'off');
    const anyHistory = fc.array(fc.record({ laterMs: fc.nat(200_000), observation: anyObservation, restarts: fc.boolean() }), {
      maxLength: 40,
    });
    const anyClock = fc.array(fc.record({ laterMs: fc.integer({ min: -100_000, max: 200_000 }), observation: anyObservation }), {
      maxLength: 40,
    });

    it('it never slept longer than time has passed, nor was woken more often than it fell asleep', () => {
      fc.assert(
        fc.property(fc.nat(5_000), anyHistory, (offsetMs, history) => {
          let nowMs = beginMs + offsetMs;
          let account = DryRunAccount.begin(nowMs);
          let sleeps = 0;
          for (const { laterMs, observation } of history) {
            nowMs += laterMs;
            const next = account.after(observation, nowMs);
            if (next.isAsleep && !account.isAsleep) sleeps++;
            account = next;

            expect(account.sleptSecondsAt(nowMs)).toBeLessThanOrEqual(account.elapsedSecondsAt(nowMs));
            expect(account.wakeCount).toBeLessThanOrEqual(sleeps);
          }
        }),
      );
    });

    it('a restart loses nothing, since the status holds it all', () => {
      fc.assert(
        fc.property(anyHistory, (history) => {
          let nowMs = beginMs;
          let [steady, restarted] = [DryRunAccount.begin(nowMs), DryRunAccount.begin(nowMs)];
          for (const { laterMs, observation, restarts } of history) {
            nowMs += laterMs;
            steady = steady.after(observation, nowMs);
            restarted = (restarts ? (DryRunAccount.fromStatus(restarted.toStatus()) ?? restarted) : restarted).after(observation, nowMs);

            expect(restarted.toStatus()).toEqual(steady.toStatus());
          }
        }),
      );
    });

    it('a clock that goes back takes away nothing that was slept', () => {
      fc.assert(
        fc.property(anyClock, (history) => {
          let nowMs = beginMs;
          let account = DryRunAccount.begin(nowMs);
          for (const { laterMs, observation } of history) {
            nowMs += laterMs;
            const next = account.after(observation, nowMs);

            expect(next.toStatus().sleptSeconds).toBeGreaterThanOrEqual(account.toStatus().sleptSeconds);
            account = next;
          }
        }),
      );
    });
  });
});
