import { KubeSim } from '@elasti/kube-sim';
import {
  CustomResourceDefinition,
  Deployment,
  Event,
  KitMetrics,
  KubeClient,
  Namespace,
  type ObjectRef,
  Service,
  silentLogger,
} from '@elasti/operator-kit';
import { WebApp } from '@elasti/webapp-operator';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WebAppOperatorModule } from '../../apps/webapp-operator/src/webapp-operator.module';
import { eventually } from '../eventually';

const ref: ObjectRef = { namespace: 'default', name: 'hello' };

describe('the WebApp operator on the simulator', () => {
  let sim: KubeSim;
  let client: KubeClient;
  let app: INestApplicationContext;

  const startOperator = () =>
    NestFactory.createApplicationContext(
      WebAppOperatorModule.forRoot({
        name: 'webapp-operator',
        client,
        logger: silentLogger,
        kitMetrics: new KitMetrics(),
        leaderElection: { namespace: 'default', name: 'webapp' },
      }),
      { logger: false, abortOnError: false },
    );
  const inPhase = (phase: string) =>
    eventually(`phase ${phase}`, async () => {
      const found = await client.find(WebApp, ref);
      return found?.status?.phase === phase ? found : undefined;
    });
  /** What the Deployment controller, which the simulator has not, would report. */
  const reportPods = async (availableReplicas: number, replicas = availableReplicas) => {
    const observedGeneration = (await client.get(Deployment, ref)).metadata.generation;
    const pods = { replicas, updatedReplicas: replicas, readyReplicas: availableReplicas, availableReplicas };
    const body = { status: { observedGeneration, ...pods } };
    await client.patch(Deployment, ref, { type: 'merge', body }, { subresource: 'status' });
  };

  beforeAll(async () => {
    sim = await KubeSim.start();
    client = KubeClient.forServer({ server: sim.url });
    await client.create(CustomResourceDefinition, WebApp.crd());
    app = await startOperator();
  });

  afterAll(async () => {
    await app.close();
    await client.close();
    await sim.stop();
  });

  it('goes from Created through WaitingForPods and Scaling to Ready as pods come up', async () => {
    await client.create(WebApp, WebApp.create('hello', { image: 'web:1', replicas: 2, port: 80 }, { namespace: 'default' }));
    await inPhase('WaitingForPods');
    await reportPods(1, 2);
    await inPhase('Scaling');
    await reportPods(2);

    const ready = await inPhase('Ready');

    expect(ready.status).toMatchObject({ availableReplicas: 2, observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] });
    expect((await client.get(Service, ref)).spec?.ports).toMatchObject([{ port: 80, targetPort: 'http' }]);
  });

  it('corrects what others change', async () => {
    await client.patch(Deployment, ref, { type: 'merge', body: { spec: { replicas: 9 } } });

    const corrected = await eventually('two replicas again', async () => {
      const deployment = await client.get(Deployment, ref);
      return deployment.spec?.replicas === 2 ? deployment : undefined;
    });

    expect(corrected.metadata.ownerReferences).toMatchObject([{ kind: 'WebApp', name: 'hello', controller: true }]);
  });

  it('tells what it did by events', async () => {
    const reasons = await eventually('events', async () => {
      const { items } = await client.list(Event, { namespace: 'default' });
      const found = items.map(({ reason }) => reason);
      return found.includes('Applied') && found.includes('Ready') ? found : undefined;
    });

    expect(reasons).toEqual(expect.arrayContaining(['Applied', 'Ready']));
  });

  it('catches up after a restart with what changed meanwhile', async () => {
    await app.close();
    await client.patch(WebApp, ref, { type: 'merge', body: { spec: { replicas: 5 } } });
    app = await startOperator();

    await eventually('five replicas', async () => ((await client.get(Deployment, ref)).spec?.replicas === 5 ? true : undefined));
    await reportPods(5);
    await inPhase('Ready');
  });

  it('removes the Service before it lets the WebApp go, and leaves the rest to the garbage collector', async () => {
    const holdService = (finalizers: string[] | null) => client.patch(Service, ref, { type: 'merge', body: { metadata: { finalizers } } });
    await holdService(['example.com/held-by-the-test']);
    await client.delete(WebApp, ref);
    await inPhase('Deleting');
    await eventually('the Service on its way out', async () => (await client.get(Service, ref)).metadata.deletionTimestamp);

    expect(await client.find(WebApp, ref)).toBeDefined();
    expect(await client.find(Deployment, ref)).toBeDefined();

    await holdService(null);
    await eventually('nothing left', async () => {
      const left = await Promise.all([client.find(WebApp, ref), client.find(Service, ref), client.find(Deployment, ref)]);
      return left.every((object) => object === undefined) ? true : undefined;
    });
  });

  it("leaves somebody else's Service of the same name alone when a WebApp goes", async () => {
    const taken: ObjectRef = { namespace: 'default', name: 'taken' };
    const owner = {
      apiVersion: 'v1',
      kind: 'Namespace',
      name: 'default',
      uid: (await client.get(Namespace, { name: 'default' })).metadata.uid ?? '',
    };
    const metadata = { ...taken, ownerReferences: [{ ...owner, controller: true }] };
    await client.create(Service, { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } });
    await client.create(WebApp, WebApp.create('taken', { image: 'web:1', replicas: 1, port: 80 }, { namespace: 'default' }));
    await eventually('its Deployment', () => client.find(Deployment, taken));

    await client.delete(WebApp, taken);

    await eventually('the WebApp gone', async () => ((await client.find(WebApp, taken)) ? undefined : true));
    expect((await client.get(Service, taken)).metadata.deletionTimestamp).toBeUndefined();
  });
});
