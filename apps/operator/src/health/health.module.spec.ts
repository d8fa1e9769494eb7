import { ControllerManager, KubeClient } from '@elasti/operator-kit';
import { OperatorKitModule } from '@elasti/operator-kit/nest';
import { FakeClock, RecordingLogger } from '@elasti/operator-kit/testing';
import { Test } from '@nestjs/testing';
import { register } from 'prom-client';
import { HealthController } from './health.controller';
import { HealthModule } from './health.module';

async function setup() {
  const logger = new RecordingLogger();
  const manager = {
    logger,
    isLeader: false,
    isLeaseOverdue: false,
    leaderIdentity: 'other',
    cacheTrouble: { unsynced: [] as string[], stale: [] as string[] },
    start: () => Promise.resolve(),
  };
  const client = KubeClient.forServer({ server: 'http://127.0.0.1:1' });
  const module = await Test.createTestingModule({
    imports: [OperatorKitModule.forRoot({ name: 'operator', client, clock: new FakeClock() }), HealthModule],
  })
    .overrideProvider(ControllerManager)
    .useValue(manager)
    .compile();
  const probes = module.get(HealthController);
  const verdict = async () => ({
    healthy: await probes.healthz().then(
      () => true,
      () => false,
    ),
    ready: await probes.readyz().then(
      () => true,
      () => false,
    ),
  });
  return { module, manager, logger, verdict };
}

describe('HealthModule', () => {
  afterEach(() => register.clear());

  it('is healthy and ready while another replica leads', async () => {
    const { verdict } = await setup();

    await expect(verdict()).resolves.toEqual({ healthy: true, ready: true });
  });

  it.each([
    { unsynced: ['services'], stale: [] },
    { unsynced: [], stale: ['services'] },
  ])('is unready but healthy while its caches have trouble: %p', async (cacheTrouble) => {
    const { manager, verdict } = await setup();
    manager.cacheTrouble = cacheTrouble;

    await expect(verdict()).resolves.toEqual({ healthy: true, ready: false });
  });

  it('is unready until it knows who leads, and stays ready while the lead changes hands', async () => {
    const { manager, verdict } = await setup();
    manager.leaderIdentity = '';

    const before = await verdict();
    manager.leaderIdentity = 'other';
    await verdict();
    manager.leaderIdentity = '';

    expect(before).toEqual({ healthy: true, ready: false });
    await expect(verdict()).resolves.toEqual({ healthy: true, ready: true });
  });

  it('is unhealthy with a lease it has failed to renew', async () => {
    const { manager, verdict } = await setup();
    manager.isLeaseOverdue = true;

    await expect(verdict()).resolves.toEqual({ healthy: false, ready: false });
  });

  it('is unready but healthy from the moment it stops', async () => {
    const { module, verdict } = await setup();
    await module.init();

    await module.close();

    await expect(verdict()).resolves.toEqual({ healthy: true, ready: false });
  });

  it('logs when a probe begins to fail and when it passes again, once each', async () => {
    const { manager, logger, verdict } = await setup();
    manager.cacheTrouble = { unsynced: ['services'], stale: [] };
    await verdict();
    await verdict();

    manager.cacheTrouble = { unsynced: [], stale: [] };
    await verdict();
    await verdict();

    expect(logger.entries.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'a probe fails'],
      ['info', 'a probe passes again'],
    ]);
  });
});
