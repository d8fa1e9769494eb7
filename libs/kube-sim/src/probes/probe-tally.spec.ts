import { ProbeTally } from './probe-tally';

describe('ProbeTally', () => {
  it('changes its verdict only after as many equal outcomes in a row as the threshold says', () => {
    const tally = new ProbeTally({ successThreshold: 2, failureThreshold: 3 }, 'failing');

    const verdicts = (['passed', 'failed', 'passed', 'passed', 'failed', 'failed', 'passed', 'failed', 'failed', 'failed'] as const).map(
      (outcome) => tally.add(outcome),
    );

    expect(verdicts).toEqual([
      ...['failing', 'failing', 'failing'],
      ...['passing', 'passing', 'passing', 'passing', 'passing', 'passing'],
      'failing',
    ]);
  });

  it('is undecided until the first threshold is reached', () => {
    const tally = new ProbeTally({ successThreshold: 1, failureThreshold: 2 }, 'undecided');

    expect([tally.add('failed'), tally.add('passed')]).toEqual(['undecided', 'passing']);
  });
});
