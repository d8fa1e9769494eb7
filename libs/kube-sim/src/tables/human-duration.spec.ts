import { humanDuration } from './human-duration';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('humanDuration', () => {
  it.each([
    [-5 * second, '<invalid>'],
    [-1 * second, '0s'],
    [0, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [2 * minute + 30 * second, '2m30s'],
    [10 * minute + 30 * second, '10m'],
    [179 * minute, '179m'],
    [3 * hour, '3h'],
    [3 * hour + 5 * minute, '3h5m'],
    [8 * hour + 5 * minute, '8h'],
    [47 * hour, '47h'],
    [2 * day, '2d'],
    [2 * day + 4 * hour, '2d4h'],
    [8 * day + 4 * hour, '8d'],
    [729 * day, '729d'],
    [730 * day, '2y'],
    [760 * day, '2y30d'],
    [3000 * day, '8y'],
  ])('prints %d ms as %s', (durationMs, expected) => {
    expect(humanDuration(durationMs)).toBe(expected);
  });
});
