import { ControllerManager } from '@elasti/operator-kit';
import { ProbeJournal } from '@elasti/operator-kit/program';
import { RecordingLogger } from '@elasti/operator-kit/testing';
import { TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { Drain } from '../drain';
import { TrafficPorts } from '../traffic';
import { HealthController } from './health.controller';
import { ReadinessIndicators } from './readiness.indicators';

async function setup() {
  const logger = new RecordingLogger();
  const manager = { cacheTrouble: { unsynced: [] as string[], stale: [] as string[] } };
  const ports = { haveOpened: true };
  const drain = { isDraining: false };
  const module = await Test.createTestingModule({
    imports: [TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
    providers: [
      ReadinessIndicators,
      { provide: ControllerManager, useValue: manager },
      { provide: TrafficPorts, useValue: ports },
      { provide: Drain, useValue: drain },
      { provide: ProbeJournal, useValue: new ProbeJournal(logger) },
    ],
  }).compile();
  const probes = module.get(HealthController);
  const passes = (probe: 'healthz' | 'readyz') =>
    probes[probe]().then(
      () => true,
      () => false,
    );
  const verdict = async () => ({ healthy: await passes('healthz'), ready: await passes('readyz') });
  return { manager, ports, drain, logger, verdict };
}

describe('HealthController', () => {
  it('is ready when everything is known and the ports are open', async () => {
    const { verdict } = await setup();

    expect(await verdict()).toEqual({ healthy: true, ready: true });
  });

  it('stays ready while watches fail: what was known stays known', async () => {
    const { manager, verdict } = await setup();
    manager.cacheTrouble.stale = ['endpointslices.discovery.k8s.io'];

    expect(await verdict()).toEqual({ healthy: true, ready: true });
  });

  it('is unready but healthy until the caches are filled, until the ports are open, and from the moment it drains', async () => {
    const { manager, ports, drain, verdict } = await setup();

    manager.cacheTrouble.unsynced = ['services'];
    const unsynced = await verdict();
    manager.cacheTrouble.unsynced = [];
    ports.haveOpened = false;
    const deaf = await verdict();
    ports.haveOpened = true;
    drain.isDraining = true;

    expect([unsynced, deaf, await verdict()]).toEqual(Array.from({ length: 3 }, () => ({ healthy: true, ready: false })));
  });

  it('logs when a probe begins to fail and when it passes again, once each', async () => {
    const { ports, logger, verdict } = await setup();
    ports.haveOpened = false;
    await verdict();
    await verdict();

    ports.haveOpened = true;
    await verdict();

    expect(logger.entries.map(({ message }) => message)).toEqual(['a probe fails', 'a probe passes again']);
  });
});
