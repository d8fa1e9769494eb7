import { Registry } from 'prom-client';
import { TransportError, apiErrorFor } from '../client';
import { silentLogger } from '../logging';
import { KitMetrics } from '../metrics';
import { FakeClock, settle } from '../testing';
import { EventRecorder } from './event-recorder';
import { FakeEvents } from './fake-events.fixture';
import type { EventNote } from './object-events';

const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'shop', name: 'web', uid: 'u-1' } };
const scaled: EventNote = { type: 'Normal', reason: 'ScaledUp', action: 'Scale', note: 'scaled to 3' };

function setup() {
  const clock = new FakeClock();
  const events = new FakeEvents();
  const metrics = new KitMetrics(new Registry());
  const recorder = new EventRecorder({
    client: events,
    clock,
    logger: silentLogger,
    metrics,
    random: () => 0,
    reportingController: 'example.com/webapp-operator',
    reportingInstance: 'pod-1',
  });
  const dropped = async (reason: string) =>
    (await metrics.eventsDropped.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
  return { clock, events, recorder, dropped, stored: () => [...events.stored.values()] };
}

const refused = (code: number, reason: string) => apiErrorFor(code, { kind: 'Status', apiVersion: 'v1', reason }, 'POST events');
const unreachable = new TransportError('POST events', { cause: new Error('connection refused') });

describe('EventRecorder, what it writes', () => {
  it('is an events.k8s.io/v1 event about the object', async () => {
    const { recorder, stored } = setup();

    recorder.for(web).emit(scaled);
    await settle();

    expect(stored()).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) },
        eventTime: '2030-01-01T00:00:00.000000Z',
        reportingController: 'example.com/webapp-operator',
        reportingInstance: 'pod-1',
        regarding: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u-1' },
        type: 'Normal',
        reason: 'ScaledUp',
        action: 'Scale',
        note: 'scaled to 3',
      },
    ]);
  });

  it('puts events of cluster-scoped objects into the namespace default', async () => {
    const { recorder, stored } = setup();

    recorder.for({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }).emit(scaled);
    await settle();

    expect(stored()[0]?.metadata.namespace).toBe('default');
    expect(stored()[0]?.regarding?.namespace).toBeUndefined();
  });

  it('takes the reason for the action when there is none', async () => {
    const { recorder, stored } = setup();

    recorder.for(web).emit({ ...scaled, action: undefined });
    await settle();

    expect(stored()[0]?.action).toBe('ScaledUp');
  });

  it('cuts what the API server would refuse for its length, between characters', async () => {
    const { recorder, stored } = setup();

    recorder.for(web).emit({ type: 'Normal', reason: 'R'.repeat(200), note: '⏰'.repeat(500) });
    await settle();

    expect(Buffer.byteLength(stored()[0]?.note ?? '')).toBeLessThanOrEqual(1024);
    expect(stored()[0]?.note).toMatch(/^(⏰)+…$/);
    expect(stored()[0]?.reason).toHaveLength(126);
    expect(Buffer.byteLength(stored()[0]?.reason ?? '')).toBe(128);
  });

  it('finds a valid name for events about objects whose own name is not one for events', async () => {
    const { recorder, stored } = setup();

    recorder.for({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'system:node' } }).emit(scaled);
    recorder.for({ ...web, metadata: { ...web.metadata, name: 'w'.repeat(253) } }).emit(scaled);
    await settle();

    expect(stored()[0]?.metadata.name).toMatch(/^clusterrole\.[0-9a-f]{16}$/);
    expect(stored()[1]?.metadata.name).toHaveLength(253);
  });

  it('refuses a reporter that the API server would refuse', () => {
    const parts = { client: new FakeEvents(), clock: new FakeClock(), logger: silentLogger, metrics: new KitMetrics(new Registry()) };

    expect(() => new EventRecorder({ ...parts, reportingController: 'web app' })).toThrow("reportingController 'web app'");
  });

  it('drops an event without a reason and says so', async () => {
    const { recorder, dropped, events } = setup();

    recorder.for(web).emit({ ...scaled, reason: '' });
    await settle();

    expect(events.requests).toBe(0);
    expect(await dropped('invalid')).toBe(1);
  });
});

