import { formatDryRun } from './format-dry-run';

const since = '2030-01-01T00:00:00Z';
const nowMs = (days: number, hours = 0, minutes = 0) => Date.UTC(2030, 0, 1 + days, hours, minutes);

describe('formatDryRun', () => {
  it.each([
    [{ sleptSeconds: 61 * 3_600, wakes: 9 }, nowMs(7), 'would have slept 61 h in 7 days, woken 9 times'],
    [{ sleptSeconds: 61 * 3_600 + 3_599, wakes: 1 }, nowMs(7), 'would have slept 61 h in 7 days, woken once'],
    [{ sleptSeconds: 0, wakes: 0 }, nowMs(0), 'would have slept 0 min in 0 min, never woken'],
    [{ sleptSeconds: 1_800, wakes: 1 }, nowMs(0, 1), 'would have slept 30 min in 60 min, woken once'],
    [{ sleptSeconds: 7_200, wakes: 2 }, nowMs(1), 'would have slept 2 h in 24 h, woken 2 times'],
    [{ sleptSeconds: 50 * 3_600, wakes: 2 }, nowMs(2, 4), 'would have slept 50 h in 3 days, woken 2 times'],
    [{ sleptSeconds: 0, wakes: 0, asleepSince: '2030-01-02T00:00:00Z' }, nowMs(3), 'would have slept 48 h in 3 days, never woken'],
    [{ sleptSeconds: 9, wakes: 0, asleepSince: 'x' }, nowMs(3), 'the account of the dry run cannot be read, and begins anew'],
  ])('puts %j into a sentence', (account, atMs, sentence) => {
    expect(formatDryRun({ since, ...account }, atMs)).toBe(sentence);
  });
});
