import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { type PodNetwork, type ServiceAddress } from '@elasti/kube-sim';
import { ManualClock } from '../../libs/kube-sim/src/manual-clock.fixture';
import { ServicePort } from '../../libs/kube-sim/src/services/service-port';
import { eventually } from '../eventually';
import { loopbackNetwork } from '../fixtures/loopback-network';
import { DEPLOYMENTS, PODS, ProcessWorld, SERVICES, SLICES, nodeContainer } from '../fixtures/process-world/process-world';
import { STUBBORN_WEB } from '../fixtures/process-world/programs';

jest.setTimeout(60_000);

const READY = { ready: true, serving: true, terminating: false };
const NOT_READY = { ready: false, serving: false, terminating: false };
const LAST_RESORT = { ready: false, serving: true, terminating: true };
const ENDED = { ready: false, serving: false, terminating: true };

describe.each<PodNetwork>(['addresses', 'ports'])('Services on this machine, pods told apart by %s', (network) => {
  let world: ProcessWorld;
  const servers: Server[] = [];
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    world = await ProcessWorld.start(network);
  });

  afterEach(async () => {
    await world.sim.stop();
    for (const socket of sockets) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  });

  /** A server of this process as an endpoint; by default it says its name and ends. */
  async function backend(name: string, onConnection: (socket: Socket) => void = (socket) => void socket.end(name)): Promise<number> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  /** A Service that selects nothing: its endpoints are what the test says. */
  async function service(name: string, spec: object = {}): Promise<void> {
    await world.send('POST', SERVICES, { metadata: { name }, spec: { ports: [{ name: 'tcp', port: 8088 }], ...spec } });
  }

  const sliceOf = (name: string, serviceName: string, port: number, conditions: object) => ({
    metadata: { name, labels: { 'kubernetes.io/service-name': serviceName } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions }],
    ports: [{ name: 'tcp', port, protocol: 'TCP' }],
  });

  async function slice(name: string, port: number, conditions: object, serviceName = 'web'): Promise<void> {
    await world.send('POST', SLICES, sliceOf(name, serviceName, port, conditions));
  }

  const turn = (name: string, conditions: object) =>
    world.send('PATCH', `${SLICES}/${name}`, { endpoints: [{ addresses: ['127.0.0.1'], conditions }] });

  const address = (name = 'web', port?: number | string): Promise<ServiceAddress> =>
    eventually(`${name} listens`, () => Promise.resolve(world.sim.serviceAddress('default', name, port)));

  async function dial(name = 'web'): Promise<Socket> {
    const socket = connect({ ...(await address(name)), allowHalfOpen: true });
    sockets.add(socket);
    return socket;
  }

  /** What a new connection hears until its end, or how it fails. */
  async function hear(name = 'web'): Promise<string> {
    const socket = await dial(name);
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    return new Promise((resolve) => {
      socket.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code ?? '');
      });
      socket.on('end', () => {
        resolve(heard);
      });
    });
  }

  it('spread new connections over the ready endpoints of all slices, whoever wrote them', async () => {
    await service('web');
    await slice('one', await backend('one'), READY);
    await slice('two', await backend('two'), READY);
    await slice('cold', await backend('cold'), NOT_READY);
    await slice('late', await backend('late'), LAST_RESORT);
    await slice('other', await backend('other'), READY, 'somebody-else');

    const heard = [await hear(), await hear(), await hear(), await hear()];

    expect(heard.sort()).toEqual(['one', 'one', 'two', 'two']);
  });

  it('count an endpoint without conditions as ready', async () => {
    await service('web');
    await slice('one', await backend('one'), {});

    expect(await hear()).toBe('one');
  });

  it('fall back to endpoints that serve while they end, and then to none', async () => {
    await service('web');
    await slice('pods', await backend('pods'), READY);
    await slice('standby', await backend('standby'), LAST_RESORT);
    const heard = [await hear()];

    await turn('pods', NOT_READY);
    heard.push(await hear());
    await turn('standby', ENDED);
    heard.push(await hear());
    await turn('standby', NOT_READY);
    heard.push(await hear());

    expect(heard).toEqual(['pods', 'standby', 'ECONNRESET', 'ECONNRESET']);
  });

  it('reset a connection whose endpoint nobody listens at, without trying another', async () => {
    await service('web');
    const port = await backend('closed');
    await new Promise((resolve) => servers.pop()?.close(resolve));
    await slice('closed', port, READY);

    expect(await hear()).toBe('ECONNRESET');
  });

  it('keep a connection with its endpoint, whatever becomes of slices and Service', async () => {
    await service('web');
    await slice('echo', await backend('echo', (socket) => void socket.pipe(socket)), READY);
    const socket = await dial();
    socket.write('before ');
    expect(String((await once(socket, 'data'))[0])).toBe('before ');

    await world.send('DELETE', `${SLICES}/echo`);
    await world.send('DELETE', `${SERVICES}/web`);
    await eventually('nobody listens', () => Promise.resolve(world.sim.serviceAddress('default', 'web') ? undefined : true));
    socket.end('after');

    expect(String((await once(socket, 'data'))[0])).toBe('after');
    await once(socket, 'end');
  });

  it('carry the end of one direction without ending the other', async () => {
    await service('web');
    const port = await backend('counter', (socket) => {
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
      socket.on('end', () => socket.end(`got ${bytes}`));
    });
    await slice('counter', port, READY);
    const socket = await dial();

    socket.end(Buffer.alloc(3_000_000));

    expect(String((await once(socket, 'data'))[0])).toBe('got 3000000');
  });

  it('let a client go on after the endpoint has said everything', async () => {
    await service('web');
    let heard = '';
    const port = await backend('short', (socket) => {
      socket.end('goodbye');
      socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    });
    await slice('short', port, READY);
    const socket = await dial();
    socket.resume();
    await once(socket, 'end');

    socket.end('one more thing');

    await eventually('it is heard', () => Promise.resolve(heard === 'one more thing' ? true : undefined));
  });

  it('let a slow reader hold up the writer', async () => {
    const size = 64 * 1024 * 1024;
    let sent = 0;
    await service('web');
    const port = await backend('firehose', (socket) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const pour = (): void => {
        if (sent === size) socket.end();
        else
          socket.write(chunk, () => {
            sent += chunk.length;
            pour();
          });
      };
      pour();
    });
    await slice('firehose', port, READY);
    const socket = await dial();
    await once(socket, 'readable');

    let last = -1;
    await eventually('the writer waits', () => {
      const isStill = sent === last;
      last = sent;
      return Promise.resolve(isStill ? true : undefined);
    });
    expect(sent).toBeLessThan(size);
    let received = 0;
    socket.on('data', (chunk: Buffer) => (received += chunk.length));
    await once(socket, 'end');

    expect(received).toBe(size);
  });

  it('tell a side that the other one broke off', async () => {
    await service('web');
    let upstream: Socket | undefined;
    await slice('silent', await backend('silent', (socket) => (upstream = socket)), READY);
    const socket = await dial();
    const there = await eventually('it is connected', () => Promise.resolve(upstream));

    socket.resetAndDestroy();

    const [error] = (await once(there, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  it('have listeners for TCP ports of Services with a cluster address only', async () => {
    await service('headless', { clusterIP: 'None' });
    await world.send('POST', SERVICES, { metadata: { name: 'outside' }, spec: { type: 'ExternalName', externalName: 'example.com' } });
    await service('mixed', {
      ports: [
        { name: 'dns', port: 8053, protocol: 'UDP' },
        { name: 'tcp', port: 8088 },
        { name: 'more', port: 8089 },
      ],
    });

    const [first, byName, byNumber] = [await address('mixed'), await address('mixed', 'more'), await address('mixed', 8089)];

    expect(byName).toEqual(byNumber);
    expect(first).not.toEqual(byName);
    const others = ['headless', 'outside', 'unknown'].map((name) => world.sim.serviceAddress('default', name));
    expect([...others, world.sim.serviceAddress('default', 'mixed', 'dns')]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('follow the ports of their Service', async () => {
    await service('web');
    await address();

    await world.send('PATCH', `${SERVICES}/web`, { spec: { ports: [{ name: 'tcp', port: 8090 }] } });

    await eventually('the new port', () => Promise.resolve(world.sim.serviceAddress('default', 'web', 8090)));
    expect(world.sim.serviceAddress('default', 'web', 8088)).toBeUndefined();
  });

  it('lead to pods until they have ended', async () => {
    await world.send('POST', SERVICES, {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 8088, targetPort: 'http' }] },
    });
    await world.send('POST', DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [nodeContainer(STUBBORN_WEB)], terminationGracePeriodSeconds: 3600 },
        },
      },
    });
    const { host, port } = await address();
    const ask = () =>
      fetch(`http://${host}:${port}/`).then(
        (response) => response.ok,
        () => false,
      );
    await eventually('it answers', async () => ((await ask()) ? true : undefined));

    await world.send('PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 0 } });
    const [pod = ''] = await eventually('it is asked to end', () => {
      const line = world.lines.find((text) => text.endsWith('heard SIGTERM'));
      return Promise.resolve(line?.split(':'));
    });
    const whileItEnds = await ask();
    await world.send('DELETE', `${PODS}/${pod}?gracePeriodSeconds=0`);
    await eventually('nobody answers', async () => ((await ask()) ? undefined : true));

    expect(whileItEnds).toBe(true);
  });

  it('are no longer there after the simulator', async () => {
    await service('web');
    const { host, port } = await address();

    await world.sim.stop();

    const [error] = (await once(connect(port, host), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});

describe('Services on this machine', () => {
  const host = `${loopbackNetwork()}.200`;

  async function occupy(): Promise<() => Promise<unknown>> {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(8088, host, resolve));
    return () => new Promise((resolve) => occupant.close(resolve));
  }

  it('say which port is taken, and take it when it is free', async () => {
    const leave = await occupy();
    const world = await ProcessWorld.start('addresses');
    await world.send('POST', SERVICES, { metadata: { name: 'web' }, spec: { clusterIP: host, ports: [{ port: 8088 }] } });
    await eventually('it is refused', () => Promise.resolve(world.refused[0]));
    expect(world.sim.serviceAddress('default', 'web')).toBeUndefined();

    await leave();

    const address = await eventually('it listens', () => Promise.resolve(world.sim.serviceAddress('default', 'web')));
    expect(address).toEqual({ host, port: 8088 });
    expect(world.refused).toMatchObject([{ namespace: 'default', name: 'web', port: 8088, error: { code: 'EADDRINUSE' } }]);
    await world.sim.stop();
  });

  it('say it once, however often they try', async () => {
    const leave = await occupy();
    const clock = new ManualClock();
    const refused: Error[] = [];
    const port = new ServicePort({ host, port: 8088, clock, backends: () => [], onRefused: (error) => void refused.push(error) });
    const waits = () => eventually('it waits for the next try', () => Promise.resolve(clock.pending === 1 ? true : undefined));

    await waits();
    for (let tries = 0; tries < 3; tries++) {
      await clock.advance(60_000);
      await waits();
    }
    await leave();
    await clock.advance(60_000);

    await eventually('it listens', () => Promise.resolve(port.address));
    expect(refused).toHaveLength(1);
    await port.end();
    expect(clock.pending).toBe(0);
  });
});
