import { ElastiService } from '@elasti/api';
import { ControllerManager, Service } from '@elasti/operator-kit';
import { FakeHost } from '@elasti/operator-kit/testing';
import { Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { IdleReports, TargetScales, Waker } from '../controller';
import { ElastiDirectory } from '../crd-directory';
import { Informers } from '../informer';
import { operatorConfigToken, parseOperatorConfig } from '../operator.config';
import { ActivitySource, ResolverPods } from '../resolvers';
import { IdleLoop } from './loop';
import { ScaleDownModule } from './scale-down.module';

async function setup() {
  const host = new FakeHost();
  const config = parseOperatorConfig({ PROMETHEUS_TRIGGER_MAX_CONCURRENCY: '2' });
  const informers = new Informers(host.caches, host.caches, config);
  const reports = new IdleReports();
  const provided = [
    { provide: ControllerManager, useValue: host },
    { provide: operatorConfigToken, useValue: config },
    { provide: Informers, useValue: informers },
    { provide: ElastiDirectory, useValue: new ElastiDirectory(informers) },
    { provide: IdleReports, useValue: reports },
    { provide: TargetScales, useValue: { replicasOf: () => Promise.resolve(1) } },
    { provide: Waker, useValue: {} },
    { provide: ResolverPods, useValue: { onChange: () => undefined } },
    { provide: ActivitySource, useValue: { read: () => Promise.resolve({ of: () => 'quiet' }) } },
  ];
  @Module({ providers: provided, exports: provided.map(({ provide }) => provide) })
  class Rooms {}
  const application = await Test.createTestingModule({ imports: [ScaleDownModule.importing(Rooms)] }).compile();
  return { application, host, reports };
}

describe('ScaleDownModule', () => {
  it('has the manager run the idle loop, which leads only where the manager does', async () => {
    const { application, host } = await setup();

    await application.init();

    expect(host.runnables).toEqual([application.get(IdleLoop)]);
    await application.close();
  });

  it('warms up with the ElastiServices and Services', async () => {
    const { application, host } = await setup();
    await application.init();
    let isWarm = false;

    const warming = application
      .get(IdleLoop)
      .warmUp(new AbortController().signal)
      .then(() => (isWarm = true));
    host.caches.of(ElastiService).sync();
    await host.clock.advance(0);
    expect(isWarm).toBe(false);
    host.caches.of(Service).sync();
    await warming;

    await application.close();
  });

  it('keeps its interval in the schedule of the application while it runs, and leaves none behind', async () => {
    const { application, host } = await setup();
    await application.init();
    const registry = application.get(SchedulerRegistry, { strict: false });
    const stop = new AbortController();

    const running = application.get(IdleLoop).run(stop.signal);
    await host.clock.advance(0);
    expect(registry.getIntervals()).toEqual(['idle loop']);
    stop.abort(new Error('stopping'));
    await running;

    expect(registry.getIntervals()).toEqual([]);
    expect(host.clock.pendingTimers).toBe(0);
    await application.close();
  });
});
