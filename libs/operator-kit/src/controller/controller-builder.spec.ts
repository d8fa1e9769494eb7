import { ConfigMap, Deployment, Lease, Namespace } from '../client';
import { FakeHost, fakeClient, settle } from '../testing';
import { aWidget, Widget } from './controller.fixture';
import { ControllerBuilder } from './controller-builder';
import { ControllerSetupError } from './controller.errors';
import { generationChanged } from './predicates';
import { done } from './reconciler';

const reconciler = { reconcile: async () => done };
const aBuilder = () => ControllerBuilder.for(Widget).withReconciler(reconciler);
const never = new AbortController().signal;

function problemsOf(builder: { build(host: FakeHost): unknown }): readonly string[] {
  try {
    builder.build(new FakeHost());
  } catch (error) {
    if (error instanceof ControllerSetupError) return error.problems;
    throw error;
  }
  return [];
}

describe('ControllerBuilder', () => {
  it('adds the controller to the host, named after its kind', () => {
    const host = new FakeHost();

    const controller = aBuilder().build(host);

    expect(host.runnables).toEqual([controller]);
    expect(controller.name).toBe('widget');
  });

  it('Controller names are unique', () => {
    const host = new FakeHost();
    aBuilder().build(host);

    expect(() => aBuilder().build(host)).toThrow('there is a widget already');
    expect(() => aBuilder().named('widget-shadow').build(host)).not.toThrow();
  });

  it('names every mistake at once', () => {
    const broken = ControllerBuilder.for(Widget)
      .named('My Widgets')
      .withConcurrency(0)
      .withReconcileTimeout(-1)
      .withSyncTimeout(0)
      .withResyncEvery(0)
      .inNamespaces([])
      .withCacheOptions(ConfigMap, {});

    expect(problemsOf(broken)).toEqual([
      'there is no reconciler: call withReconciler()',
      'the name "My Widgets" is not made of a-z, 0-9 and "-": call named()',
      'withConcurrency(0) is not a whole number above 0',
      'withReconcileTimeout(-1) is not above 0',
      'withSyncTimeout(0) is not above 0',
      'withResyncEvery(0) is not above 0',
      'inNamespaces([]) watches nothing: name a namespace, or leave it out to watch all',
      'withCacheOptions() is about configmaps, which is not watched: add owns() or watches() for it',
    ]);
  });

  it('asks for a finalizer name where the group gives none', () => {
    const finalizing = { ...reconciler, finalize: async () => done };

    expect(problemsOf(ControllerBuilder.for(ConfigMap).withReconciler(finalizing))).toEqual([
      'the finalizer "" of configmaps is not of the form domain/name: call withFinalizer()',
    ]);
    expect(problemsOf(ControllerBuilder.for(ConfigMap).withReconciler(finalizing).withFinalizer('example.com/config'))).toEqual([]);
    expect(problemsOf(ControllerBuilder.for(Widget).withReconciler(finalizing))).toEqual([]);
  });

  it('asks for a finalizer name for kinds of Kubernetes itself, which other operators may finalize, too', () => {
    const finalizing = { ...reconciler, finalize: async () => done };

    expect(problemsOf(ControllerBuilder.for(Deployment).withReconciler(finalizing))).toEqual([
      'the finalizer "" of deployments.apps is not of the form domain/name: call withFinalizer()',
    ]);
    expect(problemsOf(ControllerBuilder.for(Lease).withReconciler(finalizing))).toHaveLength(1);
  });

  it.each([
    ['example.com/finalizer', (builder: ControllerBuilder<Widget>) => builder],
    ['example.com/shadow', (builder: ControllerBuilder<Widget>) => builder.named('shadow')],
    ['other.com/mine', (builder: ControllerBuilder<Widget>) => builder.named('shadow').withFinalizer('other.com/mine')],
  ])('holds objects by %s, so that no two controllers of a manager share a finalizer', async (expected, tune) => {
    const { client, patches } = fakeClient();
    const host = new FakeHost(client);
    const finalizing = { ...reconciler, finalize: async () => done };
    const controller = tune(ControllerBuilder.for(Widget).withReconciler(finalizing)).build(host);
    host.caches.of(Widget).put(aWidget('a'));
    host.caches.of(Widget).sync();

    void controller.run(never);
    await settle();

    expect(patches.map(({ patch }) => patch)).toMatchObject([{ body: { metadata: { finalizers: [expected] } } }]);
  });

  it('acquires one cache for a kind that is both owned and watched', () => {
    const host = new FakeHost();
    const controller = aBuilder()
      .owns(ConfigMap)
      .watches(ConfigMap, () => [])
      .build(host);

    void controller.warmUp(never);

    expect(host.caches.of(ConfigMap).users).toBe(1);
    expect(host.caches.of(ConfigMap).handlerCount).toBe(2);
  });

  it('limits namespaced kinds to its namespaces, unless a kind has a scope of its own', () => {
    const host = new FakeHost();
    const controller = aBuilder()
      .owns(Deployment)
      .watches(Namespace, () => [])
      .watches(ConfigMap, () => [])
      .withCacheOptions(ConfigMap, { namespace: 'settings' })
      .inNamespaces(['shop', 'depot'])
      .build(host);

    void controller.warmUp(never);

    expect(host.caches.of(Widget).options).toEqual({ namespaces: ['shop', 'depot'] });
    expect(host.caches.of(Deployment).options).toEqual({ namespaces: ['shop', 'depot'] });
    expect(host.caches.of(Namespace).options).toEqual({});
    expect(host.caches.of(ConfigMap).options).toEqual({ namespace: 'settings' });
  });

  it('resyncs its own kind only', () => {
    const host = new FakeHost();
    const controller = aBuilder().owns(Deployment).withResyncEvery(60_000).build(host);

    void controller.warmUp(never);

    expect(host.caches.of(Widget).subscribeOptions).toEqual({ resyncPeriodMs: 60_000 });
    expect(host.caches.of(Deployment).subscribeOptions).toBeUndefined();
  });

  it('applies predicates to its own kind and leaves owned kinds theirs', async () => {
    const host = new FakeHost();
    const calls: unknown[] = [];
    const counting = { reconcile: async () => (calls.push(1), done) };
    const controller = ControllerBuilder.for(Widget).withReconciler(counting).withPredicates(generationChanged).build(host);
    const widgets = host.caches.of(Widget);
    widgets.sync();
    void controller.run(never);
    await settle();

    widgets.put(aWidget('a', { generation: 1 }));
    await settle();
    widgets.put(aWidget('a', { generation: 1, resourceVersion: '2' }));
    await settle();

    expect(calls).toHaveLength(1);
  });
});
