import { KubeSim } from '@elasti/kube-sim';
import {
  ConfigMap,
  ControllerBuilder,
  ControllerManager,
  CustomResourceDefinition,
  done,
  type Frozen,
  generationChanged,
  KubeClient,
  type KubeObject,
  type ObjectMeta,
  patchStatus,
  priorities,
  type ReconcileContext,
  type Reconciler,
  refOf,
  type ResourceDefinition,
  setControllerReference,
  SyncTimeoutError,
} from '@elasti/operator-kit';
import { eventually } from '../conformance/eventually';

interface Widget extends KubeObject {
  spec: { text: string };
  status?: { text?: string };
}

const Widget: ResourceDefinition<Widget> = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
const namespace = 'default';
const finalizer = 'example.com/finalizer';
const fieldManager = 'widgets';

const anyObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
const widgetCrd: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anyObject, status: anyObject } } },
      },
    ],
  },
};

const aWidget = (name: string, text: string, metadata: ObjectMeta = {}): Widget => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { namespace, name, ...metadata },
  spec: { text },
});

/** Keeps a ConfigMap with the widget's text, and tells it in the status. */
class WidgetReconciler implements Reconciler<Widget> {
  readonly reconciled: string[] = [];
  readonly cleaned: string[] = [];
  cleanUp: () => Promise<void> = () => Promise.resolve();

  async reconcile(widget: Frozen<Widget>, { client, cache, signal }: ReconcileContext) {
    this.reconciled.push(refOf(widget).name);
    const { text } = widget.spec;
    const live = cache(ConfigMap).get(refOf(widget));
    if (live?.data?.text !== text) {
      const wanted: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...refOf(widget) }, data: { text } };
      await client.apply(ConfigMap, setControllerReference(widget, Widget, wanted), { fieldManager, force: true, signal });
    }
    await patchStatus(client, Widget, widget, { text }, { signal });
    return done;
  }

  async finalize(widget: Frozen<Widget>) {
    await this.cleanUp();
    this.cleaned.push(refOf(widget).name);
    return done;
  }
}

