import { ConfigMap, ConflictError, Deployment, NotFoundError, refOf, TooManyRequestsError } from '../client';
import type { ObjectRef } from '../client';
import type { Frozen } from '../cache';
import { fakeClient, FakeHost, settle } from '../testing';
import { aWidget, Widget } from './controller.fixture';
import { ControllerBuilder } from './controller-builder';
import { AlreadyStartedError, SyncTimeoutError } from './controller.errors';
import type { CacheLookup } from './mappers';
import { ReconcileTimeoutError, TerminalError, WaitingError } from './reconcile.errors';
import { done, requeue, requeueAfter } from './reconciler';
import type { ReconcileContext, Reconciler, ReconcileResult } from './reconciler';

type Behaviour = (widget: Frozen<Widget>, context: ReconcileContext) => Promise<ReconcileResult> | ReconcileResult;

/** Remembers whom it was called for, and then behaves as a test wishes. */
class TestReconciler implements Reconciler<Widget> {
  readonly calls: string[] = [];

  constructor(private readonly behave: Behaviour = () => done) {}

  async reconcile(widget: Frozen<Widget>, context: ReconcileContext): Promise<ReconcileResult> {
    this.calls.push(widget.metadata.name ?? '');
    return this.behave(widget, context);
  }
}

type Builder = ControllerBuilder<Widget>;
const asIs = (builder: Builder) => builder;
const exactBackoff = { random: () => 0 };
const throwText = (): ReconcileResult => {
  AbortSignal.abort('text').throwIfAborted();
  return done;
};
const conflict = () => new ConflictError(409, { kind: 'Status', apiVersion: 'v1', message: 'changed' }, 'PATCH /widgets/a');

function setup(reconciler: Reconciler<Widget>, { configure = asIs, host = new FakeHost() } = {}) {
  const widgets = host.caches.of(Widget);
  const controller = configure(ControllerBuilder.for(Widget).withReconciler(reconciler).withBackoff(exactBackoff)).build(host);
  const stop = new AbortController();
  return { host, controller, widgets, clock: host.clock, stop };
}

/** The same, synced and running, with widget `a` in the cache. */
async function running(reconciler: Reconciler<Widget>, options: Parameters<typeof setup>[1] = {}) {
  const world = setup(reconciler, options);
  world.widgets.put(aWidget('a'));
  world.widgets.sync();
  await world.controller.warmUp(world.stop.signal);
  const ended = world.controller.run(world.stop.signal);
  await settle();
  return { ...world, ended };
}

describe('Controller: beginning', () => {
  it('No reconcile until all sources are synced', async () => {
    const reconciler = new TestReconciler();
    const { host, controller, widgets, stop } = setup(reconciler, { configure: (builder) => builder.owns(Deployment) });
    widgets.put(aWidget('a'));
    void controller.run(stop.signal);

    widgets.sync();
    await settle();
    expect(reconciler.calls).toEqual([]);

    host.caches.of(Deployment).sync();
    await settle();
    expect(reconciler.calls).toEqual(['a']);
  });

  it('a clear error after the sync timeout (2 min)', async () => {
    const { host, controller, widgets, clock, stop } = setup(new TestReconciler(), {
      configure: (builder) => builder.owns(Deployment).watches(ConfigMap, () => []),
    });
    const warm = controller.warmUp(stop.signal).catch((error: unknown) => error);
    widgets.sync();

    await clock.advance(119_999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);

    const error = await warm;
    expect(error).toBeInstanceOf(SyncTimeoutError);
    expect(error).toMatchObject({ kinds: ['deployments.apps', 'configmaps'] });
    expect((error as Error).message).toContain('no full list of deployments.apps, configmaps within 120 s');
    expect(host.caches.of(Deployment).users).toBe(0);
  });

  it('fills its queue while warming up and reconciles nothing before it runs', async () => {
    const reconciler = new TestReconciler();
    const { host, controller, widgets, stop } = setup(reconciler);
    widgets.put(aWidget('a'));
    widgets.sync();

    await controller.warmUp(stop.signal);
    await settle();

    expect(reconciler.calls).toEqual([]);
    expect(await host.metric('workqueue_depth', { name: 'widget' })).toBe(1);
  });

  it('reconciles what just changed before what was there at the start', async () => {
    const reconciler = new TestReconciler();
    const { controller, widgets, stop } = setup(reconciler);
    ['a', 'b'].forEach((name) => widgets.put(aWidget(name)));
    widgets.sync();
    await controller.warmUp(stop.signal);

    widgets.put(aWidget('new'));
    void controller.run(stop.signal);
    await settle();

    expect(reconciler.calls).toEqual(['new', 'a', 'b']);
  });

  it('looks at an object later, when that is soon enough', async () => {
    const reconciler = new TestReconciler();
    const { controller, clock } = await running(reconciler);
    reconciler.calls.length = 0;

    controller.enqueueAfter({ namespace: 'shop', name: 'a' }, 1_000);

    await clock.advance(999);
    expect(reconciler.calls).toEqual([]);
    await clock.advance(1);
    expect(reconciler.calls).toEqual(['a']);
  });

  it('Starting twice fails', async () => {
    const { controller, stop } = await running(new TestReconciler());

    await expect(controller.warmUp(stop.signal)).rejects.toThrow(AlreadyStartedError);
    await expect(controller.run(stop.signal)).rejects.toThrow('controller widget was started already');
  });
});

