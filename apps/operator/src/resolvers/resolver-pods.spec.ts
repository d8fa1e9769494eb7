import type { EndpointSlice } from '@elasti/operator-kit';
import { FakeCache, RecordingLogger, settle } from '@elasti/operator-kit/testing';
import { anEndpoint, aSlice, draining, notReady, ready } from './resolver-pod.fixture';
import { ResolverPods } from './resolver-pods';

const ref = { namespace: 'elasti', name: 'resolvers-1' };

function setup() {
  const resolverSlices = new FakeCache<EndpointSlice>();
  const logger = new RecordingLogger();
  const resolver = { namespace: 'elasti', serviceName: 'elasti-resolver-service' };
  const pods = new ResolverPods({ informers: { resolverSlices }, resolver, logger });
  const sync = async () => {
    resolverSlices.sync();
    await settle();
  };
  return { resolverSlices, logger, pods, sync };
}

const addressesOf = (pods: ResolverPods) => pods.list().map(({ address }) => address);

describe('ResolverPods.list', () => {
  it('tells the pods that are ready from those that drain, and leaves out all others', () => {
    const { pods, resolverSlices } = setup();

    resolverSlices.put(
      aSlice([
        anEndpoint('10.0.0.1', { conditions: ready }),
        anEndpoint('10.0.0.2', { conditions: {} }),
        anEndpoint('10.0.0.3', { conditions: draining }),
        anEndpoint('10.0.0.4', { conditions: notReady }),
        anEndpoint('10.0.0.5', { conditions: { ready: false, serving: true, terminating: false } }),
        anEndpoint('10.0.0.6', { conditions: { ready: false, serving: false, terminating: true } }),
      ]),
    );

    expect(pods.list().map(({ address, state }) => [address, state])).toEqual([
      ['10.0.0.1', 'ready'],
      ['10.0.0.2', 'ready'],
      ['10.0.0.3', 'draining'],
    ]);
    expect(pods.ready().map(({ address }) => address)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('says where a pod is and which', () => {
    const { pods, resolverSlices } = setup();

    resolverSlices.put(
      aSlice([
        anEndpoint('10.0.0.1', { nodeName: 'node-1', zone: 'zone-a', targetRef: { kind: 'Pod', name: 'resolver-1', uid: 'uid-1' } }),
      ]),
    );

    expect(pods.list()).toEqual([
      { address: '10.0.0.1', family: 'IPv4', nodeName: 'node-1', zone: 'zone-a', podName: 'resolver-1', uid: 'uid-1', state: 'ready' },
    ]);
  });

  it("never takes another namespace's slice, nor another Service's", () => {
    const { pods, resolverSlices } = setup();

    resolverSlices.put(aSlice([anEndpoint('10.6.6.6')], { namespace: 'intruder' }));
    resolverSlices.put(aSlice([anEndpoint('10.6.6.7')], { service: 'elasti-operator-controller-service' }));

    expect(pods.list()).toEqual([]);
  });

  it('has the addresses of both families', () => {
    const { pods, resolverSlices } = setup();

    resolverSlices.put(aSlice([anEndpoint('10.0.0.1')]));
    resolverSlices.put(aSlice([anEndpoint('fd00::1')], { name: 'resolvers-6', addressType: 'IPv6' }));

    expect(pods.list().map(({ address, family }) => [address, family])).toEqual([
      ['10.0.0.1', 'IPv4'],
      ['fd00::1', 'IPv6'],
    ]);
  });

  it('has an address of two slices once, ready if either says so', () => {
    const { pods, resolverSlices } = setup();

    resolverSlices.put(aSlice([anEndpoint('10.0.0.1', { conditions: draining })]));
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1', { conditions: ready })], { name: 'resolvers-2' }));

    expect(pods.list()).toEqual([expect.objectContaining({ address: '10.0.0.1', state: 'ready' })]);
  });

  it('leaves out what is no address of its family', () => {
    const { pods, resolverSlices } = setup();

    resolverSlices.put(
      aSlice(['evil.example', '10.0.0.256', 'fd00::1', '10.0.0.1/metrics', '', '010.0.0.1'].map((one) => anEndpoint(one))),
    );
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1'), anEndpoint('fe80::1%eth0')], { name: 'resolvers-6', addressType: 'IPv6' }));
    resolverSlices.put(aSlice([anEndpoint('resolver.example')], { name: 'resolvers-f', addressType: 'FQDN' }));

    expect(pods.list()).toEqual([]);
  });

  it('follows the slices', () => {
    const { pods, resolverSlices } = setup();
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1')]));
    expect(addressesOf(pods)).toEqual(['10.0.0.1']);

    resolverSlices.put(aSlice([anEndpoint('10.0.0.2')]));
    expect(addressesOf(pods)).toEqual(['10.0.0.2']);

    resolverSlices.remove(ref);
    expect(addressesOf(pods)).toEqual([]);
  });
});

describe('ResolverPods, in the log', () => {
  it('says that nobody is ready once the first list is complete, also without any slice', async () => {
    const { logger, sync } = setup();
    expect(logger.entries).toEqual([]);

    await sync();

    expect(logger.entries.map(({ message }) => message)).toEqual(['no resolver is ready']);
  });

  it('says once that pods only drain, and that one is ready again', async () => {
    const { resolverSlices, sync, logger } = setup();
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1')]));
    await sync();
    expect(logger.entries).toEqual([]);

    resolverSlices.put(aSlice([anEndpoint('10.0.0.1', { conditions: draining })]));
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1', { conditions: draining }), anEndpoint('10.0.0.3', { conditions: notReady })]));
    resolverSlices.put(aSlice([anEndpoint('10.0.0.2')]));
    resolverSlices.put(aSlice([]));

    expect(logger.entries.map(({ message }) => message)).toEqual([
      'no resolver is ready',
      'a resolver is ready again',
      'no resolver is ready',
    ]);
  });
});

describe('ResolverPods.onChange', () => {
  it('is called when the pods change and not when only the slice does', () => {
    const { pods, resolverSlices } = setup();
    const seen: string[][] = [];
    pods.onChange(() => seen.push(addressesOf(pods)));

    resolverSlices.put(aSlice([anEndpoint('10.0.0.1')]));
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1')]));
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1'), anEndpoint('10.0.0.2', { conditions: notReady })]));
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1'), anEndpoint('10.0.0.2')]));

    expect(seen).toEqual([['10.0.0.1'], ['10.0.0.1', '10.0.0.2']]);
  });

  it('is over after close', () => {
    const { pods, resolverSlices } = setup();
    const listener = jest.fn();
    pods.onChange(listener);

    pods.close();
    resolverSlices.put(aSlice([anEndpoint('10.0.0.1')]));

    expect(listener).not.toHaveBeenCalled();
    expect(resolverSlices.handlerCount).toBe(0);
  });
});
