import { ElastiService } from '@elasti/api';
import { FakeClock, RecordingLogger } from '@elasti/operator-kit/testing';
import { ElastiDirectory } from '../crd-directory';
import { Informers } from '../informer';
import { parseOperatorConfig } from '../operator.config';
import { FakeCluster } from './fake-cluster.fixture';
import { anElastiService } from './objects.fixture';
import { RouteSweep } from './route-sweep';

function setup(fails: () => boolean = () => false) {
  const clock = new FakeClock();
  const cluster = new FakeCluster(clock);
  cluster.put(ElastiService, anElastiService());
  const logger = new RecordingLogger();
  const caches = cluster.attach();
  const sweeps: { web: boolean; gone: boolean }[] = [];
  const ledger = {
    releaseUnclaimed: async (isClaimed: (namespace: string, service: string) => boolean) => {
      sweeps.push({ web: isClaimed('shop', 'web'), gone: isClaimed('shop', 'gone') });
      if (fails()) throw new Error('the API server is away');
    },
  };
  const sweep = new RouteSweep(ledger, new ElastiDirectory(new Informers(caches, caches, parseOperatorConfig({}))), clock, logger);
  const stop = new AbortController();
  return { clock, logger, sweeps, stop, running: () => sweep.run(stop.signal) };
}

describe('RouteSweep', () => {
  it('frees what no ElastiService claims, at the start and every hour', async () => {
    const { clock, sweeps, stop, running } = setup();

    const end = running();
    await clock.advance(3_600_000);
    stop.abort();
    await end;

    expect(sweeps).toEqual([
      { web: true, gone: false },
      { web: true, gone: false },
    ]);
  });

  it('tries again after a minute when it could not, and says so', async () => {
    const { clock, sweeps, logger, stop, running } = setup(() => sweeps.length === 1);

    const end = running();
    await clock.advance(60_000);
    stop.abort();
    await end;

    expect(sweeps).toHaveLength(2);
    expect(logger.messages('warn')).toEqual(['unclaimed routes could not be freed']);
  });

  it('leaves no timer behind when the lead is lost', async () => {
    const { clock, stop, running } = setup();

    const end = running();
    await clock.advance(0);
    stop.abort();
    await end;

    expect(clock.pendingTimers).toBe(0);
  });
});
