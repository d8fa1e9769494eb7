import * as fc from 'fast-check';
import { decideMode, type ModeInputs, modeOf, type ModeStep } from './decide-mode';

const awake: ModeInputs = {
  replicas: 1,
  readyForMs: 60_000,
  publishedForMs: undefined,
  isProxySliceLeft: false,
  wantsSleep: false,
  settleMs: 5_000,
  graceMs: 3_000,
};

describe('decideMode', () => {
  it.each<[string, Partial<ModeInputs>, ModeStep]>([
    ['a target that is awake and wanted serves', {}, { step: 'serve' }],
    ['pods that fail while they serve stay the own affair of the Service', { readyForMs: undefined }, { step: 'serve' }],
    ['a target at zero is proxied, though somebody else scaled it', { replicas: 0, readyForMs: undefined }, { step: 'proxy' }],
    ['a target at zero is proxied, though its last pod still looks ready', { replicas: 0, isProxySliceLeft: true }, { step: 'proxy' }],
    ['a target at zero is proxied, though it is to sleep', { replicas: 0, wantsSleep: true, publishedForMs: 9_000 }, { step: 'proxy' }],
    ['an idle one is prepared first', { wantsSleep: true }, { step: 'prepare' }],
    ['an idle one waits for the settle time', { wantsSleep: true, publishedForMs: 4_000 }, { step: 'prepare', waitMs: 1_000 }],
    ['an idle one is scaled down when it is over', { wantsSleep: true, publishedForMs: 5_000 }, { step: 'scale down' }],
    ['one that wakes is proxied until it has a ready pod', { isProxySliceLeft: true, readyForMs: undefined }, { step: 'proxy' }],
    ['one that has just become ready stays for the grace', { isProxySliceLeft: true, readyForMs: 1_000 }, { step: 'proxy', waitMs: 2_000 }],
    ['one that has been ready for the grace is handed over', { isProxySliceLeft: true, readyForMs: 3_000 }, { step: 'serve' }],
    ['one that is wanted again before it slept is handed back', { isProxySliceLeft: true, publishedForMs: 2_000 }, { step: 'serve' }],
  ])('%s', (_what, inputs, step) => {
    expect(decideMode({ ...awake, ...inputs })).toEqual(step);
  });

  it('takes the last pod away only from a target that asked for sleep and has had resolvers for the settle time', () => {
    const duration = fc.option(fc.nat(20_000), { nil: undefined });
    const inputs = fc.record({
      replicas: fc.nat(3),
      readyForMs: duration,
      publishedForMs: duration,
      isProxySliceLeft: fc.boolean(),
      wantsSleep: fc.boolean(),
      settleMs: fc.nat(10_000),
      graceMs: fc.nat(10_000),
    });

    fc.assert(
      fc.property(inputs, (given) => {
        if (decideMode(given).step !== 'scale down') return;
        expect(given).toMatchObject({ wantsSleep: true });
        expect(given.publishedForMs).toBeGreaterThanOrEqual(given.settleMs);
        expect(given.replicas).toBeGreaterThan(0);
      }),
    );
  });

  it('calls it proxy only while the resolvers take all of the traffic', () => {
    const steps: ModeStep[] = [{ step: 'serve' }, { step: 'prepare' }, { step: 'scale down' }, { step: 'proxy' }];

    expect(steps.map(modeOf)).toEqual(['serve', 'serve', 'serve', 'proxy']);
  });
});