describe('EventRecorder, what it writes only once', () => {
  it('Events: same event counted, similar ones aggregated after 10 in 10 min, spam limited per object (25 burst, 1 per 5 min)', async () => {
    const { clock, events, recorder, dropped } = setup();
    const { emit } = recorder.for(web);

    for (let times = 0; times < 3; times++) emit(scaled);
    await settle();
    expect(events.told).toEqual([['scaled to 3', 3]]);

    for (let step = 1; step <= 12; step++) emit({ ...scaled, note: `step ${step}` });
    await settle();
    expect(events.told.slice(1)).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((step) => [`step ${step}`, 1]),
      ['(combined from similar events): step 10', 3],
    ]);

    for (let times = 0; times < 15; times++) emit(scaled);
    await settle();
    expect(events.told[0]).toEqual(['scaled to 3', 13]);
    expect(await dropped('spam')).toBe(5);

    await clock.advance(5 * 60_000 - 1);
    emit(scaled);
    await clock.advance(1);
    emit(scaled);
    emit(scaled);
    await settle();
    expect(events.told[0]).toEqual(['scaled to 3', 14]);
    expect(await dropped('spam')).toBe(7);
  });

  it('tells similar events apart again after 10 minutes', async () => {
    const { clock, events, recorder } = setup();
    const { emit } = recorder.for(web);

    for (let step = 1; step <= 10; step++) emit({ ...scaled, note: `step ${step}` });
    await clock.advance(10 * 60_000 + 1);
    emit({ ...scaled, note: 'step 11' });
    await settle();

    expect(events.told.at(-1)).toEqual(['step 11', 1]);
  });

  it('limits no other object, and never takes events about two objects for one', async () => {
    const { events, recorder, dropped } = setup();

    for (let times = 0; times < 30; times++) recorder.for(web).emit(scaled);
    recorder.for({ ...web, metadata: { ...web.metadata, uid: 'u-2' } }).emit(scaled);
    await settle();

    expect(events.told).toEqual([
      ['scaled to 3', 25],
      ['scaled to 3', 1],
    ]);
    expect(await dropped('spam')).toBe(5);
  });

  it('writes an event anew, with its count, that the API server has forgotten', async () => {
    const { events, recorder } = setup();
    recorder.for(web).emit(scaled);
    await settle();

    events.stored.clear();
    recorder.for(web).emit(scaled);
    await settle();

    expect(events.told).toEqual([['scaled to 3', 2]]);
  });
});

