import { ElastiService } from '@elasti/api';
import { ControllerManager, Deployment, EndpointSlice, KubeClient, Service } from '@elasti/operator-kit';
import { FakeHost } from '@elasti/operator-kit/testing';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ElastiDirectory } from '../crd-directory';
import { Informers } from '../informer';
import { OperatorMetrics } from '../metrics';
import { operatorConfigToken, parseOperatorConfig } from '../operator.config';
import { ControllerModule } from './controller.module';
import { ElastiServiceReconciler } from './elastiservice.reconciler';
import { IdleReports } from './idle-reports';
import { RecordingMetrics } from './replica.fixture';
import { TargetScales } from './target-scales';
import { Waker } from './waker';

async function setup() {
  const host = new FakeHost();
  const config = parseOperatorConfig({});
  const given = [
    { provide: ControllerManager, useValue: host },
    { provide: KubeClient, useValue: host.client },
    { provide: Informers, useValue: new Informers(host.caches, host.caches, config) },
    { provide: OperatorMetrics, useValue: new RecordingMetrics() },
    { provide: operatorConfigToken, useValue: config },
  ];
  @Global()
  @Module({ providers: given, exports: given })
  class Surroundings {}
  const app = await Test.createTestingModule({ imports: [Surroundings, ControllerModule] }).compile();
  return { host, app };
}

describe('ControllerModule', () => {
  it('has the manager run the controller and the sweep, which lead only where the manager does', async () => {
    const { host, app } = await setup();

    await app.init();

    expect(host.runnables.map(({ name }) => name)).toEqual(['elastiservice', 'route-sweep']);
    expect(app.get(ElastiServiceReconciler)).toBeDefined();
    await app.close();
  });

  it('hears of changes from every watch it has', async () => {
    const { host, app } = await setup();

    await app.init();

    const heard = [ElastiService, Service, EndpointSlice, Deployment].map(
      (kind) => host.caches.of(kind as typeof Service).handlerCount > 0,
    );
    expect(heard).toEqual([true, true, true, true]);
    await app.close();
  });

  it('offers what other rooms need', async () => {
    const { app } = await setup();

    for (const token of [Waker, TargetScales, IdleReports, ElastiDirectory]) expect(app.get(token, { strict: false })).toBeDefined();

    await app.close();
  });
});
