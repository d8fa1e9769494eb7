import { ElastiService } from '@elasti/api';
import { ConflictError, Deployment, ServerError } from '@elasti/operator-kit';
import { settle } from '@elasti/operator-kit/testing';
import { type Call, formatCall } from '../fake-cluster.fixture';
import { Shop, type ShopWish } from '../shop.fixture';
import { TargetNotFoundError } from '../waker';

function setup(wish: ShopWish = {}) {
  const shop = new Shop({ replicas: 0, pods: {}, ...wish });
  const { cluster, replica, signal } = shop;
  const wake = (why = 'it was asked for') => replica.wakes.wake(replica.elastiService(), why, signal);
  return { shop, cluster, replica, wake };
}

/** Calls of this verb wait for `open`. */
function gateOn(verb: Call['verb']) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { open: () => resolve(undefined), before: (call: Call) => (call.verb === verb ? promise : undefined) };
}

describe('WakeOps', () => {
  it('stamps the ElastiService before it writes the scale, over the version that the watch has shown', async () => {
    const { shop, cluster, replica, wake } = setup();

    await expect(wake()).resolves.toBe('scaled');

    expect(cluster.calls.map(formatCall)).toEqual(['patch status ElastiService web', 'replaceScale Deployment web']);
    expect(replica.elastiService().status?.lastScaledUpTime).toBe('2030-01-01T00:00:00.000Z');
    expect(shop.scale).toBe(1);
  });

  it.each([
    ['sleeps and shows another version', 0],
    ['is awake and shows it asleep', 1],
  ])('asks the API server when a watch lags behind a target that %s', async (_what, replicas) => {
    const { shop, cluster, replica, wake } = setup({ spec: { minTargetReplicas: 2 } });
    replica.caches.holdBack();
    shop.scaleByHand(replicas + 1);
    shop.scaleByHand(replicas);

    await expect(wake()).resolves.toBe('scaled');

    expect(cluster.calls.map(formatCall)).toEqual([
      'patch status ElastiService web',
      'replaceScale Deployment web',
      'getScale Deployment web',
      'replaceScale Deployment web',
    ]);
    expect(shop.scale).toBe(2);
  });

  it('finds a target awake only by a look after the stamp: a sleep may come between an earlier one and it', async () => {
    const { shop, cluster, wake } = setup({ replicas: 1 });
    const { open, before } = gateOn('patch status');
    cluster.before = before;

    const waking = wake();
    await settle();
    shop.scaleByHand(0);
    open();

    await expect(waking).resolves.toBe('scaled');
    expect(shop.scale).toBe(1);
  });

  it('accepts a wake only when the API server has accepted the scale', async () => {
    const { cluster, wake } = setup();
    const { open, before } = gateOn('replaceScale');
    cluster.before = before;
    let outcome: string | undefined;

    const waking = wake().then((woken) => (outcome = woken));
    await settle();
    expect(outcome).toBeUndefined();
    open();
    await waking;

    expect(outcome).toBe('scaled');
  });

  it('brings a target to minTargetReplicas and leaves one alone that has more', async () => {
    const { shop, wake } = setup({ spec: { minTargetReplicas: 3 } });

    await wake();
    expect(shop.scale).toBe(3);
    shop.scaleByHand(5);
    await expect(wake()).resolves.toBe('already awake');

    expect(shop.scale).toBe(5);
  });

  it('writes the scale once for a thousand calls at the same time', async () => {
    const { cluster, wake } = setup();

    const outcomes = await Promise.all(Array.from({ length: 1_000 }, () => wake()));

    expect(new Set(outcomes)).toEqual(new Set(['scaled']));
    expect(cluster.writes).toEqual(['patch status ElastiService web', 'replaceScale Deployment web']);
  });

  it('gives a call that comes after the look at the scale a wake of its own', async () => {
    const { shop, cluster, wake } = setup({ replicas: 1 });
    const { open, before } = gateOn('getScale');
    cluster.before = before;
    const first = wake();
    await settle();

    const second = wake();
    open();
    await first;
    shop.scaleByHand(0);
    await expect(second).resolves.toBe('scaled');

    expect(shop.scale).toBe(1);
  });

  it.each([
    ['reads again when others were quicker', 2, 'scaled'],
    ['gives up when others always are', 100, 'a conflict'],
  ])('%s', async (_what, times, expected) => {
    const { cluster, wake } = setup();
    let left = times;
    cluster.before = ({ verb }) => {
      if (verb !== 'replaceScale' || left-- === 0) return;
      cluster.change(Deployment, { namespace: 'shop', name: 'web' }, ({ metadata }) => (metadata.labels = { left: String(left) }));
    };

    const outcome = await wake().catch((error: unknown) => (error instanceof ConflictError ? 'a conflict' : error));

    expect(outcome).toBe(expected);
  });

  it('tells of a wake by an event and a metric, and not of a target that was awake', async () => {
    const { replica, wake } = setup();

    await wake('a request came');
    await wake('a request came');

    expect(replica.events).toEqual([{ type: 'Normal', reason: 'SuccessToScale', action: 'Wake', note: 'scaled up to 1: a request came' }]);
    expect(replica.metrics.lines).toEqual(['scaled shop web scale-up success Deployment-web']);
  });

  it('tells of a wake that failed, to its caller, too', async () => {
    const { cluster, replica, wake } = setup();
    cluster.before = ({ verb }) => {
      if (verb === 'replaceScale') throw new ServerError(500, { kind: 'Status', apiVersion: 'v1', message: 'etcd is away' }, 'PUT scale');
    };

    await expect(wake()).rejects.toThrow(ServerError);

    expect(replica.events).toMatchObject([{ type: 'Warning', reason: 'FailedToScale', note: expect.stringContaining('etcd is away') }]);
    expect(replica.metrics.lines).toEqual(['scaled shop web scale-up error Deployment-web']);
  });

  it('is not stuck with a failure: the next call begins anew', async () => {
    const { cluster, wake } = setup();
    cluster.before = () => Promise.reject(new Error('away'));
    await expect(wake()).rejects.toThrow('away');

    cluster.before = () => undefined;

    await expect(wake()).resolves.toBe('scaled');
  });

  it('refuses a dry run, and touches nothing', async () => {
    const { cluster, wake } = setup({ spec: { mode: 'DryRun' } });

    await expect(wake()).resolves.toBe('refused');

    expect(cluster.calls).toEqual([]);
  });

  it('gives up after 15 s, and leaves no timer behind', async () => {
    const { shop, cluster, replica } = setup();
    const hanging = Promise.withResolvers<undefined>();
    cluster.before = () => hanging.promise;
    const waking = replica.wakes.wake(replica.elastiService(), 'asked', shop.signal);
    const failure = expect(waking).rejects.toThrow('not accepted within 15 s');

    await shop.clock.advance(15_000);
    hanging.resolve(undefined);
    await failure;

    expect(shop.clock.pendingTimers).toBe(0);
  });

  it('lets a caller go that waits no longer, and wakes for the others', async () => {
    const { cluster, replica, wake } = setup();
    const { open, before } = gateOn('replaceScale');
    cluster.before = before;
    const impatient = new AbortController();
    const gone = replica.wakes.wake(replica.elastiService(), 'asked', impatient.signal);
    const other = wake();

    impatient.abort(new Error('the client left'));
    await expect(gone).rejects.toThrow('the client left');
    open();

    await expect(other).resolves.toBe('scaled');
  });

  it('says that a target is not there', async () => {
    const { cluster, wake } = setup();
    cluster.remove(Deployment, { namespace: 'shop', name: 'web' });

    await expect(wake()).rejects.toThrow(TargetNotFoundError);
  });

  it('stamps a busy service and does nothing else', async () => {
    const { shop, cluster, replica } = setup();

    await replica.wakes.stampBusy(replica.elastiService(), shop.signal);

    expect(cluster.writes).toEqual(['patch status ElastiService web']);
    expect(cluster.look(ElastiService, { namespace: 'shop', name: 'web' }).status).toEqual({
      lastScaledUpTime: '2030-01-01T00:00:00.000Z',
    });
  });
});
