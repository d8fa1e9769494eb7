import { ControllerManager, EndpointSlice } from '@elasti/operator-kit';
import { FakeHost } from '@elasti/operator-kit/testing';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Informers } from '../informer';
import { OperatorMetrics } from '../metrics';
import { operatorConfigToken, parseOperatorConfig } from '../operator.config';
import { ActivitySource } from './activity';
import { Rehearsals } from './rehearsals';
import { anEndpoint, aPod, aSlice } from './resolver-pod.fixture';
import { ResolverPods } from './resolver-pods';
import { ResolversModule } from './resolvers.module';

async function setup() {
  const host = new FakeHost();
  const resolverSlices = host.caches.of(EndpointSlice);
  const readyCounts: number[] = [];
  const given = [
    { provide: ControllerManager, useValue: host },
    { provide: Informers, useValue: { resolverSlices } },
    { provide: OperatorMetrics, useValue: { resolversReady: (count: number) => void readyCounts.push(count) } },
    { provide: operatorConfigToken, useValue: parseOperatorConfig({ ELASTI_RESOLVER_NAMESPACE: 'edge' }) },
  ];
  @Global()
  @Module({ providers: given, exports: given })
  class Surroundings {}
  const app = await Test.createTestingModule({ imports: [Surroundings, ResolversModule] }).compile();
  return { app: await app.init(), resolverSlices, readyCounts };
}

describe('ResolversModule', () => {
  it('finds the resolvers of the configured namespace and forgets those that leave', async () => {
    const { app, resolverSlices } = await setup();
    const rehearsals = app.get(Rehearsals, { strict: false });
    const subject = { namespace: 'shop', service: 'web', routes: [{ port: 80, resolverPort: 20_001 }] };
    const pod = aPod({ podName: undefined, uid: undefined });

    resolverSlices.put(aSlice([anEndpoint(pod.address)], { namespace: 'edge' }));
    expect(app.get(ResolverPods, { strict: false }).ready()).toEqual([pod]);
    rehearsals.trust(subject, pod);
    expect(rehearsals.known(subject, pod)).toBe(true);
    resolverSlices.put(aSlice([], { namespace: 'edge' }));

    expect(rehearsals.known(subject, pod)).toBe(false);
    await app.close();
  });

  it('reports how many are ready whenever that changes', async () => {
    const { app, resolverSlices, readyCounts } = await setup();

    resolverSlices.put(aSlice([anEndpoint('10.0.0.1'), anEndpoint('10.0.0.2')], { namespace: 'edge' }));
    resolverSlices.put(aSlice([], { namespace: 'edge' }));

    expect(readyCounts).toEqual([2, 0]);
    await app.close();
  });

  it('gives out the source of activity, and leaves no watch behind', async () => {
    const { app, resolverSlices } = await setup();
    resolverSlices.sync();

    const snapshot = await app.get(ActivitySource, { strict: false }).read(new AbortController().signal);
    await app.close();

    expect(snapshot.of('shop', 'web')).toBe('quiet');
    expect(resolverSlices.handlerCount).toBe(0);
  });
});
