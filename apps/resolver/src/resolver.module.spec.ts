import { KitMetrics, KubeClient } from '@elasti/operator-kit';
import { FakeClock } from '@elasti/operator-kit/testing';
import { Test } from '@nestjs/testing';
import { register } from 'prom-client';
import { Drain } from './drain';
import { HoldingGate } from './gate';
import { InternalServer } from './internal-server';
import { Forwarder } from './proxy';
import { parseResolverConfig } from './resolver.config';
import { ResolverModule } from './resolver.module';
import { TrafficPorts } from './traffic';

describe('ResolverModule', () => {
  afterEach(() => register.clear());

  it('wires the hot path and opens no port before everything is known', async () => {
    const client = KubeClient.forServer({ server: 'http://127.0.0.1:1' });
    const kit = { client, clock: new FakeClock(), kitMetrics: new KitMetrics() };
    const module = await Test.createTestingModule({ imports: [ResolverModule.forRoot(parseResolverConfig({}), kit)] }).compile();

    const parts = [HoldingGate, Forwarder, InternalServer, Drain].map((part) => module.get<object>(part, { strict: false }));

    expect(parts).not.toContain(undefined);
    expect(module.get(TrafficPorts, { strict: false }).haveOpened).toBe(false);
  });
});