describe('EventRecorder, when the API server fails', () => {
  it('a rejected event is not retried, a transport error is', async () => {
    const { clock, events, recorder, dropped } = setup();

    events.failure = refused(403, 'Forbidden');
    recorder.for(web).emit(scaled);
    await clock.advance(60_000);
    expect(events.requests).toBe(1);
    expect(await dropped('rejected')).toBe(1);

    events.failure = unreachable;
    recorder.for(web).emit({ ...scaled, note: 'scaled to 4' });
    await clock.advance(10 * 60_000);
    events.failure = undefined;
    await clock.advance(30_000);
    expect(events.told).toEqual([['scaled to 4', 1]]);
  });

  it('waits longer after each failure, 30 s at most', async () => {
    const { clock, events, recorder } = setup();
    events.failure = unreachable;
    const requestsAfter = async (delayMs: number) => {
      await clock.advance(delayMs);
      return events.requests;
    };

    recorder.for(web).emit(scaled);

    expect([await requestsAfter(999), await requestsAfter(1), await requestsAfter(2_000), await requestsAfter(4_000)]).toEqual([
      1, 2, 3, 4,
    ]);
    await clock.advance(10 * 60_000);
    const before = events.requests;
    expect(await requestsAfter(60_000)).toBe(before + 2);
  });

  it('lets no event that the server keeps failing on hold up the others', async () => {
    const { clock, events, recorder, dropped } = setup();
    events.failure = refused(500, 'InternalError');
    recorder.for(web).emit(scaled);
    await settle();
    recorder.for(web).emit({ ...scaled, note: 'scaled to 4' });

    await clock.advance(5 * 60_000);
    events.failure = undefined;
    await clock.advance(30_000);

    expect(events.told).toEqual([['scaled to 4', 1]]);
    expect(await dropped('rejected')).toBe(1);
  });

  it('waits as long as a busy server asks for', async () => {
    const { clock, events, recorder } = setup();
    const status = { kind: 'Status', apiVersion: 'v1', details: { retryAfterSeconds: 7 } } as const;
    events.failure = apiErrorFor(429, status, 'POST events');
    recorder.for(web).emit(scaled);
    await settle();

    events.failure = undefined;
    await clock.advance(6_999);
    expect(events.told).toEqual([]);

    await clock.advance(1);
    expect(events.told).toEqual([['scaled to 3', 1]]);
  });

  it('does not write an event twice when only the answer was lost, nor lose its count', async () => {
    const { clock, events, recorder, dropped } = setup();
    const create = events.create.bind(events);
    events.create = async (...call) => {
      await create(...call);
      events.create = create;
      throw unreachable;
    };

    recorder.for(web).emit(scaled);
    await settle();
    recorder.for(web).emit(scaled);
    await clock.advance(1_000);

    expect(events.told).toEqual([['scaled to 3', 2]]);
    expect(await dropped('rejected')).toBe(0);
  });

  it('never blocks a reconcile', async () => {
    const { events, recorder } = setup();
    events.gate = new Promise<void>(() => undefined);

    for (let object = 0; object < 3000; object++) {
      recorder.for({ ...web, metadata: { ...web.metadata, name: `web-${object}` } }).emit(scaled);
    }
    await settle();

    expect(events.requests).toBe(1);
  });

  it('drops the oldest when a thousand wait, and counts them', async () => {
    const { events, recorder, dropped } = setup();
    const gate = Promise.withResolvers<undefined>();
    events.gate = gate.promise;
    for (let object = 0; object < 1101; object++) {
      recorder.for({ ...web, metadata: { ...web.metadata, name: `web-${object}` } }).emit(scaled);
    }

    gate.resolve(undefined);
    await recorder.stop();

    expect(await dropped('queue_full')).toBe(100);
    const names = [...events.stored.values()].map(({ regarding }) => regarding?.name);
    expect([names.length, names[0], names[1], names.at(-1)]).toEqual([1001, 'web-0', 'web-101', 'web-1100']);
  });
});

describe('EventRecorder.stop', () => {
  it('sends what is left without waiting for the backoff', async () => {
    const { events, recorder } = setup();
    events.failure = unreachable;
    recorder.for(web).emit(scaled);
    await settle();

    events.failure = undefined;
    await recorder.stop();

    expect(events.told).toEqual([['scaled to 3', 1]]);
  });

  it('gives up after its time, counts what was lost and leaves no timer', async () => {
    const { clock, events, recorder, dropped } = setup();
    events.gate = new Promise<void>(() => undefined);
    recorder.for(web).emit(scaled);
    recorder.for(web).emit({ ...scaled, note: 'another' });

    const stopped = recorder.stop(5_000);
    await clock.advance(5_000);
    await stopped;

    expect(await dropped('stopped')).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes no event afterwards', async () => {
    const { events, recorder, dropped } = setup();
    await recorder.stop();

    recorder.for(web).emit(scaled);
    await settle();

    expect(events.requests).toBe(0);
    expect(await dropped('stopped')).toBe(1);
  });
});
