import { cooldownSOf, minTargetReplicasOf } from './spec-defaults';

describe('the defaults of a spec', () => {
  it.each([
    [undefined, 900],
    [0, 900],
    [1, 1],
    [604_800, 604_800],
  ])('take a cooldownPeriod of %s for %d s', (cooldownPeriod, expected) => {
    expect(cooldownSOf({ cooldownPeriod })).toBe(expected);
  });

  it.each([
    [undefined, 1],
    [0, 1],
    [3, 3],
  ])('take minTargetReplicas %s for %d', (minTargetReplicas, expected) => {
    expect(minTargetReplicasOf({ minTargetReplicas })).toBe(expected);
  });
});
