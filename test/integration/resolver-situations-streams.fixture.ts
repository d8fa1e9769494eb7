import {
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientUnaryCall,
  type ClientWritableStream,
  credentials,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  makeGenericClientConstructor,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceError,
  status,
  type StatusObject,
} from '@grpc/grpc-js';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { TestAuthority } from './client-certificates';
import { Ear, type Place, type Pod, type Protocol, type Talk } from './resolver-situations.fixture';

/** Says back what it hears. Where the client was not greeted, the exchange comes with its first words. */
function sayBack(pod: Pod, stream: Duplex, has: 'not been greeted' | 'been greeted' = 'not been greeted'): void {
  let taken = has === 'been greeted';
  const say = (words: string): void => void stream.write(`${pod.name}: ${words}\n`);
  stream.on('error', () => undefined);
  stream.on('data', (heard: Buffer | string) => {
    taken ||= pod.takes();
    if (taken) say(heard.toString().trim());
  });
  pod.line = { say, finish: () => stream.end() };
}

/** Hears and says lines. */
function talkOver(stream: Duplex, ear: Ear, stop: () => void): Talk {
  stream.on('data', (bytes: Buffer) => ear.feed(bytes.toString()));
  return { hear: () => ear.hear(), ended: () => ear.ended(), say: (words) => void stream.write(`${words}\n`), stop };
}

export const h2cByNode: Protocol = {
  name: 'h2c by node:http2',
  program: async (pod) => {
    const server = createHttp2Server();
    server.on('sessionError', () => undefined);
    server.on('stream', (stream) => {
      sayBack(pod, stream);
    });
    return { serve: (socket) => void server.emit('connection', socket) };
  },
  begin: async ({ host, port }) => {
    const ear = new Ear();
    const session = connectHttp2(`http://${host}:${port}`).on('error', () => undefined);
    const stream = session.request({ ':method': 'PUT' }, { endStream: false });
    let code: number | undefined;
    stream.on('response', ({ ':status': answered }) => (code = answered));
    stream.on('error', () => undefined);
    stream.on('close', () =>
      ear.close(stream.rstCode !== 0 ? `reset with ${stream.rstCode}` : code === 200 ? 'in full' : `status ${code ?? 0}`),
    );
    stream.on('end', () => stream.end());
    const talk = talkOver(stream, ear, () => session.destroy());
    talk.say?.('hello');
    return talk;
  },
};

const toBytes = (words: string): Buffer => Buffer.from(words);
const toWords = (bytes: Buffer): string => bytes.toString();
const method = (name: string, requestStream: boolean, responseStream: boolean) => ({
  path: `/talk.Talk/${name}`,
  requestStream,
  responseStream,
  requestSerialize: toBytes,
  requestDeserialize: toWords,
  responseSerialize: toBytes,
  responseDeserialize: toWords,
});
const TALK = {
  unary: method('unary', false, false),
  listen: method('listen', false, true),
  tell: method('tell', true, false),
  converse: method('converse', true, true),
};

interface TalkClient extends Client {
  unary(message: string, answered: (error: ServiceError | null) => void): ClientUnaryCall;
  listen(message: string): ClientReadableStream<string>;
  tell(answered: (error: ServiceError | null) => void): ClientWritableStream<string>;
  converse(): ClientDuplexStream<string, string>;
}

async function grpc(pod: Pod): ReturnType<Protocol['program']> {
  /** The one answer ends the call, so what is said before it goes into the metadata. */
  const sayIn = (call: Pick<ServerUnaryCall<string, string>, 'sendMetadata'>, words: string): void => {
    const metadata = new Metadata();
    metadata.set('said', `${pod.name}: ${words}`);
    call.sendMetadata(metadata);
  };
  const unary: handleUnaryCall<string, string> = (call, answer) => {
    if (!pod.takes()) return;
    pod.line = { say: (words) => sayIn(call, words), finish: () => answer(null, 'the answer') };
    sayIn(call, call.request);
  };
  /** Answers the whole of what it was told. */
  const tell: handleClientStreamingCall<string, string> = (call, answer) => {
    if (!pod.takes()) return;
    pod.line = { say: (words) => sayIn(call, words), finish: () => answer(null, 'the answer') };
    let heard = '';
    call.on('data', (words: string) => (heard += words)).on('error', () => undefined);
    call.on('end', () => sayIn(call, heard));
  };
  const listen: handleServerStreamingCall<string, string> = (call) => {
    if (!pod.takes()) return;
    const say = (words: string): void => void call.write(`${pod.name}: ${words}\n`);
    pod.line = { say, finish: () => call.end() };
    say(call.request);
  };
  const converse: handleBidiStreamingCall<string, string> = (call) => {
    sayBack(pod, call as unknown as Duplex);
  };
  const server = new Server();
  server.addService(TALK, { unary, listen, tell, converse });
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
  return {
    serve: (socket) => connections.injectConnection(socket),
    stop: () => {
      connections.destroy();
      server.forceShutdown();
    },
  };
}

