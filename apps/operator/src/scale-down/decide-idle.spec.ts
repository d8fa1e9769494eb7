import { cooldownSOf } from '@elasti/api';
import fc from 'fast-check';
import { decideIdle, formatProblem, type IdleInputs, needsTriggers } from './decide-idle';
import { InvalidScheduleError } from './schedule';
import { InvalidTriggerError, TriggerError, type TriggerOutcome } from './triggers';

const nowMs = Date.UTC(2030, 0, 1);
const cooldownMs = 900_000;
const failed: TriggerOutcome = { error: new TriggerError('timeout', 'prometheus:9090 did not answer within 5 s') };
const triggers = (count: number) => Array.from({ length: count }, () => ({ type: 'prometheus' as const }));

/** A service that may sleep, but for what a test says. */
function inputs(overrides: Partial<IdleInputs> = {}): IdleInputs {
  return {
    spec: { triggers: triggers(Math.max(1, overrides.triggerOutcomes?.length ?? 1)), cooldownPeriod: 900, mode: 'Active' },
    nowMs,
    createdAtMs: nowMs - 10 * cooldownMs,
    lastScaledUpMs: nowMs - 2 * cooldownMs,
    period: 'always',
    triggerOutcomes: ['idle'],
    activity: 'quiet',
    replicas: 1,
    ...overrides,
  };
}