describe('a controller against a simulated API server', () => {
  let sim: KubeSim;
  let client: KubeClient;
  let stop: AbortController;
  let reconciler: WidgetReconciler;
  let ended: Promise<void> | undefined;

  beforeEach(async () => {
    sim = await KubeSim.start();
    client = KubeClient.forServer({ server: sim.url });
    stop = new AbortController();
    reconciler = new WidgetReconciler();
    ended = undefined;
    await client.create(CustomResourceDefinition, widgetCrd);
    await eventually(() => client.list(Widget));
  });

  afterEach(async () => {
    stop.abort(new Error('the test is over'));
    await ended;
    await client.close();
    await sim.stop();
  });

  const aBuilder = () =>
    ControllerBuilder.for(Widget).withReconciler(reconciler).owns(ConfigMap).withBackoff({ baseMs: 10, capMs: 100 }).withConcurrency(4);

  function start(builder = aBuilder()): void {
    const manager = new ControllerManager({ client, name: 'widgets' });
    builder.build(manager);
    ended = manager.start(stop.signal);
  }

  function openWatches(): number {
    let count = 0;
    sim.faults.sendBookmarks(() => ++count < 0);
    return count;
  }

  const textOf = async (name: string) => (await client.find(ConfigMap, { namespace, name }))?.data?.text;

  it('makes what each object asks for, owned by it, and says so in its status', async () => {
    await client.create(Widget, aWidget('early', 'one'));
    start();
    await client.create(Widget, aWidget('late', 'two'));

    await eventually(async () => expect([await textOf('early'), await textOf('late')]).toEqual(['one', 'two']));
    await eventually(async () => expect((await client.get(Widget, { namespace, name: 'late' })).status).toEqual({ text: 'two' }));

    const owned = await client.get(ConfigMap, { namespace, name: 'late' });
    expect(owned.metadata.ownerReferences).toMatchObject([{ kind: 'Widget', name: 'late', controller: true }]);
  });

  it('corrects a change to what it owns, and a deletion of it', async () => {
    await client.create(Widget, aWidget('web', 'right'));
    start();
    await eventually(async () => expect(await textOf('web')).toBe('right'));

    await client.patch(ConfigMap, { namespace, name: 'web' }, { type: 'merge', body: { data: { text: 'wrong' } } });
    await eventually(async () => expect(await textOf('web')).toBe('right'));
    await client.delete(ConfigMap, { namespace, name: 'web' });
    await eventually(async () => expect(await textOf('web')).toBe('right'));
  });

  it('comes to rest: nothing is written once the world agrees', async () => {
    await client.create(Widget, aWidget('web', 'x'));
    start();
    await eventually(async () => expect((await client.get(Widget, { namespace, name: 'web' })).status?.text).toBe('x'));
    const settled = await client.get(Widget, { namespace, name: 'web' });

    await client.create(Widget, aWidget('other', 'y'));
    await eventually(async () => expect((await client.get(Widget, { namespace, name: 'other' })).status?.text).toBe('y'));

    expect((await client.get(Widget, { namespace, name: 'web' })).metadata.resourceVersion).toBe(settled.metadata.resourceVersion);
  });

  it('does not hear of its own status writes behind the generation predicate', async () => {
    await client.create(Widget, aWidget('web', 'x'));
    start(aBuilder().withPredicates(generationChanged));
    await eventually(async () => expect((await client.get(Widget, { namespace, name: 'web' })).status?.text).toBe('x'));

    await client.patch(Widget, { namespace, name: 'web' }, { type: 'merge', body: { spec: { text: 'z' } } });

    await eventually(async () => expect((await client.get(Widget, { namespace, name: 'web' })).status?.text).toBe('z'));
  });

  it('holds an object with its finalizer until the cleanup succeeds', async () => {
    await client.create(Widget, aWidget('web', 'x'));
    let failures = 0;
    reconciler.cleanUp = () => (failures++ < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve());
    start();
    await eventually(async () => expect((await client.get(Widget, { namespace, name: 'web' })).metadata.finalizers).toEqual([finalizer]));

    await client.delete(Widget, { namespace, name: 'web' });

    await eventually(async () => expect(await client.find(Widget, { namespace, name: 'web' })).toBeUndefined());
    expect([failures, reconciler.cleaned]).toEqual([4, ['web']]);
    await eventually(async () => expect(await textOf('web')).toBeUndefined());
  });

  it('takes off only its own finalizer, also when the list changes at that moment', async () => {
    const ref = { namespace, name: 'web' };
    const setFinalizers = (finalizers: string[]) => client.patch(Widget, ref, { type: 'merge', body: { metadata: { finalizers } } });
    const finalizersAre = (...finalizers: string[]) =>
      eventually(async () => expect((await client.get(Widget, ref)).metadata.finalizers).toEqual(finalizers));
    await client.create(Widget, aWidget('web', 'x', { finalizers: ['other.com/first'] }));
    start();
    await finalizersAre('other.com/first', finalizer);
    await setFinalizers(['other.com/first', finalizer, 'other.com/last']);
    reconciler.cleanUp = async () => {
      if (reconciler.cleaned.length === 0) await setFinalizers([finalizer, 'other.com/last']);
    };

    await client.delete(Widget, ref);

    await finalizersAre('other.com/last');
    expect(reconciler.cleaned).toEqual(['web', 'web']);
  });

  it('goes on when the API server fails for a while', async () => {
    await client.create(Widget, aWidget('web', 'x'));
    start();
    await eventually(async () => expect(await textOf('web')).toBe('x'));

    sim.faults.inject({ effect: { kind: 'server-error', code: 500 }, when: ({ method }) => method === 'PATCH', times: 3 });
    sim.faults.dropWatches();
    await client.create(Widget, aWidget('more', 'y'));

    await eventually(async () => expect(await textOf('more')).toBe('y'));
  });

  it('has everything in its queue once it is warm', async () => {
    const names = Array.from({ length: 50 }, (_, number) => `w${number}`);
    await Promise.all(names.map((name) => client.create(Widget, aWidget(name, 'x'))));
    const manager = new ControllerManager({ client, name: 'widgets' });

    await ControllerBuilder.for(Widget).withReconciler(reconciler).build(manager).warmUp(stop.signal);

    expect((await manager.metrics.queueDepth.get()).values).toMatchObject([{ value: 50 }]);
  });

  it('says which kind does not sync', async () => {
    const Gadget: ResourceDefinition = { ...Widget, kind: 'Gadget', plural: 'gadgets' };
    const manager = new ControllerManager({ client, name: 'widgets' });
    const controller = aBuilder()
      .watches(Gadget, () => [])
      .withSyncTimeout(500)
      .build(manager);

    const failure = await controller.warmUp(stop.signal).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(SyncTimeoutError);
    expect(failure).toMatchObject({ kinds: ['gadgets.example.com'] });
  });

  it('is refused by a manager that has one of its name', () => {
    const manager = new ControllerManager({ client, name: 'widgets' });
    aBuilder().build(manager);

    expect(() => aBuilder().build(manager)).toThrow(/widget/);
  });

  it('can be asked to look at an object', async () => {
    await client.create(Widget, aWidget('web', 'x'));
    const manager = new ControllerManager({ client, name: 'widgets' });
    const controller = aBuilder().withPredicates(generationChanged).build(manager);
    ended = manager.start(stop.signal);
    await eventually(async () => expect(await textOf('web')).toBe('x'));
    const before = reconciler.reconciled.length;

    controller.enqueue({ namespace, name: 'web' }, priorities.high);

    await eventually(() => expect(reconciler.reconciled.length).toBeGreaterThan(before));
  });

  it('leaves no watch open when it has stopped', async () => {
    start();
    await eventually(() => expect(openWatches()).toBeGreaterThan(0));

    stop.abort(new Error('enough'));
    await ended;

    await eventually(() => expect(openWatches()).toBe(0));
  });
});
