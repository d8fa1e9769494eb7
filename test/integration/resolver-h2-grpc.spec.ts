import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';

import { makeGenericClientConstructor, credentials, Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import type {
  Client,
  ClientDuplexStream,
  ClientReadableStream,
  ClientWritableStream,
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServiceError,
} from '@grpc/grpc-js';

import { GateError } from '../../apps/resolver/src/exchange';
import { H2Scene } from './resolver-h2.fixture';
import type { H2Resolver } from './resolver-h2.fixture';
import { until, WEB } from './resolver-http1.fixture';

const same = (bytes: Buffer): Buffer => bytes;
const method = (name: string, requestStream: boolean, responseStream: boolean) => ({
  path: `/echo.Echo/${name}`,
  requestStream,
  responseStream,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});
const ECHO = {
  unary: method('unary', false, false),
  collect: method('collect', true, false),
  repeat: method('repeat', false, true),
  talk: method('talk', true, true),
};

type Answered = (error: ServiceError | null, answer?: Buffer) => void;
interface EchoClient extends Client {
  unary(message: Buffer, metadata: Metadata, answered: Answered): void;
  collect(answered: Answered): ClientWritableStream<Buffer>;
  repeat(message: Buffer): ClientReadableStream<Buffer>;
  talk(): ClientDuplexStream<Buffer, Buffer>;
}

const unary: handleUnaryCall<Buffer, Buffer> = (call, done) => {
  const [wanted] = call.metadata.get('want-status');
  const trailers = new Metadata();
  trailers.set('x-trailer', 'seen');
  if (wanted === undefined) done(null, call.request, trailers);
  else done({ code: status.FAILED_PRECONDITION, details: 'as wanted', metadata: trailers });
};

/** Every message is also put into `seen` as it comes. */
const collectInto =
  (seen: string[]): handleClientStreamingCall<Buffer, Buffer> =>
  (call, done) => {
    const parts: Buffer[] = [];
    call.on('data', (part: Buffer) => {
      parts.push(part);
      seen.push(String(part));
    });
    call.on('error', () => undefined);
    call.on('end', () => done(null, Buffer.concat(parts)));
  };

const repeat: handleServerStreamingCall<Buffer, Buffer> = (call) => {
  for (let times = 0; times < 3; times++) call.write(call.request);
  if (String(call.request) !== 'stay') call.end();
};

const talk: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
  call.on('data', (part: Buffer) => call.write(part));
  call.on('end', () => call.end());
  call.on('error', () => undefined);
};

