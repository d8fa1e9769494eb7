import { KubeSim } from '@elasti/kube-sim';
import { ConfigMap, Event, EventRecorder, KitMetrics, KubeClient, Namespace, silentLogger, systemClock } from '@elasti/operator-kit';
import { eventually } from '../conformance/eventually';

describe('events over a real connection', () => {
  let sim: KubeSim;
  let client: KubeClient;

  beforeEach(async () => {
    sim = await KubeSim.start();
    client = KubeClient.forServer({ server: sim.url });
  });

  afterEach(async () => {
    await client.close();
    await sim.stop();
  });

  const recorder = () =>
    new EventRecorder({
      client,
      clock: systemClock,
      logger: silentLogger,
      metrics: new KitMetrics(),
      reportingController: 'webapp-operator',
      reportingInstance: 'pod-1',
    });
  const eventsIn = async (namespace: string) => (await client.list(Event, { namespace })).items;

  it('are written, and counted when they repeat', async () => {
    const settings = await client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'settings' },
    });
    const events = recorder();
    const { emit } = events.for(settings);

    emit({ type: 'Normal', reason: 'Read', note: 'the settings were read' });
    await eventually(async () => expect(await eventsIn('default')).toHaveLength(1));
    emit({ type: 'Normal', reason: 'Read', note: 'the settings were read' });
    emit({ type: 'Normal', reason: 'Read', note: 'the settings were read' });
    await events.stop();

    expect(await eventsIn('default')).toEqual([
      expect.objectContaining({
        note: 'the settings were read',
        regarding: expect.objectContaining({ kind: 'ConfigMap', name: 'settings', uid: settings.metadata.uid }),
        series: expect.objectContaining({ count: 3 }),
      }),
    ]);
  });

  it('about cluster-scoped objects are found in the namespace default', async () => {
    const namespace = await client.get(Namespace, { name: 'kube-system' });
    const events = recorder();

    events.for(namespace).emit({ type: 'Warning', reason: 'Odd', note: 'something is odd' });
    await events.stop();

    expect(await eventsIn('default')).toEqual([expect.objectContaining({ type: 'Warning', reason: 'Odd' })]);
  });

  it('outlive an API server that is away for a moment', async () => {
    const events = recorder();
    const { emit } = events.for(await client.get(Namespace, { name: 'kube-system' }));
    await sim.faults.refuseConnections();

    emit({ type: 'Normal', reason: 'Away', note: 'nobody was listening' });
    await sim.faults.acceptConnections();

    await eventually(async () => expect(await eventsIn('default')).toHaveLength(1));
    await events.stop();
  });
});