describe('Controller: results and errors', () => {
  it('Error: rate-limited requeue', async () => {
    const reconciler = new TestReconciler(() => Promise.reject(new Error('no luck')));
    const { clock, host } = await running(reconciler);

    const delaysMs: (number | undefined)[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      delaysMs.push(clock.nextDelayMs);
      await clock.advance(clock.nextDelayMs ?? 0);
    }

    expect(delaysMs).toEqual([1_000, 2_000, 4_000]);
    expect(reconciler.calls).toHaveLength(4);
    expect(await host.metric('reconcile_errors_total', { controller: 'widget' })).toBe(4);
    expect(host.logger.messages('error')).toEqual(Array.from({ length: 4 }, () => 'reconcile failed'));
  });

  it('TerminalError: no requeue until the object changes, counted', async () => {
    const reconciler = new TestReconciler(() => Promise.reject(new TerminalError('spec.size makes no sense')));
    const { clock, host, widgets } = await running(reconciler);

    await clock.advance(3_600_000);
    expect(reconciler.calls).toHaveLength(1);
    expect(await host.metric('reconcile_terminal_errors_total', { controller: 'widget' })).toBe(1);

    widgets.put(aWidget('a', { generation: 2 }));
    await settle();
    expect(reconciler.calls).toHaveLength(2);
  });

  it('TerminalError: no requeue until the object changes, counted. requeueAfter: forget, then delayed add', async () => {
    const outcomes: Behaviour[] = [
      () => Promise.reject(new Error('no luck')),
      () => Promise.reject(new TerminalError('spec.size makes no sense')),
      () => requeueAfter(30_000, 'look again'),
      () => Promise.reject(new Error('no luck')),
    ];
    const reconciler = new TestReconciler((widget, context) => outcomes.shift()?.(widget, context) ?? done);
    const { clock, widgets } = await running(reconciler);
    await clock.advance(1_000);
    expect(clock.pendingTimers).toBe(0);

    widgets.put(aWidget('a', { generation: 2 }));
    await settle();
    expect(clock.nextDelayMs).toBe(30_000);

    await clock.advance(30_000);
    expect(clock.nextDelayMs).toBe(1_000);
  });

  it('requeueAfter: forget, then delayed add', async () => {
    const results = [requeue('not yet'), requeue('not yet'), requeueAfter(30_000, 'look again'), requeue('not yet')];
    const reconciler = new TestReconciler(() => results.shift() ?? done);
    const { clock } = await running(reconciler);

    const delaysMs: (number | undefined)[] = [];
    while (clock.nextDelayMs !== undefined) {
      delaysMs.push(clock.nextDelayMs);
      await clock.advance(clock.nextDelayMs);
    }

    expect(delaysMs).toEqual([1_000, 2_000, 30_000, 1_000]);
  });

  it('requeueAfter keeps the priority of the object', async () => {
    const busy = Promise.withResolvers<ReconcileResult>();
    const results: Record<string, (ReconcileResult | Promise<ReconcileResult>)[]> = {
      a: [requeueAfter(10_000, 'later')],
      b: [busy.promise],
    };
    const reconciler = new TestReconciler((widget) => results[widget.metadata.name ?? '']?.shift() ?? done);
    const { clock, widgets } = await running(reconciler);
    widgets.put(aWidget('b'));
    await clock.advance(10_000);
    widgets.put(aWidget('c'));

    busy.resolve(done);
    await settle();

    expect(reconciler.calls).toEqual(['a', 'b', 'c', 'a']);
  });

  it('a delay of nothing is a requeue with backoff, never a busy loop', async () => {
    const outcomes = [
      () => requeueAfter(0, 'at once'),
      () => requeueAfter(-5, 'overdue'),
      () => Promise.reject(new WaitingError('at once', 0)),
    ];
    const reconciler = new TestReconciler(() => outcomes.shift()?.() ?? done);
    const { clock } = await running(reconciler);

    const delaysMs: (number | undefined)[] = [];
    while (clock.nextDelayMs !== undefined) {
      delaysMs.push(clock.nextDelayMs);
      await clock.advance(clock.nextDelayMs);
    }

    expect(delaysMs).toEqual([1_000, 2_000, 4_000]);
  });

  it('Success: forget', async () => {
    const outcomes = ['fails', 'fails', 'succeeds', 'fails'];
    const reconciler = new TestReconciler(() => (outcomes.shift() === 'fails' ? Promise.reject(new Error('no luck')) : done));
    const { clock, widgets } = await running(reconciler);
    await clock.advance(1_000);
    await clock.advance(2_000);
    expect(clock.pendingTimers).toBe(0);

    widgets.put(aWidget('a', { generation: 2 }));
    await settle();

    expect(clock.nextDelayMs).toBe(1_000);
  });

  it('a WaitingError is no failure: the object comes again after its delay', async () => {
    const reconciler = new TestReconciler(() => Promise.reject(new WaitingError('the volume is not there yet', 7_000)));
    const { clock, host } = await running(reconciler);

    expect(clock.nextDelayMs).toBe(7_000);
    await clock.advance(7_000);
    expect(clock.nextDelayMs).toBe(7_000);
    expect(await host.metric('reconcile_errors_total', { controller: 'widget' })).toBe(0);
    expect(host.logger.messages('error')).toEqual([]);
  });

  it('a conflict is tried again without noise, until it is no coincidence any more', async () => {
    const reconciler = new TestReconciler(() => Promise.reject(conflict()));
    const { clock, host } = await running(reconciler);

    for (let attempt = 0; attempt < 4; attempt++) await clock.advance(clock.nextDelayMs ?? 0);
    expect(host.logger.messages('error')).toEqual([]);
    expect(await host.metric('reconcile_total', { result: 'conflict' })).toBe(5);

    await clock.advance(clock.nextDelayMs ?? 0);
    expect(host.logger.messages('error')).toEqual(['reconcile met a conflict']);
  });

  it.each([
    ['as long as the API server asked for', 20, 20_000],
    ['five minutes at most, whatever the API server asked for', 86_400, 300_000],
  ])('waits %s', async (_what, retryAfterSeconds, delayMs) => {
    const status = { kind: 'Status', apiVersion: 'v1', details: { retryAfterSeconds } } as const;
    const reconciler = new TestReconciler(() => Promise.reject(new TooManyRequestsError(429, status, 'GET /widgets')));
    const { clock } = await running(reconciler);

    expect(clock.nextDelayMs).toBe(delayMs);
  });

  it.each<[string, Behaviour]>([
    ['a mistake in the code', () => Promise.reject(new TypeError('x is undefined'))],
    ['something that is no error', throwText],
    ['no result', () => undefined as unknown as ReconcileResult],
    ['a delay that is no number', () => requeueAfter(Number.NaN, 'wrong')],
  ])('An exception is recovered, counted, retried: %s', async (_what, behave) => {
    const reconciler = new TestReconciler(behave);
    const { clock, host } = await running(reconciler);

    expect(await host.metric('reconcile_panics_total', { controller: 'widget' })).toBe(1);
    await clock.advance(1_000);
    expect(reconciler.calls).toHaveLength(2);
  });

  it('An exception is recovered, counted, retried', async () => {
    const reconciler = new TestReconciler(({ metadata }) => {
      if (metadata.name === 'a') throw new TypeError('a mistake');
      return done;
    });
    const { clock, host, widgets } = await running(reconciler);
    widgets.put(aWidget('b'));

    await clock.advance(1_000);

    expect(reconciler.calls).toEqual(['a', 'b', 'a']);
    expect(await host.metric('reconcile_panics_total', { controller: 'widget' })).toBe(2);
  });
});

