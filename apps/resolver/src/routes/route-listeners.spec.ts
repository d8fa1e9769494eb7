import { ConfigMap } from '@elasti/operator-kit';
import { FakeCaches, FakeClock, RecordingLogger, settle } from '@elasti/operator-kit/testing';
import type { RouteIdentity } from './route-claim';
import { type OpenPort, RouteListeners } from './route-listeners';
import { RouteTable } from './route-table';
import { aShard, type Lines } from './routes.fixture';

const web = { namespace: 'shop', service: 'web', port: 80 };

/** Ports that open in memory; `taken` ones fail, `slow` ones wait for `finish`. */
class FakePorts {
  readonly open = new Map<number, () => RouteIdentity | undefined>();
  readonly taken = new Set<number>();
  tries = 0;
  opening = 0;
  mostOpening = 0;
  private held: PromiseWithResolvers<void> | undefined;

  hold(): void {
    this.held = Promise.withResolvers();
  }

  finish(): void {
    this.held?.resolve();
  }

  readonly opener = async (port: number, identityOf: () => RouteIdentity | undefined): Promise<OpenPort> => {
    this.tries++;
    this.mostOpening = Math.max(this.mostOpening, ++this.opening);
    await this.held?.promise;
    this.opening--;
    if (this.taken.has(port) || this.open.has(port)) throw Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });
    this.open.set(port, identityOf);
    return { close: () => void this.open.delete(port) };
  };
}

function setup() {
  const caches = new FakeCaches();
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const ports = new FakePorts();
  const table = new RouteTable(caches, 'elasti', logger);
  const shards = caches.of(ConfigMap);
  const listeners = new RouteListeners(table, ports.opener, { clock, logger });
  const route = async (lines: Lines, shard = 0) => {
    shards.put(aShard(lines, shard));
    await settle();
  };
  return { clock, logger, ports, shards, listeners, route };
}

