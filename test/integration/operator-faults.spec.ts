import type { FaultEffect, SimRequest } from '@elasti/kube-sim';
import { ElastiService } from '@elasti/api';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import { eventually } from '../eventually';

jest.setTimeout(300_000);

const byOperator = ({ user }: SimRequest) => user.startsWith('operator-');
const isWrite = ({ verb }: SimRequest) => ['create', 'update', 'patch', 'delete'].includes(verb);
const notLease = ({ resource }: SimRequest) => resource !== 'leases';

/** Every so many of the operator's requests, the first one included. */
function each(nth: number, when: (request: SimRequest) => boolean): (request: SimRequest) => boolean {
  let count = 0;
  return (request) => byOperator(request) && notLease(request) && when(request) && count++ % nth === 0;
}

describe('an API server that misbehaves', () => {
  let world: ElastiWorld;

  beforeEach(async () => {
    world = await ElastiWorld.start();
  });

  afterEach(async () => {
    await world.stop();
  });

  /** Asleep, awake, deleted: the whole way, whatever is in it. */
  async function liveThrough(): Promise<void> {
    const operator = await world.startOperator();
    await world.deploy('web');
    await world.manage('web', { minTargetReplicas: 2 });
    await world.asleep('web');
    world.prometheus.value = NaN;
    await eventually('the wake is accepted', async () => ((await world.wake(operator, 'web')).status === 200 ? true : undefined));
    await world.awake('web');
    expect(await world.scaleOf('web')).toBe(2);
    await world.client.delete(ElastiService, { namespace: shop, name: 'web' });
    await world.gone('web');
    expect(Object.keys(await world.slices('web'))).toEqual(['pods']);
    expect(world.log.emptyMoments('web')).toEqual([]);
  }

  it.each<[string, FaultEffect, (request: SimRequest) => boolean]>([
    ['is slow', { kind: 'latency', delayMs: 150 }, (request) => byOperator(request) && request.verb !== 'watch'],
    ['has enough of every third request', { kind: 'too-many-requests', retryAfterSeconds: 1 }, each(3, ({ verb }) => verb !== 'watch')],
    ['fails at every seventh write', { kind: 'server-error', code: 500 }, each(7, isWrite)],
    ['fails at every eleventh request', { kind: 'server-error', code: 503 }, each(11, () => true)],
    ['hangs up at every eleventh request', { kind: 'cut' }, each(11, () => true)],
  ])('and %s costs time and nothing else', async (_what, effect, when) => {
    world.sim.faults.inject({ effect, when });

    await liveThrough();
  });

  /** Lives through it while something else goes on all the time. */
  async function liveThroughWhile(everyMs: number, happens: () => void): Promise<void> {
    const timer = setInterval(happens, everyMs);
    try {
      await liveThrough();
    } finally {
      clearInterval(timer);
    }
  }

  it('and cuts the watches, again and again, costs time and nothing else', async () => {
    await liveThroughWhile(300, () => world.sim.faults.dropWatches(byOperator));
  });

  it('and forgets what watches need, so that everything is listed anew, costs time and nothing else', async () => {
    const expired = { code: 410, reason: 'Expired', message: 'too old' };

    await liveThroughWhile(400, () => world.sim.faults.failWatches(expired, byOperator));
  });

  it('and others who write at the same time cost a conflict and nothing else', async () => {
    let edits = 0;
    const edit = async () => {
      const body = { metadata: { labels: { edit: String(edits++) } } };
      await world.client.patch(ElastiService, { namespace: shop, name: 'web' }, { type: 'merge', body }).catch(() => undefined);
    };

    await liveThroughWhile(40, () => void edit());

    expect(edits).toBeGreaterThan(10);
  });

  it('a wake is answered 503 with Retry-After while it cannot be written, and accepted when it can', async () => {
    const operator = await world.startOperator();
    await world.deploy('web');
    await world.manage('web');
    await world.asleep('web');
    world.prometheus.value = NaN;
    const remove = world.sim.faults.inject({
      effect: { kind: 'server-error', code: 500 },
      when: (request) => byOperator(request) && request.subresource === 'scale' && request.verb === 'update',
    });

    const refused = await world.wake(operator, 'web');
    expect([refused.status, refused.headers.get('retry-after') !== null, await world.scaleOf('web')]).toEqual([503, true, 0]);

    remove();
    await eventually('the wake is accepted', async () => ((await world.wake(operator, 'web')).status === 200 ? true : undefined));
    await world.awake('web');
    expect(world.log.emptyMoments('web')).toEqual([]);
  });
});
