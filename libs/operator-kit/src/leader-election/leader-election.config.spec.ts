import { type LeaderElectionOptions, leaderElectionConfig } from './leader-election.config';
import { LeaderElectionConfigError } from './leader-election.errors';

const names = { namespace: 'shop', name: 'operator' };

describe('leaderElectionConfig', () => {
  it('Configuration is refused unless lease > renew deadline > retry * 1.2', () => {
    const refused = (timing: object) => expect(() => leaderElectionConfig({ ...names, ...timing })).toThrow(LeaderElectionConfigError);

    refused({ leaseDurationMs: 10_000, renewDeadlineMs: 10_000 });
    refused({ leaseDurationMs: 5_000 });
    refused({ renewDeadlineMs: 2_400, retryPeriodMs: 2_000 });
    refused({ retryPeriodMs: 0 });
    expect(leaderElectionConfig({ ...names, leaseDurationMs: 3_000, renewDeadlineMs: 2_401, retryPeriodMs: 2_000 })).toBeDefined();
  });

  it('Defaults 15 s / 10 s / 2 s', () => {
    expect(leaderElectionConfig(names)).toMatchObject({ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 });
  });

  it('names every mistake in one message', () => {
    const options = { namespace: '', name: '', leaseDurationMs: 1_500, renewDeadlineMs: 2_000, retryPeriodMs: -1 };

    const mistakes = mistakesOf(options);

    expect(mistakes).toEqual([
      'namespace is empty: give it a value',
      'name is empty: give it a value',
      'retryPeriodMs is -1: give it a positive number of milliseconds',
      'leaseDurationMs is 1500: a Lease counts whole seconds, give it a multiple of 1000',
      'leaseDurationMs (1500) must be greater than renewDeadlineMs (2000), or two processes could lead',
    ]);
  });

  it('gives every process an identity of its own', () => {
    expect(leaderElectionConfig(names).identity).not.toBe(leaderElectionConfig(names).identity);
  });
});

function mistakesOf(options: LeaderElectionOptions): readonly string[] {
  try {
    leaderElectionConfig(options);
    return [];
  } catch (error) {
    return error instanceof LeaderElectionConfigError ? error.mistakes : [String(error)];
  }
}