describe('Controller: timeouts and workers', () => {
  it('a reconcile past its timeout has its AbortSignal fired and is counted', async () => {
    const gate = Promise.withResolvers<ReconcileResult>();
    const signals: AbortSignal[] = [];
    const reconciler = new TestReconciler((_widget, { signal }) => {
      signals.push(signal);
      return gate.promise;
    });
    const { clock, host, widgets } = await running(reconciler, {
      configure: (builder) => builder.withReconcileTimeout(10_000).withConcurrency(2),
    });

    await clock.advance(9_999);
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance(1);
    expect(signals[0]?.reason).toBeInstanceOf(ReconcileTimeoutError);
    expect(await host.metric('reconcile_timeouts_total', { controller: 'widget' })).toBe(1);

    widgets.put(aWidget('a', { generation: 2 }));
    await settle();
    expect(reconciler.calls).toHaveLength(1);

    gate.resolve(done);
    await settle();
    expect(reconciler.calls).toHaveLength(2);
  });

  it('Concurrency limit is respected', async () => {
    let active = 0;
    let mostActive = 0;
    const gate = Promise.withResolvers<undefined>();
    const reconciler = new TestReconciler(async () => {
      mostActive = Math.max(mostActive, ++active);
      await gate.promise;
      active--;
      return done;
    });
    const { host, widgets } = await running(reconciler, { configure: (builder) => builder.withConcurrency(3) });
    for (let number = 0; number < 10; number++) widgets.put(aWidget(`widget-${number}`));

    await settle();
    expect(active).toBe(3);
    expect(await host.metric('reconcile_active_workers', { controller: 'widget' })).toBe(3);

    gate.resolve(undefined);
    await settle();
    expect(mostActive).toBe(3);
    expect(reconciler.calls).toHaveLength(11);
  });

  it('stops once no worker is busy, and leaves nothing behind', async () => {
    const gate = Promise.withResolvers<ReconcileResult>();
    const seen: AbortSignal[] = [];
    const reconciler = new TestReconciler((_widget, { signal }) => {
      seen.push(signal);
      return gate.promise;
    });
    const { clock, host, widgets, stop, ended } = await running(reconciler);
    widgets.put(aWidget('b'));
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));

    stop.abort(new Error('stopping'));
    await settle();
    expect([seen[0]?.aborted, hasEnded]).toEqual([true, false]);

    gate.reject(new Error('aborted'));
    await ended;
    expect(reconciler.calls).toEqual(['a']);
    expect([clock.pendingTimers, widgets.users, widgets.handlerCount]).toEqual([0, 0, 0]);
    expect(host.logger.messages('error')).toEqual([]);
  });

  it('gives its caches back when it never came to run', async () => {
    const { controller, widgets, stop } = setup(new TestReconciler());
    widgets.sync();
    await controller.warmUp(stop.signal);

    stop.abort(new Error('stopping'));

    expect([widgets.users, widgets.handlerCount]).toEqual([0, 0]);
  });
});

