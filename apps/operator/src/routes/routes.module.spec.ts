import { ControllerManager, KubeClient } from '@elasti/operator-kit';
import { FakeCaches, FakeClock, RecordingLogger } from '@elasti/operator-kit/testing';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Informers } from '../informer';
import { operatorConfigToken, parseOperatorConfig } from '../operator.config';
import { RouteLedger } from './route-ledger';
import { RouteServer } from './route-server.fixture';
import { RoutesModule } from './routes.module';

const { signal } = new AbortController();

describe('RoutesModule', () => {
  it('keeps the ledger in the namespace of the operator', async () => {
    const server = new RouteServer();
    const config = parseOperatorConfig({ ELASTI_OPERATOR_NAMESPACE: 'sleepers' });
    const caches = new FakeCaches();
    const providers = [
      { provide: KubeClient, useValue: server.client() },
      { provide: Informers, useValue: new Informers(caches, caches, config) },
      { provide: operatorConfigToken, useValue: config },
      { provide: ControllerManager, useValue: { clock: new FakeClock(), logger: new RecordingLogger() } },
    ];
    @Global()
    @Module({ providers, exports: providers.map(({ provide }) => provide) })
    class Surroundings {}
    const app = await Test.createTestingModule({ imports: [Surroundings, RoutesModule] }).compile();

    await app.get(RouteLedger).ensure('shop', 'web', [{ port: 80 }], signal);

    expect([...server.objects.values()].map(({ metadata }) => metadata.namespace)).toEqual(Array(4).fill('sleepers'));
    await app.close();
  });
});
