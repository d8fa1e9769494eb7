import { FakeClock, RecordingLogger } from '@elasti/operator-kit/testing';
import { Drain } from './drain';
import type { SliceReader } from './own-mentions';

const config = { podIps: ['10.0.0.1'], settleMs: 5_000, loadBalancerSettleMs: 40_000, graceMs: 60_000 };

/** A resolver with some connections, each step of whose end is written down. */
class Bench {
  readonly clock = new FakeClock();
  readonly logger = new RecordingLogger();
  readonly steps: string[] = [];
  readonly unnamed = Promise.withResolvers<SliceReader>();
  readonly forwarder = {
    openConnections: 2,
    tellToGo: () => void this.steps.push('tells clients to go'),
    drain: () => void this.steps.push('closes what is idle'),
    endStreams: () => void this.steps.push('ends streams'),
    stop: () => void this.steps.push('ends all'),
  };
  readonly ports = {
    isSharedListening: true,
    close: () => {
      if (!this.steps.includes('closes its ports')) this.steps.push('closes its ports');
      return Promise.resolve();
    },
  };
  state: 'draining' | 'over' = 'draining';

  build(knowsItself: 'by address' | 'not at all' = 'by address', settings = config): Drain {
    const { clock, logger, forwarder, ports } = this;
    return new Drain(settings, {
      clock,
      logger,
      forwarder,
      ports,
      gate: { held: 1, close: () => undefined },
      waker: { stop: () => undefined },
      call: { close: () => Promise.resolve() },
      ...(knowsItself === 'by address' && { mentions: { gone: (signal) => this.untilUnnamed(signal) } }),
    });
  }

  begin(drain: Drain): void {
    void drain.onModuleDestroy().then(() => (this.state = 'over'));
  }

  private untilUnnamed(signal: AbortSignal): Promise<SliceReader> {
    return new Promise((resolve, reject) => {
      void this.unnamed.promise.then(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  }
}

describe('Drain', () => {
  it('is unready at once, and keeps its ports for as long as a slice names the pod', async () => {
    const bench = new Bench();
    const drain = bench.build();
    const before = drain.isDraining;

    bench.begin(drain);
    await bench.clock.advance(30_000);

    expect([before, drain.isDraining]).toEqual([false, true]);
    expect(bench.steps).toEqual(['tells clients to go']);
  });

  it('gives data planes their time after the last mention, and ends when the last connection has', async () => {
    const bench = new Bench();
    bench.begin(bench.build());
    bench.unnamed.resolve('data plane');
    await bench.clock.advance(4_999);
    const settling = [...bench.steps];

    await bench.clock.advance(1);
    const closed = [...bench.steps, bench.state];
    bench.forwarder.openConnections = 0;
    await bench.clock.advance(100);

    expect(settling).toEqual(['tells clients to go']);
    expect(closed).toEqual(['tells clients to go', 'closes its ports', 'closes what is idle', 'draining']);
    expect(bench.state).toBe('over');
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it('gives load balancers more time than that', async () => {
    const bench = new Bench();
    bench.begin(bench.build());
    bench.unnamed.resolve('load balancer');
    await bench.clock.advance(39_999);
    const settling = [...bench.steps];

    await bench.clock.advance(1);

    expect([settling, bench.steps.at(1)]).toEqual([['tells clients to go'], 'closes its ports']);
  });

  it.each([
    ['half a minute', 100_000, 30_000],
    ['half of a grace that is shorter', 20_000, 10_000],
  ])('ends what has no end of its own after %s', async (_name, graceMs, afterMs) => {
    const bench = new Bench();
    bench.ports.isSharedListening = false;
    bench.begin(bench.build('by address', { ...config, graceMs }));

    await bench.clock.advance(afterMs - 100);
    const before = bench.steps.includes('ends streams');
    await bench.clock.advance(100);

    expect([before, bench.steps.at(-1), bench.state]).toEqual([false, 'ends streams', 'draining']);
  });

  it('ends again what has become a stream since', async () => {
    const bench = new Bench();
    bench.ports.isSharedListening = false;
    bench.begin(bench.build('by address', { ...config, graceMs: 100_000 }));

    await bench.clock.advance(60_000);

    expect(bench.steps.filter((step) => step === 'ends streams')).toHaveLength(2);
  });

  it('ends with the grace, whatever is still open, and says so', async () => {
    const bench = new Bench();
    bench.begin(bench.build());

    await bench.clock.advance(60_000);

    expect(bench.state).toBe('over');
    expect(bench.steps.at(-1)).toBe('ends all');
    expect(bench.logger.entries.at(-1)).toMatchObject({ level: 'warn', fields: { held: 1, connections: 2 } });
  });

  it('ends at once when it is cut short', async () => {
    const bench = new Bench();
    const drain = bench.build();
    bench.begin(drain);
    await bench.clock.advance(1_000);

    drain.endNow();
    await bench.clock.advance(0);

    expect(bench.state).toBe('over');
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it('waits a fixed time where the pod does not know its own address', async () => {
    const bench = new Bench();
    bench.begin(bench.build('not at all'));
    await bench.clock.advance(19_999);
    const before = [...bench.steps];

    await bench.clock.advance(1);

    expect(before).toEqual(['tells clients to go']);
    expect(bench.steps).toContain('closes its ports');
  });

  it('waits for nobody when it never listened', async () => {
    const bench = new Bench();
    bench.ports.isSharedListening = false;
    bench.forwarder.openConnections = 0;

    bench.begin(bench.build());
    await bench.clock.advance(0);

    expect(bench.state).toBe('over');
  });
});
