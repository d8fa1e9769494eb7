import { findCondition, isConditionTrue, setCondition } from './condition';
import type { Condition } from './condition';

const then = '2030-01-01T00:00:00Z';
const now = '2030-01-01T01:00:00Z';

const ready = (overrides: Partial<Condition> = {}): Condition => ({
  type: 'Ready',
  status: 'True',
  reason: 'AllGood',
  message: 'everything runs',
  observedGeneration: 1,
  lastTransitionTime: then,
  ...overrides,
});

describe('setCondition', () => {
  it('Conditions: lastTransitionTime moves only on a status change', () => {
    const same = setCondition([ready()], { ...ready(), reason: 'StillGood' }, now);
    const changed = setCondition([ready()], { ...ready(), status: 'False' }, now);

    expect(findCondition(same, 'Ready')?.lastTransitionTime).toBe(then);
    expect(findCondition(changed, 'Ready')?.lastTransitionTime).toBe(now);
  });

  it('observedGeneration, reason and message follow', () => {
    const update = { type: 'Ready', status: 'True', reason: 'Better', message: 'even more runs', observedGeneration: 7 } as const;

    expect(setCondition([ready()], update, now)).toEqual([{ ...update, lastTransitionTime: then }]);
  });

  it('adds a condition that was not there, at the end', () => {
    const update = { type: 'Progressing', status: 'Unknown', reason: 'JustBegun', message: '' } as const;

    expect(setCondition([ready()], update, now)).toEqual([ready(), { ...update, lastTransitionTime: now }]);
    expect(setCondition(undefined, update, now)).toEqual([{ ...update, lastTransitionTime: now }]);
  });

  it('changes nothing that it was given', () => {
    const conditions = Object.freeze([Object.freeze(ready()), Object.freeze(ready({ type: 'Other' }))]);

    const next = setCondition(conditions, { ...ready(), status: 'False' }, now);

    expect(conditions[0]?.status).toBe('True');
    expect(next[1]).toBe(conditions[1]);
  });
});

describe('reading conditions', () => {
  it('tells whether a condition is true', () => {
    const conditions = [ready(), ready({ type: 'Degraded', status: 'False' })];

    expect([isConditionTrue(conditions, 'Ready'), isConditionTrue(conditions, 'Degraded'), isConditionTrue(conditions, 'Absent')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
  });
});
