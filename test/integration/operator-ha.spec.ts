import { ElastiService } from '@elasti/api';
import type { SimRequest } from '@elasti/kube-sim';
import { Lease } from '@elasti/operator-kit';
import { leaseName } from '../../apps/operator/src/names';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import type { OperatorReplica } from '../fixtures/elasti-world/operator-replica';
import { eventually } from '../eventually';

jest.setTimeout(180_000);

const leaseDurationMs = 4_000;

describe('two replicas', () => {
  let world: ElastiWorld;
  let leader: OperatorReplica;
  let standby: OperatorReplica;

  beforeEach(async () => {
    world = await ElastiWorld.start();
    leader = await world.startOperator({ leaseDurationMs, env: { ELASTI_SETTLE_TIME: '1s', ELASTI_HANDOVER_GRACE: '1s' } });
    await led(leader);
    standby = await world.startOperator({ leaseDurationMs, env: { ELASTI_SETTLE_TIME: '1s', ELASTI_HANDOVER_GRACE: '1s' } });
    await world.deploy('web');
  });

  afterEach(async () => {
    await world.stop();
  });

  const led = (replica: OperatorReplica) =>
    eventually('the lease is held', async () => {
      const lease = await world.client.find(Lease, { namespace: 'elasti', name: leaseName });
      return lease?.spec?.holderIdentity === replica.user ? true : undefined;
    });

  /** Kills the leader and waits until the other one leads. */
  async function killLeader(): Promise<number> {
    const startMs = performance.now();
    await leader.kill();
    await led(standby);
    return performance.now() - startMs;
  }

  it('both answer wakes, and the one that does not lead needs no leader for it', async () => {
    await world.manage('web');
    await world.asleep('web');
    world.prometheus.value = NaN;
    await leader.kill();

    const { status } = await world.wake(standby, 'web');

    expect([status, await world.scaleOf('web')]).toEqual([200, 1]);
    await world.awake('web');
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('a thousand wakes at once on both cause one scale write', async () => {
    await world.manage('web');
    await world.asleep('web');
    world.prometheus.value = NaN;
    let scales = 0;
    world.sim.faults.inject({
      effect: { kind: 'latency', delayMs: 0 },
      when: ({ verb, subresource }) => verb === 'update' && subresource === 'scale' && ++scales > 0,
    });

    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, n) => world.wake(n % 2 === 0 ? leader : standby, 'web')));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1_000);
    // The two know nothing of each other: both may have read zero before one of them wrote, and then one meets a conflict.
    expect(scales).toBeLessThanOrEqual(2);
  });

  it('the standby takes over within the lease time and goes on with a sleep that has begun', async () => {
    await world.manage('web');
    await world.condition('web', 'ScaledDown', 'False', 'FallingAsleep');

    const tookMs = await killLeader();
    await world.asleep('web');

    expect(tookMs).toBeLessThan(leaseDurationMs * 2);
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('it goes on with a hand-over that has begun', async () => {
    await world.manage('web');
    await world.asleep('web');
    world.prometheus.value = NaN;
    const letStart = world.pods.holdReadiness();
    expect((await world.wake(leader, 'web')).status).toBe(200);
    await world.condition('web', 'ScaledDown', 'False', 'Waking');

    await killLeader();
    letStart();
    await world.awake('web');

    expect(await world.slicesOf('web', 'proxy')).toEqual([]);
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('it goes on with a deletion that has begun', async () => {
    await world.manage('web');
    await world.asleep('web');
    const letStart = world.pods.holdReadiness();
    await world.client.delete(ElastiService, { namespace: shop, name: 'web' });
    await eventually('the target is scaled up', async () => ((await world.scaleOf('web')) === 1 ? true : undefined));

    await killLeader();
    letStart();
    await world.gone('web');

    expect(Object.keys(await world.slices('web'))).toEqual(['pods']);
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('a wake that came while a leader wrote its last zero is not lost with that leader', async () => {
    await world.manage('web', { cooldownPeriod: 3 });
    let isWriting = false;
    const isByLeader = ({ user }: SimRequest) => user === leader.user;
    world.sim.faults.inject({ effect: { kind: 'cut' }, when: (request) => isWriting && isByLeader(request) });
    world.sim.faults.inject({
      effect: { kind: 'latency', delayMs: 1_000 },
      when: (request) => isByLeader(request) && request.verb === 'update' && request.subresource === 'scale' && (isWriting = true),
      times: 1,
    });
    await world.until('the leader writes zero', () => Promise.resolve(isWriting));
    world.prometheus.value = NaN;

    expect((await world.wake(standby, 'web')).status).toBe(200);
    await world.until('zero is written', async () => (await world.scaleOf('web')) === 0);
    await killLeader();

    await world.until('it is woken', async () => (await world.scaleOf('web')) === 1);
    await world.awake('web');
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('a leader that stops in peace hands over at once', async () => {
    await world.manage('web');
    await world.asleep('web');
    const startMs = performance.now();

    await leader.stop();
    await led(standby);

    expect(performance.now() - startMs).toBeLessThan(leaseDurationMs);
  });
});