describe('Controller: objects', () => {
  it('does not reconcile what is gone', async () => {
    const reconciler = new TestReconciler();
    const { widgets } = await running(reconciler);

    widgets.remove({ namespace: 'shop', name: 'a' });
    await settle();

    expect(reconciler.calls).toEqual(['a']);
  });

  it('does not reconcile what is being deleted', async () => {
    const reconciler = new TestReconciler();
    const { widgets } = await running(reconciler);

    widgets.put(aWidget('a', { deletionTimestamp: '2030-01-01T00:00:00Z' }));
    await settle();

    expect(reconciler.calls).toEqual(['a']);
  });

  it('reconciles what a mapper names, which may look into the caches', async () => {
    const reconciler = new TestReconciler();
    const { host, widgets } = await running(reconciler, {
      configure: (builder) => builder.watches(ConfigMap, ({ metadata }, cache) => refsOfWidgetsNamed(metadata.name, cache)),
      host: hostWithSynced(ConfigMap),
    });
    widgets.put(aWidget('b'));
    await settle();
    reconciler.calls.length = 0;

    host.caches.of(ConfigMap).put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'other', name: 'b' } });
    await settle();

    expect(reconciler.calls).toEqual(['b']);
  });

  it('gives the reconciler the caches it watches and no others', async () => {
    const problems: unknown[] = [];
    const reconciler = new TestReconciler((widget, { cache }) => {
      expect(cache(Widget).get({ namespace: 'shop', name: 'a' })).toBe(widget);
      try {
        cache(ConfigMap);
      } catch (error) {
        problems.push(error);
      }
      return done;
    });

    await running(reconciler);

    expect(String(problems[0])).toContain(
      'controller widget has no cache of configmaps, only of widgets.example.com: add owns() or watches() for it',
    );
  });

  it('goes on after a mapper that throws', async () => {
    const reconciler = new TestReconciler();
    const { host, widgets } = await running(reconciler, {
      configure: (builder) =>
        builder.watches(ConfigMap, () => {
          throw new Error('a mistake');
        }),
      host: hostWithSynced(ConfigMap),
    });

    host.caches.of(ConfigMap).put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } });
    widgets.put(aWidget('b'));
    await settle();

    expect(reconciler.calls).toEqual(['a', 'b']);
    expect(host.logger.messages('error')).toEqual(['predicate or mapper failed']);
  });
});

