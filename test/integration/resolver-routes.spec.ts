import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { silentLogger, systemClock } from '@elasti/operator-kit';
import { FakeClock } from '@elasti/operator-kit/testing';
import { Rehearsal, tcpConnect } from '../../apps/resolver/src/activity';
import type { ExchangePolicy } from '../../apps/resolver/src/exchange';
import { DEFAULT_PROXY_SETTINGS, Forwarder, ForwardingListener } from '../../apps/resolver/src/proxy';
import { type PortOpener, type RouteIdentity, RouteListeners } from '../../apps/resolver/src/routes';
import { loopbackNetwork } from '../fixtures/loopback-network';
import { netPortOpener } from '../fixtures/resolver-world/net-port-opener';
import { eventually } from '../conformance/eventually';
import { FakeGate, Tally } from './resolver-http1.fixture';
import { ResolverRooms, web } from './resolver-rooms';

const shard = 2;
const [first, second, third] = [26_101, 26_102, 26_103];
const host = `${loopbackNetwork()}.254`;

async function read(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

describe('routes on real ports', () => {
  let rooms: ResolverRooms;
  let listeners: RouteListeners;
  let clock: FakeClock;
  const sockets: Socket[] = [];

  /** Says whom a connection is for, and then repeats what it hears. */
  function sayTarget(identityOf: () => RouteIdentity | undefined): Server {
    return createServer((socket) => {
      sockets.push(socket);
      const target = identityOf()?.target;
      socket.write(target ? `${target.namespace}/${target.service}/${target.port}` : 'nobody');
      socket.pipe(socket);
    });
  }

  function dial(port: number): Socket {
    const socket = connect({ host, port });
    sockets.push(socket);
    return socket;
  }

  beforeEach(async () => {
    rooms = await ResolverRooms.start();
    const opener = netPortOpener(sayTarget, { host, logger: silentLogger });
    clock = new FakeClock();
    listeners = new RouteListeners(rooms.table, opener, { clock, logger: silentLogger });
    listeners.start();
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    listeners.stop();
    await rooms.stop();
  });

  it('knows by the port whom a connection is for, as routes come', async () => {
    await rooms.route({ [first]: 'shop/web/80' }, shard);
    await rooms.route({ [first]: 'shop/web/80', [second]: 'shop/api/8080' }, shard);
    await eventually(() => expect(listeners.isListening(second, { namespace: 'shop', service: 'api', port: 8080 })).toBe(true));

    expect(await Promise.all([first, second].map((port) => read(dial(port))))).toEqual(['shop/web/80', 'shop/api/8080']);
    expect(listeners.notListening).toBe(0);
  });

  it('closes a while after a route went, and keeps what is open', async () => {
    await rooms.route({ [first]: 'shop/web/80' }, shard);
    await eventually(() => expect(listeners.isListening(first, web)).toBe(true));
    const open = dial(first);
    await read(open);

    await rooms.route({ [first]: 'shop/web/80 freed' }, shard);
    await eventually(() => expect(rooms.table.ports()).toEqual([]));
    await clock.advance(599_999);
    const late = await read(dial(first));
    await clock.advance(1);
    open.write('still here');

    expect([late, await read(open)]).toEqual(['shop/web/80', 'still here']);
    await expect(tcpConnect(host, first, new AbortController().signal)).rejects.toThrow('ECONNREFUSED');
  });

  it('gets a port that another program had when it is free', async () => {
    const squatter = createServer().listen(third, host);
    await once(squatter, 'listening');
    await rooms.route({ [third]: 'shop/web/80' }, shard);
    await eventually(() => expect(clock.pendingTimers).toBe(1));
    const before = listeners.notListening;

    squatter.close();
    await once(squatter, 'close');
    await clock.advance(1_000);
    await eventually(() => expect(listeners.notListening).toBe(0));

    expect([before, await read(dial(third))]).toEqual([1, 'shop/web/80']);
  });

  it('opens ten thousand ports of the proxy, each for its own service', async () => {
    listeners.stop();
    const policy: ExchangePolicy = {
      targetOf: () => undefined,
      answerInstead: ({ service }) => ({ status: 200, text: service }),
      isMovingOn: () => false,
    };
    const settings = DEFAULT_PROXY_SETTINGS;
    const forwarder = new Forwarder({ gate: new FakeGate(), policy, listener: new Tally(), settings, clock, logger: silentLogger });
    const opener: PortOpener = async (port, identityOf) => {
      const listener = await ForwardingListener.open(forwarder, { port, host }, identityOf);
      return { close: () => void listener.close() };
    };
    listeners = new RouteListeners(rooms.table, opener, { clock, logger: silentLogger });
    for (let full = 0; full < 4; full++) {
      const ports = Array.from({ length: 2_500 }, (_, index) => 20_000 + full * 2_500 + index);
      await rooms.route(Object.fromEntries(ports.map((port) => [port, `shop/s${port}/80`])), full);
    }
    await eventually(() => expect(rooms.table.ports()).toHaveLength(10_000));

    listeners.start();
    await eventually(() => expect([listeners.hasStarted, listeners.notListening]).toEqual([true, 0]));
    const answers = await Promise.all([20_000, 27_000, 29_999].map(async (port) => (await fetch(`http://${host}:${port}`)).text()));
    forwarder.stop();

    expect(answers).toEqual(['s20000\n', 's27000\n', 's29999\n']);
  }, 60_000);

  it('rehearses: listens, and connects or not', async () => {
    await rooms.deployAsleep();
    await rooms.route({ [first]: 'shop/web/80' }, shard);
    await eventually(() => expect([listeners.isListening(first, web), rooms.services.find(web) !== undefined]).toEqual([true, true]));
    const { services, pods } = rooms;
    const target = createServer((socket) => socket.destroy()).listen(0, host);
    await once(target, 'listening');
    const address = target.address();
    const localPort = typeof address === 'object' && address ? address.port : 0;
    // The simulator's pods have addresses that nothing answers at; what they would be is on this machine.
    const rehearsal = new Rehearsal({
      listeners,
      services,
      pods,
      connect: (_address, _port, signal) => tcpConnect(host, localPort, signal),
      clock: systemClock,
    });
    const ask = async () => {
      const request = { services: [{ namespace: 'shop', service: 'web', routes: [{ port: 80, resolverPort: first }] }] };
      const reply = await rehearsal.reply(request, new AbortController().signal);
      return reply.services[0]?.routes[0];
    };

    const asleep = await ask();
    await rooms.scale(1);
    await eventually(() => expect(pods.of(web)).toHaveLength(1));
    const awake = await ask();
    await new Promise((resolve) => target.close(resolve));
    const broken = await ask();

    expect([asleep, awake, broken]).toMatchObject([
      { listening: true, connects: 'no pod' },
      { listening: true, connects: 'yes' },
      { listening: true, connects: 'no', problem: expect.stringContaining('ECONNREFUSED') },
    ]);
  });
});