describe('decideIdle', () => {
  it('lets a service sleep when everything agrees', () => {
    expect(decideIdle(inputs())).toMatchObject({ verdict: 'sleep', intent: 'sleep', action: 'sleep', isBusy: false, stamp: false });
    expect(decideIdle(inputs({ period: 'inside', triggerOutcomes: ['idle', 'idle'] }))).toMatchObject({ verdict: 'sleep' });
  });

  it('leaves a service that sleeps already asleep', () => {
    expect(decideIdle(inputs({ replicas: 0 }))).toMatchObject({ verdict: 'asleep', intent: 'stay', stamp: false });
  });

  it('never acts by itself without triggers, also outside of the period', () => {
    const spec = { triggers: [] };

    expect(decideIdle(inputs({ spec, triggerOutcomes: [] }))).toMatchObject({ verdict: 'no triggers', action: 'stay', stamp: false });
    expect(decideIdle(inputs({ spec: {}, triggerOutcomes: [], period: 'outside', replicas: 0 }))).toMatchObject({
      verdict: 'no triggers',
      action: 'stay',
    });
  });

  it.each<[string, Partial<IdleInputs>, string]>([
    ['outside of its period', { period: 'outside', triggerOutcomes: [] }, 'outside period'],
    [
      'when its period cannot be read',
      { period: { problem: new InvalidScheduleError('enabledPeriod.duration', 'bad') } },
      'invalid period',
    ],
    ['when a trigger is busy', { triggerOutcomes: ['idle', 'busy'] }, 'busy'],
    ['when a trigger is busy and another cannot tell', { triggerOutcomes: [failed, 'busy'] }, 'busy'],
  ])('keeps a service awake and wakes a sleeping one %s', (_when, found, verdict) => {
    expect(decideIdle(inputs({ ...found, replicas: 2 }))).toMatchObject({ verdict, action: 'stay', isBusy: true, stamp: true });
    expect(decideIdle(inputs({ ...found, replicas: 0 }))).toMatchObject({ verdict, action: 'wake', isBusy: true, stamp: true });
  });

  it.each<[string, Partial<IdleInputs>, string]>([
    ['a trigger cannot tell', { triggerOutcomes: ['idle', failed] }, 'trigger error'],
    ['a trigger was not asked', { spec: { triggers: triggers(2) } }, 'trigger error'],
    ['a resolver does not say what goes through it', { activity: 'unknown' }, 'activity unknown'],
    ['the cooldown has not passed since it was created', { createdAtMs: nowMs - cooldownMs + 1 }, 'cooldown'],
    ['the cooldown has not passed since it was woken', { lastScaledUpMs: nowMs - cooldownMs + 1 }, 'cooldown'],
    ['the cooldown has not passed since it was busy', { lastBusyMs: nowMs - cooldownMs + 1 }, 'cooldown'],
    ['its last wake is in the future', { lastScaledUpMs: nowMs + 1 }, 'cooldown'],
    ['the time of its creation cannot be read', { createdAtMs: NaN }, 'cooldown'],
  ])('leaves a service as it is while %s', (_while, found, verdict) => {
    expect(decideIdle(inputs({ ...found, replicas: 1 }))).toMatchObject({ verdict, action: 'stay', isBusy: false, stamp: false });
    expect(decideIdle(inputs({ ...found, replicas: 0 }))).toMatchObject({ verdict, action: 'stay', isBusy: false, stamp: false });
  });

  it.each<[string, Partial<IdleInputs>]>([
    ['idle', {}],
    ['busy', { triggerOutcomes: ['busy'] }],
    ['outside of its period', { period: 'outside' }],
  ])('does nothing about a service without a target, be it %s', (_what, found) => {
    expect(decideIdle(inputs({ ...found, replicas: undefined }))).toMatchObject({
      verdict: 'no target',
      action: 'stay',
      isBusy: false,
      stamp: false,
    });
    expect(needsTriggers(inputs({ ...found, replicas: undefined }))).toBe(false);
  });

  it('keeps a service awake, and counts it as busy, while requests go through the resolver', () => {
    expect(decideIdle(inputs({ activity: 'active' }))).toMatchObject({
      verdict: 'active at resolver',
      action: 'stay',
      isBusy: true,
      stamp: true,
    });
  });

  it('lets a service sleep when exactly the cooldown has passed', () => {
    const sinceMs = nowMs - cooldownMs;

    expect(decideIdle(inputs({ createdAtMs: sinceMs, lastScaledUpMs: sinceMs, lastBusyMs: sinceMs }))).toMatchObject({ verdict: 'sleep' });
    expect(decideIdle(inputs({ createdAtMs: sinceMs, lastScaledUpMs: undefined }))).toMatchObject({ verdict: 'sleep' });
  });

  it('says which trigger kept it awake, and why', () => {
    expect(decideIdle(inputs({ triggerOutcomes: ['idle', 'busy'] })).reason).toBe('triggers[1] is busy');
    expect(decideIdle(inputs({ triggerOutcomes: [failed] })).reason).toBe('triggers[0]: prometheus:9090 did not answer within 5 s');
  });

  it('names the place of a bad setting once', () => {
    const problem = new InvalidTriggerError('triggers[2].metadata.query', 'is missing');

    expect(formatProblem(problem, 2)).toBe('triggers[2].metadata.query: is missing');
  });

  it('decides in a dry run as ever, and does nothing', () => {
    const spec = { triggers: triggers(1), mode: 'DryRun' as const };

    expect(decideIdle(inputs({ spec }))).toMatchObject({ verdict: 'sleep', intent: 'sleep', action: 'stay' });
    expect(decideIdle(inputs({ spec, triggerOutcomes: ['busy'], replicas: 0 }))).toMatchObject({
      verdict: 'busy',
      intent: 'wake',
      action: 'stay',
    });
  });

  it('stamps a busy service at most every quarter of its cooldown', () => {
    const stampsAfter = (agoMs: number) => decideIdle(inputs({ triggerOutcomes: ['busy'], lastScaledUpMs: nowMs - agoMs })).stamp;

    expect([0, cooldownMs / 4 - 1, cooldownMs / 4, cooldownMs].map(stampsAfter)).toEqual([false, false, true, true]);
    expect(decideIdle(inputs({ triggerOutcomes: ['busy'], lastScaledUpMs: undefined })).stamp).toBe(true);
  });

  it('stamps every wake, however soon it comes', () => {
    expect(decideIdle(inputs({ triggerOutcomes: ['busy'], lastScaledUpMs: nowMs, replicas: 0 }))).toMatchObject({
      action: 'wake',
      stamp: true,
    });
  });

  it('corrects a stamp that lies far in the future', () => {
    expect(decideIdle(inputs({ triggerOutcomes: ['busy'], lastScaledUpMs: nowMs + cooldownMs }))).toMatchObject({ stamp: true });
    expect(decideIdle(inputs({ triggerOutcomes: ['busy'], lastScaledUpMs: NaN }))).toMatchObject({ stamp: true });
  });

  describe('whatever the circumstances', () => {
    const anyMoment = fc.oneof(
      fc.integer({ min: nowMs - 3 * cooldownMs, max: nowMs + cooldownMs }),
      fc.constantFrom(nowMs, nowMs - cooldownMs, NaN),
    );
    const anyInputs: fc.Arbitrary<IdleInputs> = fc.record({
      spec: fc.record({
        triggers: fc.option(fc.nat(3).map(triggers), { nil: undefined }),
        cooldownPeriod: fc.constantFrom(undefined, 0, 5, 900, 1800),
        mode: fc.constantFrom(undefined, 'Active' as const, 'DryRun' as const),
      }),
      nowMs: fc.constant(nowMs),
      createdAtMs: anyMoment,
      lastScaledUpMs: fc.option(anyMoment, { nil: undefined }),
      lastBusyMs: fc.option(anyMoment, { nil: undefined }),
      period: fc.constantFrom<IdleInputs['period']>('always', 'always', 'inside', 'outside', {
        problem: new InvalidScheduleError('x', 'y'),
      }),
      triggerOutcomes: fc.array(fc.constantFrom<TriggerOutcome>('idle', 'idle', 'idle', 'busy', failed), { maxLength: 3 }),
      activity: fc.constantFrom('quiet', 'quiet', 'active', 'unknown'),
      replicas: fc.option(fc.nat(3), { nil: undefined }),
    });
    const hasPassed = (since: number | undefined, { spec }: IdleInputs) => since === undefined || nowMs - since >= cooldownSOf(spec) * 1000;

    it('sleep means that nothing speaks against it', () => {
      fc.assert(
        fc.property(anyInputs, (given) => {
          const { verdict, intent } = decideIdle(given);
          const agreed =
            given.triggerOutcomes.length > 0 &&
            given.triggerOutcomes.length === given.spec.triggers?.length &&
            given.triggerOutcomes.every((outcome) => outcome === 'idle') &&
            ['always', 'inside'].includes(given.period as string) &&
            given.activity === 'quiet' &&
            (given.replicas ?? 0) > 0 &&
            [given.createdAtMs, given.lastScaledUpMs, given.lastBusyMs].every((since) => hasPassed(since, given));

          expect(verdict === 'sleep').toBe(agreed);
          expect(intent === 'sleep').toBe(agreed);
        }),
        { numRuns: 2_000 },
      );
    });

    it('only a sleeping service is woken, and a dry run does nothing', () => {
      fc.assert(
        fc.property(anyInputs, (given) => {
          const { intent, action } = decideIdle(given);

          expect(intent === 'wake' && given.replicas !== 0).toBe(false);
          expect(action).toBe(given.spec.mode === 'DryRun' ? 'stay' : intent);
        }),
        { numRuns: 1_000 },
      );
    });

    it('triggers that need not be asked change nothing', () => {
      fc.assert(
        fc.property(anyInputs, (given) => {
          fc.pre(!needsTriggers(given));

          expect(decideIdle({ ...given, triggerOutcomes: [] })).toEqual(decideIdle(given));
        }),
        { numRuns: 500 },
      );
    });
  });
});

describe('cooldownSOf', () => {
  it('takes 0 and nothing for the default', () => {
    expect([undefined, 0, 5].map((cooldownPeriod) => cooldownSOf({ cooldownPeriod }))).toEqual([900, 900, 5]);
  });
});
