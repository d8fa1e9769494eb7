import { KubeSim } from '@elasti/kube-sim';
import { eventually } from '../eventually';
import { CONFIG_MAPS, Watch, call, configMap, summary } from './kube-sim-wire';

describe('KubeSim faults', () => {
  let sim: KubeSim;

  beforeEach(async () => {
    sim = await KubeSim.start();
  });

  afterEach(() => sim.stop());

  async function openWatch(query = 'resourceVersion=0'): Promise<Watch> {
    const before = sim.requests.of('watch', 'configmaps');
    const watch = new Watch(sim, query);
    await eventually('the watch is open', async () => (sim.requests.of('watch', 'configmaps') > before ? true : undefined));
    return watch;
  }

  it('throttles as often as asked and says when to come back', async () => {
    sim.faults.inject({
      effect: { kind: 'too-many-requests', retryAfterSeconds: 7 },
      when: ({ resource }) => resource === 'configmaps',
      times: 1,
    });

    const [throttled, served] = [await call(sim, 'GET', CONFIG_MAPS), await call(sim, 'GET', CONFIG_MAPS)];

    expect([throttled.code, throttled.body.reason, throttled.headers.get('retry-after')]).toEqual([429, 'TooManyRequests', '7']);
    expect(served.code).toBe(200);
  });

  it.each([500, 502, 503, 504] as const)('answers %i with a Status and changes nothing', async (code) => {
    sim.faults.inject({ effect: { kind: 'server-error', code }, when: ({ verb }) => verb === 'create' });

    const { code: answered, body } = await call(sim, 'POST', CONFIG_MAPS, configMap('a'));

    expect([answered, body.kind, body.code]).toEqual([code, 'Status', code]);
    expect((await call(sim, 'GET', `${CONFIG_MAPS}/a`)).code).toBe(404);
  });

  it('cuts a connection without an answer', async () => {
    sim.faults.inject({ effect: { kind: 'cut' }, times: 1 });

    await expect(call(sim, 'GET', CONFIG_MAPS)).rejects.toThrow();
    expect((await call(sim, 'GET', CONFIG_MAPS)).code).toBe(200);
  });

  it('answers a list with 410 and a watch with an ERROR event', async () => {
    sim.faults.inject({ effect: { kind: 'expired' } });
    const watch = new Watch(sim, 'resourceVersion=0');

    expect([(await call(sim, 'GET', CONFIG_MAPS)).body.reason, (await watch.next())?.object.code]).toEqual(['Expired', 410]);
  });

  it('drops, ends and fails open watches, each in its own way', async () => {
    const dropped = await openWatch();
    sim.faults.dropWatches();
    await expect(dropped.next()).rejects.toThrow();

    const ended = await openWatch();
    sim.faults.endWatches();
    await expect(ended.next()).resolves.toBeUndefined();

    const failed = await openWatch();
    sim.faults.failWatches({ code: 500, reason: 'InternalError', message: 'etcd' });
    await expect(failed.next()).resolves.toMatchObject({ type: 'ERROR', object: { code: 500, message: 'etcd' } });
  });

  it('holds back the events of a stalled watch until it goes on', async () => {
    const watch = await openWatch();
    sim.faults.stallWatches();
    await call(sim, 'POST', CONFIG_MAPS, configMap('a'));
    const next = watch.next();

    await expect(Promise.race([next, call(sim, 'GET', '/version').then(() => 'silence')])).resolves.toBe('silence');
    sim.faults.resumeWatches();
    const event = await next;
    watch.stop();

    expect(summary(event ? [event] : [])).toEqual(['ADDED a']);
  });

  it('sends bookmarks when told to', async () => {
    const watch = await openWatch('resourceVersion=0&allowWatchBookmarks=true');

    sim.faults.sendBookmarks();
    const event = await watch.next();
    watch.stop();

    expect(event?.type).toBe('BOOKMARK');
  });

  it('refuses connections for a while and then goes on with everything it had', async () => {
    const { body } = await call(sim, 'POST', CONFIG_MAPS, configMap('kept'));
    const address = sim.url;

    await sim.faults.refuseConnections();
    await expect(call(sim, 'GET', CONFIG_MAPS)).rejects.toThrow();
    await sim.faults.acceptConnections();
    const again = await call(sim, 'GET', `${CONFIG_MAPS}/kept`);

    expect(sim.url).toBe(address);
    expect(again.body.metadata).toEqual(body.metadata);
  });
});
