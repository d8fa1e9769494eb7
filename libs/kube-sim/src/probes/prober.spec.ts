import { ManualClock } from '../manual-clock.fixture';
import { type ProbeOutcome, type ProbeVerdict } from './probe-tally';
import { type ProbePace, Prober } from './prober';

const timing = { initialDelayMs: 0, periodMs: 10_000, timeoutMs: 1000, successThreshold: 1, failureThreshold: 3 };

function setup(pace: ProbePace, initial: ProbeVerdict, overrides: Partial<typeof timing> = {}) {
  const clock = new ManualClock();
  const startMs = clock.nowMs();
  const verdicts: [ProbeVerdict, number][] = [];
  const looksAtMs: number[] = [];
  const state: { outcome: ProbeOutcome | 'hangs' } = { outcome: 'failed' };
  const check = (signal: AbortSignal): Promise<ProbeOutcome> => {
    looksAtMs.push(clock.nowMs() - startMs);
    if (state.outcome !== 'hangs') return Promise.resolve(state.outcome);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('aborted'));
      });
    });
  };
  const prober = new Prober({ ...timing, ...overrides }, pace, initial, check, clock, (verdict) => {
    verdicts.push([verdict, clock.nowMs() - startMs]);
  });
  prober.start();
  return { clock, verdicts, looksAtMs, state, prober };
}

describe('Prober', () => {
  it('looks once a period and tells each change', async () => {
    const { clock, verdicts, state } = setup('steady', 'passing');

    await clock.advance(25_000);
    state.outcome = 'passed';
    await clock.advance(10_000);

    expect(verdicts).toEqual([
      ['failing', 20_000],
      ['passing', 30_000],
    ]);
  });

  it('waits for the initial delay', async () => {
    const { clock, looksAtMs } = setup('steady', 'passing', { initialDelayMs: 5000 });

    await clock.advance(6000);

    expect(looksAtMs).toEqual([5000]);
  });

  it('finds a fast start within a tenth of its time, whatever the period', async () => {
    const { clock, verdicts, state } = setup('eager', 'failing');

    await clock.advance(2000);
    state.outcome = 'passed';
    await clock.advance(1000);

    const [[verdict, atMs] = ['undecided', 0] as const] = verdicts;
    expect(verdict).toBe('passing');
    expect(atMs).toBeLessThanOrEqual(2200);
  });

  it('keeps to its period once it has passed', async () => {
    const { clock, looksAtMs, state } = setup('eager', 'failing');
    state.outcome = 'passed';

    await clock.advance(25_000);

    expect(looksAtMs).toEqual([0, 10_000, 20_000]);
  });

  it('does not count the failures of its eagerness', async () => {
    const { clock, verdicts } = setup('eager', 'undecided');

    await clock.advance(19_000);
    expect(verdicts).toEqual([]);
    await clock.advance(3000);

    expect(verdicts.map(([verdict]) => verdict)).toEqual(['failing']);
  });

  it('counts a look that takes too long as failed', async () => {
    const { clock, verdicts, state } = setup('steady', 'passing', { failureThreshold: 1 });
    state.outcome = 'hangs';

    await clock.advance(1000);

    expect(verdicts).toEqual([['failing', 1000]]);
  });

  it('ends its look and leaves no timer', async () => {
    const { clock, verdicts, state, prober } = setup('steady', 'passing', { failureThreshold: 1 });
    state.outcome = 'hangs';
    await clock.advance(500);

    prober.stop();
    await clock.advance(60_000);

    expect([verdicts, clock.pending]).toEqual([[], 0]);
  });
});
