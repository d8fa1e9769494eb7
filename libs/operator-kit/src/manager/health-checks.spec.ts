import { silentLogger } from '../logging';
import { FakeClock } from '../testing';
import { HealthChecks, formatReport } from './health-checks';

function setup() {
  const clock = new FakeClock();
  const checks = new HealthChecks('readyz', clock, silentLogger);
  const textOf = async (selection?: Parameters<HealthChecks['report']>[0]) => {
    const report = await checks.report(selection);
    return report && formatReport(report, 'verbose');
  };
  return { clock, checks, textOf };
}

const failing = () => {
  throw new Error('a secret reason');
};

describe('HealthChecks', () => {
  it('reports each check as Kubernetes does, without the reason', async () => {
    const { checks, textOf } = setup();
    checks.add('ping', () => undefined);
    checks.add('database', failing);

    expect(await textOf()).toBe('[+]ping ok\n[-]database failed: reason withheld\nreadyz check failed\n');
  });

  it('says just ok when everything is', async () => {
    const { checks } = setup();
    checks.add('ping', () => Promise.resolve());

    const report = await checks.report();

    expect(report && formatReport(report, 'brief')).toBe('ok');
  });

  it('leaves excluded checks out', async () => {
    const { checks, textOf } = setup();
    checks.add('ping', () => undefined);
    checks.add('database', failing);

    expect(await textOf({ exclude: ['database'] })).toBe('[+]ping ok\n[+]database excluded: ok\nreadyz check passed\n');
  });

  it('answers for one check alone, and for none that is unknown', async () => {
    const { checks, textOf } = setup();
    checks.add('ping', () => undefined);
    checks.add('database', failing);

    expect(await textOf({ only: 'ping' })).toBe('[+]ping ok\nreadyz check passed\n');
    expect(await textOf({ only: 'nonsense' })).toBeUndefined();
  });

  it('fails a check that gives no verdict in time', async () => {
    const { clock, checks, textOf } = setup();
    checks.add('slow', () => new Promise(() => undefined));

    const text = textOf();
    await clock.advance(2_000);

    expect(await text).toContain('[-]slow failed');
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses a name that is taken or cannot be asked for', () => {
    const { checks } = setup();
    checks.add('ping', () => undefined);

    expect(() => checks.add('ping', () => undefined)).toThrow("'ping' is taken");
    expect(() => checks.add('a/b', () => undefined)).toThrow("'a/b'");
  });
});