/** Stands before a server, whose connections can be cut as when its process is killed: by itself it would say good-bye. */
class Wire {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: NetServer) {}

  static async to(port: number): Promise<Wire> {
    const server = createServer({ noDelay: true });
    const wire = new Wire(server);
    server.on('connection', (near) => {
      const far = connect({ port, host: '127.0.0.1', noDelay: true });
      for (const socket of [near, far])
        wire.sockets.add(socket.on('error', () => undefined).on('close', () => wire.sockets.delete(socket)));
      near.pipe(far).pipe(near);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return wire;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  stop(): void {
    this.cut();
    this.server.close();
  }
}

describe('gRPC through the HTTP/2 relay', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  async function grpcPod(podKey = 'grpc'): Promise<{ podKey: string; port: number; die: () => void; collected: string[] }> {
    const server = new Server();
    const collected: string[] = [];
    server.addService(ECHO, { unary, collect: collectInto(collected), repeat, talk });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    scene.add({ stop: () => server.forceShutdown() });
    const wire = scene.add(await Wire.to(port));
    return { podKey, port: wire.port, die: () => wire.cut(), collected };
  }

  function clientOf(resolver: H2Resolver): EchoClient {
    const Echo = makeGenericClientConstructor(ECHO, 'echo.Echo');
    const options = { 'grpc.enable_retries': 0 };
    const client = new Echo(`127.0.0.1:${resolver.port}`, credentials.createInsecure(), options) as unknown as EchoClient;
    scene.add({ stop: () => client.close() });
    return client;
  }

  function ask(client: EchoClient, message: string | Buffer, metadata = new Metadata()): Promise<string> {
    return new Promise((resolve, reject) => {
      client.unary(Buffer.from(message), metadata, (error, answer) => (error ? reject(error) : resolve(String(answer))));
    });
  }

  async function received(stream: ClientReadableStream<Buffer>): Promise<string[]> {
    const parts: string[] = [];
    for await (const part of stream) parts.push(String(part));
    return parts;
  }

  describe.each(['awake', 'held, then woken'])('while the service is %s', (situation) => {
    async function calls<T>(call: (client: EchoClient) => Promise<T>): Promise<T> {
      const pod = await grpcPod();
      const resolver = await scene.resolver();
      if (situation === 'awake') resolver.gate.ready(pod);
      const answer = call(clientOf(resolver));
      answer.catch(() => undefined);
      if (situation !== 'awake') {
        await until('the call is held', () => resolver.gate.waiting.length === 1);
        resolver.gate.ready(pod);
      }
      return answer;
    }

    it('passes unary calls', async () => {
      await expect(calls((client) => ask(client, 'hello'))).resolves.toBe('hello');
    });

    it('passes messages of megabytes', async () => {
      const large = Buffer.alloc(3 * 1024 * 1024, 'large');

      await expect(calls((client) => ask(client, large))).resolves.toBe(large.toString());
    });

    it('passes the status of a call that failed, and its trailers', async () => {
      const metadata = new Metadata();
      metadata.set('want-status', 'failed');

      const error = await calls((client) => ask(client, 'x', metadata)).catch((failed: unknown) => failed);

      expect(error).toMatchObject({ code: status.FAILED_PRECONDITION, details: 'as wanted' });
      expect((error as ServiceError).metadata.get('x-trailer')).toEqual(['seen']);
    });

    it('passes streams from the client', async () => {
      const answer = calls(
        (client) =>
          new Promise((resolve, reject) => {
            const stream = client.collect((error, collected) => (error ? reject(error) : resolve(String(collected))));
            for (const part of ['a', 'b', 'c']) stream.write(Buffer.from(part));
            stream.end();
          }),
      );

      await expect(answer).resolves.toBe('abc');
    });

    it('passes streams from the server', async () => {
      await expect(calls((client) => received(client.repeat(Buffer.from('r'))))).resolves.toEqual(['r', 'r', 'r']);
    });

    it('passes streams both ways, each message at once', async () => {
      const heard = await calls(async (client) => {
        const stream = client.talk();
        const parts: string[] = [];
        for (const part of ['1', '2', '3']) {
          const echo = new Promise((resolve) => stream.once('data', resolve));
          stream.write(Buffer.from(part));
          parts.push(String(await echo));
        }
        stream.end();
        return [...parts, ...(await received(stream))];
      });

      expect(heard).toEqual(['1', '2', '3']);
    });
  });

  it('passes a thousand calls on one connection, many at a time', async () => {
    const resolver = await scene.resolver();
    resolver.gate.ready(await grpcPod());
    const client = clientOf(resolver);

    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, at) => ask(client, `call ${at}`)));

    expect(answers).toEqual(Array.from({ length: 1_000 }, (_, at) => `call ${at}`));
  });

  it.each([
    ['timed out', status.DEADLINE_EXCEEDED],
    ['queue full', status.UNAVAILABLE],
    ['not waking', status.UNAVAILABLE],
    ['unknown', status.UNIMPLEMENTED],
  ] as const)('says why a call got no pod: %s', async (reason, code) => {
    const resolver = await scene.resolver();
    const answer = ask(clientOf(resolver), 'x').catch((error: unknown) => error);
    await until('the call is held', () => resolver.gate.waiting.length === 1);

    for (const { reject } of resolver.gate.waiting.splice(0)) reject(new GateError(reason, WEB, 'because'));

    await expect(answer).resolves.toMatchObject({ code, details: `shop/web:80: ${reason}: because` });
  });

  it('passes what came of a stream from the server whose pod dies, and says that it was not all', async () => {
    const pod = await grpcPod();
    const resolver = await scene.resolver();
    resolver.gate.ready(pod);
    const stream = clientOf(resolver).repeat(Buffer.from('stay'));
    const parts: string[] = [];
    const ended = new Promise<ServiceError>((resolve) => stream.on('error', resolve));
    stream.on('data', (part: Buffer) => parts.push(String(part)));
    await until('all has come that will', () => parts.length === 3);

    pod.die();

    await expect(ended).resolves.toMatchObject({ code: status.UNAVAILABLE });
    expect([parts, resolver.tally.lostCount]).toEqual([['stay', 'stay', 'stay'], 1]);
  });

  it('says that the pod is gone when it dies under a stream from the client, and sends no message twice', async () => {
    const [pod, next] = [await grpcPod('dying'), await grpcPod('next')];
    const resolver = await scene.resolver();
    resolver.gate.ready(pod, next);
    const client = clientOf(resolver);
    const ended = new Promise((resolve) => client.collect((error) => resolve(error)).write(Buffer.from('a')));
    await until('the message is there', () => pod.collected.length === 1);

    pod.die();

    await expect(ended).resolves.toMatchObject({ code: status.UNAVAILABLE });
    expect([next.collected, resolver.tally.lostCount]).toEqual([[], 1]);
  });

  it('says that the pod is gone when it dies under a call, and serves the next call', async () => {
    const pod = await grpcPod();
    const resolver = await scene.resolver();
    resolver.gate.ready(pod);
    const client = clientOf(resolver);
    const stream = client.talk();
    const ended = new Promise<ServiceError>((resolve) => stream.on('error', resolve));
    stream.write(Buffer.from('x'));
    await new Promise((resolve) => stream.once('data', resolve));

    pod.die();
    const error = await ended;
    resolver.gate.ready(await grpcPod('next'));

    expect(error).toMatchObject({ code: status.UNAVAILABLE, details: expect.stringContaining('shop/web:80: the pod') as string });
    await expect(ask(client, 'again')).resolves.toBe('again');
  });

  it('frees the place of a held call that is cancelled', async () => {
    const resolver = await scene.resolver();
    const stream = clientOf(resolver).talk();
    stream.on('error', () => undefined);
    stream.write(Buffer.from('x'));
    await until('the call is held', () => resolver.gate.waiting.length === 1);

    stream.cancel();

    await until('the place is free', () => resolver.gate.waiting.length === 0 && resolver.tally.open === 0);
  });
});