describe('RouteListeners', () => {
  it('listens on the port of every route, those of before and those that come', async () => {
    const { listeners, ports, route } = setup();
    await route({ 20000: 'shop/web/80' });

    listeners.start();
    await route({ 20000: 'shop/web/80', 20001: 'shop/api/80' });

    expect([...ports.open.keys()]).toEqual([20000, 20001]);
    expect(ports.open.get(20000)?.()).toEqual({ target: web });
    expect([listeners.isListening(20000, web), listeners.isListening(20001, web), listeners.isListening(20002, web)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has started once every route that was there has been tried, and then for good', async () => {
    const { listeners, ports, route } = setup();
    ports.taken.add(20001);
    await route({ 20000: 'shop/web/80', 20001: 'shop/api/80' });
    const before = listeners.hasStarted;

    ports.hold();
    listeners.start();
    await settle();
    const opening = [listeners.hasStarted, listeners.notListening];
    ports.finish();
    await settle();
    const tried = [listeners.hasStarted, listeners.notListening];
    ports.hold();
    await route({ 20000: 'shop/web/80', 20001: 'shop/api/80', 20002: 'shop/db/80' });

    expect([before, opening, tried]).toEqual([false, [false, 2], [true, 1]]);
    expect([listeners.hasStarted, listeners.notListening]).toEqual([true, 2]);
  });

  it('has started where there is no route', () => {
    const { listeners } = setup();

    listeners.start();

    expect(listeners.hasStarted).toBe(true);
  });

  it('waits a minute for ports that neither open nor fail', async () => {
    const { listeners, ports, route, clock } = setup();
    await route({ 20000: 'shop/web/80' });
    ports.hold();
    listeners.start();

    await clock.advance(59_999);
    const before = listeners.hasStarted;
    await clock.advance(1);

    expect([before, listeners.hasStarted]).toEqual([false, true]);
  });

  it('waits at the start for no port whose route went', async () => {
    const { listeners, ports, route } = setup();
    await route({ 20000: 'shop/web/80' });
    ports.hold();
    listeners.start();

    await route({});

    expect(listeners.hasStarted).toBe(true);
  });

  it('goes on listening for ten minutes after a route went, for the one it was for', async () => {
    const { listeners, ports, route, clock } = setup();
    listeners.start();
    await route({ 20000: 'shop/web/80' });

    await route({ 20000: 'shop/web/80 freed' });
    await clock.advance(599_999);
    const target = ports.open.get(20000)?.()?.target;
    await clock.advance(1);

    expect([target, ports.open.size, clock.pendingTimers]).toEqual([web, 0, 0]);
  });

  it('stays open when the route comes back in time', async () => {
    const { listeners, ports, route, clock } = setup();
    listeners.start();
    await route({ 20000: 'shop/web/80' });
    await route({});

    await route({ 20000: 'shop/web/80' });
    await clock.advance(3_600_000);

    expect([ports.open.size, ports.tries]).toEqual([1, 1]);
  });

  it('serves the new owner of a port without opening it anew', async () => {
    const { listeners, ports, route } = setup();
    listeners.start();
    await route({ 20000: 'shop/web/80' });

    await route({ 20000: 'shop/api/80' });

    expect([ports.open.get(20000)?.()?.target.service, ports.tries]).toEqual(['api', 1]);
  });

  it('says of each new connection who speaks first, as the route has it then', async () => {
    const { listeners, ports, route } = setup();
    listeners.start();
    await route({ 20000: 'shop/web/80' });
    const before = ports.open.get(20000)?.();

    await route({ 20000: 'shop/web/80 greets' });

    expect([before, ports.open.get(20000)?.(), ports.tries]).toEqual([{ target: web }, { target: web, speaksFirst: 'server' }, 1]);
  });

  it('closes a disputed port at once', async () => {
    const { listeners, ports, route } = setup();
    listeners.start();
    await route({ 20000: 'shop/web/80' });

    await route({ 20000: 'shop/thief/80' }, 3);

    expect([ports.open.size, listeners.notListening]).toEqual([0, 0]);
  });

  it('tries a port that is taken until it can have it, and says so once', async () => {
    const { listeners, ports, route, clock, logger } = setup();
    listeners.start();
    ports.taken.add(20000);
    await route({ 20000: 'shop/web/80' });
    await clock.advance(10_000);
    const [tries, deaf] = [ports.tries, listeners.notListening];

    ports.taken.clear();
    await clock.advance(30_000);

    expect([tries, deaf, listeners.notListening]).toEqual([4, 1, 0]);
    expect([logger.messages('error'), logger.messages('info')]).toEqual([['route port cannot be opened'], ['route port is open at last']]);
  });

  it('forgets a port that could not be opened when its route goes', async () => {
    const { listeners, ports, route, clock } = setup();
    listeners.start();
    ports.taken.add(20000);
    await route({ 20000: 'shop/web/80' });

    await route({});

    expect([listeners.notListening, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('closes a port whose route went while it was being opened', async () => {
    const { listeners, ports, route } = setup();
    listeners.start();
    ports.hold();
    await route({ 20000: 'shop/web/80' });

    await route({});
    ports.finish();
    await settle();

    expect(ports.open.size).toBe(0);
  });

  it('opens ten thousand ports, a few at once', async () => {
    const { listeners, ports, shards } = setup();
    listeners.start();
    ports.hold();
    for (let shard = 0; shard < 4; shard++) {
      const first = 20_000 + shard * 2_500;
      shards.put(aShard(Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [first + index, `shop/s${index}/80`])), shard));
    }
    ports.finish();

    for (let turn = 0; turn < 200 && listeners.notListening > 0; turn++) await settle();

    expect([ports.open.size, ports.mostOpening]).toEqual([10_000, 64]);
  });

  it('closes everything when stopped, and opens nothing more', async () => {
    const { listeners, ports, route, clock } = setup();
    listeners.start();
    await route({ 20000: 'shop/web/80', 20001: 'shop/api/80' });
    await route({ 20000: 'shop/web/80' });

    listeners.stop();
    await route({ 20000: 'shop/web/80', 20002: 'shop/db/80' });

    expect([ports.open.size, clock.pendingTimers]).toEqual([0, 0]);
  });
});