describe('Controller: finalizers', () => {
  const finalizers = ['example.com/finalizer'];
  const deletionTimestamp = '2030-01-01T00:00:00Z';

  it('goes on with the object that the server returned when it added the finalizer', async () => {
    const { client } = fakeClient({ patch: () => aWidget('a', { resourceVersion: '2', finalizers }) });
    const versions: unknown[] = [];
    const reconciler = {
      reconcile: async ({ metadata }: Frozen<Widget>) => {
        versions.push(metadata.resourceVersion);
        return done;
      },
      finalize: async () => done,
    };

    await running(reconciler, { host: new FakeHost(client) });

    expect(versions).toEqual(['2']);
  });

  it('asks again as finalize says, and takes the finalizer off when it is done', async () => {
    const { client, patches } = fakeClient();
    const results = [requeueAfter(5_000, 'still going'), done];
    const reconciler = { reconcile: async () => done, finalize: async () => results.shift() ?? done };
    const host = new FakeHost(client);
    host.caches.of(Widget).put(aWidget('leaving', { finalizers, deletionTimestamp }));
    const { clock } = await running(reconciler, { host });
    const before = patches.filter(({ ref }) => ref.name === 'leaving').length;

    await clock.advance(5_000);

    expect(before).toBe(0);
    expect(patches.filter(({ ref }) => ref.name === 'leaving')).toHaveLength(1);
  });

  it('keeps the finalizer when finalize returns nothing', async () => {
    const { client, patches } = fakeClient();
    const reconciler = { reconcile: async () => done, finalize: async () => undefined as unknown as ReconcileResult };
    const host = new FakeHost(client);
    host.caches.of(Widget).put(aWidget('leaving', { finalizers, deletionTimestamp }));

    await running(reconciler, { host });

    expect(patches.filter(({ ref }) => ref.name === 'leaving')).toEqual([]);
    expect(await host.metric('reconcile_panics_total', { controller: 'widget' })).toBe(1);
  });

  it('does nothing for an object that went away before the finalizer was on', async () => {
    const notFound = new NotFoundError(404, { kind: 'Status', apiVersion: 'v1' }, 'PATCH /widgets/a');
    const { client } = fakeClient({
      patch: () => {
        throw notFound;
      },
    });
    const reconciler = Object.assign(new TestReconciler(), { finalize: async () => done });

    const { host } = await running(reconciler, { host: new FakeHost(client) });

    expect(reconciler.calls).toEqual([]);
    expect(host.logger.messages('error')).toEqual([]);
  });
});

function refsOfWidgetsNamed(name: string | undefined, cache: CacheLookup): ObjectRef[] {
  return cache(Widget)
    .list()
    .filter(({ metadata }) => metadata.name === name)
    .map(refOf);
}

function hostWithSynced(resource: typeof ConfigMap): FakeHost {
  const host = new FakeHost();
  host.caches.of(resource).sync();
  return host;
}
