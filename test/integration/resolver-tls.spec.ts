import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';

import { type KeyPair, TestAuthority } from './client-certificates';
import { type Resolver, Scene, until } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => scene.stop());

let authority: TestAuthority;
let certificate: KeyPair;
beforeAll(async () => {
  authority = await TestAuthority.create('pods');
  certificate = await authority.issue('web', ['web.shop']);
});

/** A pod that speaks TLS and says back what it hears, with its name before it. */
async function tlsPod(podKey: string): Promise<{ podKey: string; port: number; die(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer(certificate, (socket) => {
    socket.on('error', () => undefined).on('data', (bytes: Buffer) => void socket.write(`${podKey}: ${bytes.toString()}`));
  });
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const die = async (): Promise<void> => {
    if (!server.listening) return;
    for (const socket of sockets) socket.resetAndDestroy();
    server.close();
    await once(server, 'close');
  };
  scene.add({ stop: die });
  return { podKey, port: (server.address() as AddressInfo).port, die };
}

/** A client that trusts nobody but the pods' own authority, so whoever is in between can read and change nothing. */
function tlsClient({ port }: Resolver): { socket: TLSSocket; say(text: string): Promise<string>; isOver(): boolean } {
  const socket = connect({ port, host: '127.0.0.1', servername: 'web.shop', ca: authority.ca });
  let over = false;
  socket.on('error', () => (over = true)).on('close', () => (over = true));
  scene.add({ stop: () => void socket.destroy() });
  const say = async (text: string): Promise<string> => {
    socket.write(text);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  };
  return { socket, say, isOver: () => over };
}

const isHeld = ({ gate }: Resolver): Promise<void> => until('it to be held', () => gate.waiting.length === 1);

describe('TLS passes through', () => {
  it('while the service sleeps: the handshake is held, and ends with the pod that wakes', async () => {
    const resolver = await scene.resolver();
    const { socket, say } = tlsClient(resolver);
    await isHeld(resolver);
    const before = socket.authorized;

    resolver.gate.ready(await tlsPod('pod-a'));

    await expect(say('hello')).resolves.toBe('pod-a: hello');
    expect([before, socket.authorized, socket.getPeerCertificate().subject.CN]).toEqual([false, true, 'web']);
  });

  it('while it wakes: a pod that does not listen yet is left for one that does', async () => {
    const early = await tlsPod('pod-a');
    await early.die();
    const resolver = await scene.resolver();
    const { say } = tlsClient(resolver);
    await isHeld(resolver);

    resolver.gate.ready(early, await tlsPod('pod-b'));

    await expect(say('hello')).resolves.toBe('pod-b: hello');
    expect(resolver.gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'refused' }]);
  });

  it('while it is awake, without a hold', async () => {
    const resolver = await scene.resolver();
    resolver.gate.ready(await tlsPod('pod-a'));
    const { say } = tlsClient(resolver);

    const answers = [await say('one'), await say('two')];

    expect([answers, resolver.gate.asked]).toEqual([['pod-a: one', 'pod-a: two'], []]);
  });

  it('until its pod dies: the client hears of it at once, and its next connection goes to another', async () => {
    const resolver = await scene.resolver();
    const pod = await tlsPod('pod-a');
    resolver.gate.ready(pod, await tlsPod('pod-b'));
    const first = tlsClient(resolver);
    await first.say('hello');

    await pod.die();
    await until('the client to hear of it', first.isOver);
    const second = tlsClient(resolver);

    await expect(second.say('hello')).resolves.toBe('pod-b: hello');
    await until('the first to be over', () => resolver.tally.open === 1);
  });
});
