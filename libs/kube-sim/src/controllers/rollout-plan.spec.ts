import { planRollout, strategyOf } from './rollout-plan';

const counts = (wanted: number, available = wanted) => ({ wanted, available, running: wanted });

describe('planRollout', () => {
  const rolling = { kind: 'rolling', surge: 1, unavailable: 1 } as const;

  it('makes new pods first, as many as the surge has room for', () => {
    expect(planRollout(4, rolling, counts(0), [counts(4)])).toEqual({ current: 1, old: [4] });
  });

  it('ends old pods only down to what must stay available', () => {
    expect(planRollout(4, rolling, counts(1, 0), [counts(4)])).toEqual({ current: 1, old: [3] });
  });

  it('ends old pods that serve nobody before those that serve', () => {
    expect(planRollout(4, rolling, counts(2, 2), [counts(2, 2), counts(1, 0)])).toEqual({ current: 2, old: [1, 0] });
  });

  it('ends all old pods once the new ones are available', () => {
    expect(planRollout(2, rolling, counts(2), [counts(1)])).toEqual({ current: 2, old: [0] });
  });

  it('recreates only after the last old pod has gone', () => {
    const ending = { wanted: 0, available: 0, running: 1 };

    expect(planRollout(2, { kind: 'recreate' }, counts(0), [ending])).toEqual({ current: 0, old: [0] });
    expect(planRollout(2, { kind: 'recreate' }, counts(0), [{ ...ending, running: 0 }])).toEqual({ current: 2, old: [0] });
  });
});

describe('strategyOf', () => {
  it('rounds the surge up and what may be missing down', () => {
    expect(strategyOf({}, 5)).toEqual({ kind: 'rolling', surge: 2, unavailable: 1 });
  });

  it('lets one be missing when neither is allowed, so that a rollout can move', () => {
    const strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } };

    expect(strategyOf({ strategy }, 2)).toMatchObject({ surge: 0, unavailable: 1 });
  });
});
