import { ConfigMap, Event, EventRecorder, KitMetrics, Namespace, silentLogger, systemClock } from '@elasti/operator-kit';
import type { KubeClient } from '@elasti/operator-kit';
import { eventually } from './eventually';
import { useServer } from './harness';

describe("the kit's events", () => {
  const server = useServer();
  let client: KubeClient;

  beforeAll(() => {
    client = server.newClient();
  });

  const newRecorder = () =>
    new EventRecorder({
      client,
      clock: systemClock,
      logger: silentLogger,
      metrics: new KitMetrics(),
      reportingController: 'conformance.example.com/recorder',
      reportingInstance: 'recorder-1',
    });
  const given = (name: string) => server.of(ConfigMap).given({ metadata: { name } });
  const eventsAbout = async (name: string, namespace = server.namespace) =>
    (await client.list(Event, { namespace, fieldSelector: `regarding.name=${name}` })).items;

  it('says who reports what about which object', async () => {
    const object = await given('told');
    const recorder = newRecorder();

    recorder.for(object).emit({ type: 'Warning', reason: 'Failed', action: 'Trying', note: 'it did not work' });
    await recorder.stop();

    expect(await eventsAbout('told')).toMatchObject([
      {
        type: 'Warning',
        reason: 'Failed',
        action: 'Trying',
        note: 'it did not work',
        reportingController: 'conformance.example.com/recorder',
        reportingInstance: 'recorder-1',
        regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace: server.namespace, name: 'told', uid: object.metadata.uid },
        eventTime: expect.stringMatching(/\.\d{6}Z$/),
      },
    ]);
  });

  it('counts the same event on one object as a series', async () => {
    const recorder = newRecorder();
    const { emit } = recorder.for(await given('counted'));

    emit({ type: 'Normal', reason: 'Seen', note: 'again' });
    await eventually(async () => expect(await eventsAbout('counted')).toHaveLength(1));
    emit({ type: 'Normal', reason: 'Seen', note: 'again' });
    emit({ type: 'Normal', reason: 'Seen', note: 'again' });
    await recorder.stop();

    const events = await eventsAbout('counted');
    expect(events).toHaveLength(1);
    expect(events[0]?.series).toMatchObject({ count: 3, lastObservedTime: expect.stringMatching(/\.\d{6}Z$/) });
  });

  it('keeps different events apart', async () => {
    const recorder = newRecorder();
    const { emit } = recorder.for(await given('various'));

    emit({ type: 'Normal', reason: 'Started', note: 'one' });
    emit({ type: 'Normal', reason: 'Finished', note: 'two' });
    await recorder.stop();

    expect((await eventsAbout('various')).map(({ reason }) => reason).sort()).toEqual(['Finished', 'Started']);
  });

  it('starts another event when somebody deleted the one that was counted', async () => {
    const recorder = newRecorder();
    const { emit } = recorder.for(await given('deleted'));
    emit({ type: 'Normal', reason: 'Seen', note: 'again' });
    const [event] = await eventually(async () => {
      const events = await eventsAbout('deleted');
      expect(events).toHaveLength(1);
      return events;
    });
    await server.of(Event).delete(event?.metadata.name ?? '');

    emit({ type: 'Normal', reason: 'Seen', note: 'again' });
    await recorder.stop();

    expect(await eventsAbout('deleted')).toHaveLength(1);
  });

  it('puts events about cluster-scoped objects into the namespace default', async () => {
    const recorder = newRecorder();

    recorder.for(await client.get(Namespace, { name: server.namespace })).emit({ type: 'Normal', reason: 'Seen', note: 'a namespace' });
    await recorder.stop();

    const events = await eventsAbout(server.namespace, 'default');
    expect(events).toHaveLength(1);
    for (const { metadata } of events)
      await server
        .of(Event)
        .in('default')
        .delete(metadata.name ?? '');
  });

  it('shortens a note that is too long for the server', async () => {
    const recorder = newRecorder();

    recorder.for(await given('long')).emit({ type: 'Normal', reason: 'Seen', note: 'ü'.repeat(3000) });
    await recorder.stop();

    const [event] = await eventsAbout('long');
    expect(Buffer.byteLength(event?.note ?? '')).toBeGreaterThan(900);
  });
});