const howItEnded = (code: status): string => (code === status.OK ? 'in full' : status[code]);

/** A call by a client of its own, which does not repeat it by itself. */
function callBy(begin: (client: TalkClient, ear: Ear) => Partial<Talk>): Protocol['begin'] {
  return async ({ host, port }: Place) => {
    const Talks = makeGenericClientConstructor(TALK, 'talk.Talk');
    const options = { 'grpc.enable_retries': 0, 'grpc.use_local_subchannel_pool': 1 };
    const client = new Talks(`${host}:${port}`, credentials.createInsecure(), options) as unknown as TalkClient;
    const ear = new Ear();
    return { hear: () => ear.hear(), ended: () => ear.ended(), stop: () => client.close(), ...begin(client, ear) };
  };
}

export const grpcUnary: Protocol = {
  name: 'gRPC unary by grpc-js',
  program: grpc,
  begin: callBy((client, ear) => {
    const call = client.unary('hello', (error) => ear.close(howItEnded(error?.code ?? status.OK)));
    call.on('metadata', (metadata: Metadata) => ear.feed(`${String(metadata.get('said'))}\n`));
    return {};
  }),
};

export const grpcServerStreaming: Protocol = {
  name: 'gRPC server streaming by grpc-js',
  program: grpc,
  begin: callBy((client, ear) => {
    const call = client.listen('hello');
    call.on('data', (words: string) => ear.feed(words)).on('error', () => undefined);
    call.on('status', ({ code }: StatusObject) => ear.close(howItEnded(code)));
    return {};
  }),
};

export const grpcClientStreaming: Protocol = {
  name: 'gRPC client streaming by grpc-js',
  program: grpc,
  begin: callBy((client, ear) => {
    const call = client.tell((error) => ear.close(howItEnded(error?.code ?? status.OK)));
    call.on('metadata', (metadata: Metadata) => ear.feed(`${String(metadata.get('said'))}\n`));
    for (const words of ['hel', 'lo']) call.write(words);
    call.end();
    return {};
  }),
};

export const grpcBidiStreaming: Protocol = {
  name: 'gRPC both ways by grpc-js',
  program: grpc,
  begin: callBy((client, ear) => {
    const call = client.converse();
    call.on('data', (words: string) => ear.feed(words)).on('error', () => undefined);
    call.on('status', ({ code }: StatusObject) => ear.close(howItEnded(code)));
    const say = (words: string): void => void call.write(words);
    say('hello');
    return { say };
  }),
};

/** An end without an error is proper. */
function talkByBytes(socket: Duplex, ear: Ear): Talk {
  socket.on('error', (error: Error & { code?: string }) => ear.close(error.code ?? error.message));
  socket.on('end', () => ear.close('in full'));
  socket.on('close', () => ear.close('closed'));
  return talkOver(socket, ear, () => socket.destroy());
}

export const tcpClientFirst: Protocol = {
  name: 'TCP whose client speaks first',
  program: async (pod) => ({ serve: (socket) => sayBack(pod, socket) }),
  begin: async (at) => {
    const talk = talkByBytes(connectTcp(at), new Ear());
    talk.say?.('hello');
    return talk;
  },
};

export const tcpServerFirst: Protocol = {
  name: 'TCP whose server speaks first',
  speaksFirst: 'server',
  program: async (pod) => {
    const greet = (socket: Socket): void => {
      if (!pod.takes()) return;
      sayBack(pod, socket, 'been greeted');
      pod.line?.say('hello');
    };
    // By then the resolver has seen its connection made: one that is reset before that was refused.
    return { serve: (socket) => void setImmediate(greet, socket) };
  },
  begin: async (at) => talkByBytes(connectTcp(at), new Ear()),
};

async function issueCertificate() {
  const authority = await TestAuthority.create('pods');
  return { ca: authority.ca, ...(await authority.issue('web', ['web.shop'])) };
}

const certificate = issueCertificate();

/** The client trusts nobody but the pods' own authority. */
export const tlsPassThrough: Protocol = {
  name: 'TLS by node:tls',
  program: async (pod) => {
    const { cert, key } = await certificate;
    const server = createTlsServer({ cert, key }, (socket) => sayBack(pod, socket));
    server.on('tlsClientError', () => undefined);
    return { serve: (socket) => void server.emit('connection', socket) };
  },
  begin: async (at) => {
    const { ca } = await certificate;
    const talk = talkByBytes(connectTls({ ...at, servername: 'web.shop', ca }), new Ear());
    talk.say?.('hello');
    return talk;
  },
};
