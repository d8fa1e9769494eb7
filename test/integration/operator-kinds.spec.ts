import { ElastiService } from '@elasti/api';
import { type ResourceDefinition, StatefulSet } from '@elasti/operator-kit';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import { Machine, Rollout } from '../fixtures/elasti-world/foreign-kinds';
import type { OperatorReplica } from '../fixtures/elasti-world/operator-replica';
import { eventually } from '../eventually';

jest.setTimeout(180_000);

const undecided = NaN;

describe('targets of every kind', () => {
  let world: ElastiWorld;
  let operator: OperatorReplica;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    operator = await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  /** Falls asleep, is asked for, and is awake again. */
  async function sleepAndWake(name: string, kind: ResourceDefinition): Promise<void> {
    await world.asleep(name, kind);
    world.prometheus.say(name, undecided);
    expect((await world.wake(operator, name)).status).toBe(200);
    expect(await world.scaleOf(name, kind)).toBe(1);
    await world.awake(name);
    expect(world.log.emptyMoments(name)).toEqual([]);
  }

  /** Pods for a workload whose own controller is not here. */
  async function standIn(name: string): Promise<void> {
    await world.deploy(`${name}-pods`);
    await world.expose(name, { app: `${name}-pods` });
  }

  it('a StatefulSet sleeps and wakes', async () => {
    const labels = { app: 'db' };
    await world.client.create(StatefulSet, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { namespace: shop, name: 'db' },
      spec: {
        replicas: 1,
        serviceName: 'db',
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'db', image: 'db', ports: [{ name: 'http', containerPort: 8080 }] }] },
        },
      },
    });
    await world.expose('db', labels);
    await world.manage('db', { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' } });

    await sleepAndWake('db', StatefulSet);
  });

  it('any kind with a scale subresource sleeps and wakes, wherever it keeps its number', async () => {
    await standIn('press');
    const machine: Machine = {
      apiVersion: 'example.com/v1',
      kind: 'Machine',
      metadata: { namespace: shop, name: 'press' },
      spec: { power: { instances: 1 } },
    };
    await world.client.create(Machine, machine);
    await world.manage('press', { scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Machine', name: 'press' } });

    await sleepAndWake('press', Machine);
  });

  it('an Argo Rollout, by its former plural too, sleeps unless an update is under way', async () => {
    await standIn('roll');
    await world.client.create(Rollout, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { namespace: shop, name: 'roll' },
      spec: { replicas: 1 },
    });
    await setPhase('Progressing');
    await world.manage('roll', { scaleTargetRef: { apiVersion: 'argoproj.io/v1alpha1', kind: 'rollouts', name: 'roll' } });
    await world.condition('roll', 'TriggersHealthy', 'True');
    await world.polled(20);
    expect(await world.scaleOf('roll', Rollout)).toBe(1);

    await setPhase('Healthy');
    await sleepAndWake('roll', Rollout);
  });

  async function setPhase(phase: string): Promise<void> {
    const body = { status: { phase, replicas: 1 } };
    await world.client.patch(Rollout, { namespace: shop, name: 'roll' }, { type: 'merge', body }, { subresource: 'status' });
  }

  it('a kind that does not exist yet is waited for, and said', async () => {
    await world.deploy('later');
    await world.manage('later', { scaleTargetRef: { apiVersion: 'nowhere.example/v1', kind: 'Ghost', name: 'later' } });

    const { message } = await world.condition('later', 'TargetFound', 'False', 'TargetNotFound');

    expect(message).toContain('Ghost');
    await world.condition('later', 'Ready', 'False', 'TargetNotFound');
  });

  describe('that KEDA scales, too', () => {
    const keda = (name: string) => ({ autoscaler: { type: 'keda' as const, name } });

    it('KEDA is paused at zero while it sleeps, and free when it is awake', async () => {
      await world.deploy('queue');
      await world.autoscale('queue', 1);
      await world.manage('queue', keda('queue'));
      await world.asleep('queue');
      expect(await world.kedaState('queue')).toBe('paused at 0');

      world.prometheus.say('queue', undecided);
      expect((await world.wake(operator, 'queue')).status).toBe(200);
      expect(await world.kedaState('queue')).toBe('free');
      await world.awake('queue');
      expect(await world.kedaState('queue')).toBe('free');
    });

    it('a minReplicaCount of 0 does not undo the wake: it is held until the cooldown is over, and said', async () => {
      await world.deploy('eager');
      await world.autoscale('eager', 0);
      await world.manage('eager', { ...keda('eager'), cooldownPeriod: 3, minTargetReplicas: 2 });
      await world.asleep('eager');

      world.prometheus.say('eager', undecided);
      expect((await world.wake(operator, 'eager')).status).toBe(200);
      expect(await world.kedaState('eager')).toBe('paused at 2');
      await world.condition('eager', 'ScaledDown', 'False', 'HeldByPause');

      await world.awake('eager');
      await eventually('KEDA is free', async () => ((await world.kedaState('eager')) === 'free' ? true : undefined));
    });

    it('a person who scales it up is not undone by the pause', async () => {
      await world.deploy('lifted');
      await world.autoscale('lifted', 1);
      await world.manage('lifted', keda('lifted'));
      await world.asleep('lifted');

      world.prometheus.say('lifted', undecided);
      await world.scale('lifted', 1);

      await eventually('KEDA is free', async () => ((await world.kedaState('lifted')) === 'free' ? true : undefined));
      await world.awake('lifted');
    });

    it('a ScaledObject that is gone is in nobody’s way', async () => {
      await world.deploy('orphan');
      await world.manage('orphan', keda('orphan'));
      await world.asleep('orphan');

      world.prometheus.say('orphan', undecided);
      expect((await world.wake(operator, 'orphan')).status).toBe(200);
      await world.awake('orphan');
    });

    it('its pause ends with the ElastiService', async () => {
      await world.deploy('parting');
      await world.autoscale('parting', 0);
      await world.manage('parting', keda('parting'));
      await world.asleep('parting');

      await world.client.delete(ElastiService, { namespace: shop, name: 'parting' });
      await world.gone('parting');

      expect([await world.kedaState('parting'), await world.scaleOf('parting')]).toEqual(['free', 1]);
    });
  });
});
