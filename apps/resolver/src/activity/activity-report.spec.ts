import { settle } from '@elasti/operator-kit/testing';
import { GateBench } from '../gate/gate.fixture';
import { ActivityReport } from './activity-report';

const web = { namespace: 'shop', service: 'web' };

function setup() {
  const bench = new GateBench();
  return { bench, report: new ActivityReport(bench.gate, bench.clock) };
}

describe('ActivityReport', () => {
  it('tells what is open, and how long ago the last request began', async () => {
    const { bench, report } = setup();
    bench.enter();
    await bench.clock.advance(1_500);

    expect(report.all()).toEqual({ services: [{ ...web, open: 1, lastRequestAgoMs: 1_500 }], countedForMs: 1_500 });
    expect(report.one(web)).toEqual(report.all());
  });

  it('has nothing to tell of a Service that nobody asked for', () => {
    const { report } = setup();

    expect([report.all(), report.one(web), report.one({ ...web, service: 'stranger' })]).toEqual([
      { services: [], countedForMs: 0 },
      { services: [], countedForMs: 0 },
      { services: [], countedForMs: 0 },
    ]);
  });

  it('remembers the last request after all is over', async () => {
    const { bench, report } = setup();
    const attempt = bench.enter();
    bench.ready('a');
    await settle();
    attempt.lease?.release('done');

    await bench.clock.advance(60_000);

    expect(report.one(web)).toEqual({ services: [{ ...web, open: 0, lastRequestAgoMs: 60_000 }], countedForMs: 60_000 });
  });

  it('tells how long it has been counting, and not how long the machine has been up', async () => {
    const { bench } = setup();
    await bench.clock.advance(86_400_000);
    const report = new ActivityReport(bench.gate, bench.clock);

    await bench.clock.advance(2_500.9);

    expect([report.all().countedForMs, report.one(web).countedForMs]).toEqual([2_500, 2_500]);
  });

  it('has a queue status of 1 while something is held', async () => {
    const { bench, report } = setup();
    const before = report.queueStatus(web);
    bench.enter();
    const during = report.queueStatus(web);
    bench.ready('a');

    expect([before, during, report.queueStatus(web)]).toEqual([{ queueStatus: 0 }, { queueStatus: 1 }, { queueStatus: 0 }]);
  });
});
