import type { Address, CallSpec } from './caller';
import type { PortName } from './sleepers';

/** A protocol as its clients speak it. */
export interface ProtocolCase {
  readonly title: string;
  /** Who is woken with it. */
  readonly sleeper: string;
  readonly port: PortName;
  /** A whole conversation, every part of which waits for the answer to the part before. */
  talk(address: Address): CallSpec;
  /** What the client has heard by the end of it. */
  heard(pod: string): object;
  /** A conversation that only the pod's end will end, and how many things happen in it until then. */
  stay(address: Address, pod: string): CallSpec;
  readonly eventsBefore: number;
  /** What the client is left with when the pod goes. */
  cutOff(pod: string): object;
}

const texts = ['one', 'two', 'three'];
let streams = 0;
/** The pods know streams of events by it. */
const nextId = () => `stream-${(streams += 1)}`;
const echoes = (pod: string) => texts.map((text) => `${pod} ${text}`);
const grpcOk = { status: 200, contentType: 'application/grpc', grpcStatus: '0' };

/** Each gives a client the same when the target sleeps and when it is awake; what a dying pod takes with it is said, never made to look whole. */
export const streamingProtocols: readonly ProtocolCase[] = [
  {
    title: 'a WebSocket',
    sleeper: 'websocket',
    port: 'http',
    talk: (address) => ({ kind: 'websocket', ...address, texts }),
    heard: (pod) => ({ said: echoes(pod), code: 1000 }),
    stay: (address) => ({ kind: 'websocket', ...address, texts, stay: true }),
    eventsBefore: 3,
    cutOff: (pod) => ({ said: echoes(pod), code: 1006 }),
  },
  {
    title: 'server-sent events, one by one',
    sleeper: 'events',
    port: 'http',
    talk: (address) => ({ kind: 'events', ...address, id: nextId(), count: 3 }),
    heard: (pod) => ({ said: [`${pod} 1`, `${pod} 2`, `${pod} 3`], end: 'whole' }),
    stay: (address) => ({ kind: 'events', ...address, id: nextId(), count: 2, stay: true }),
    eventsBefore: 2,
    cutOff: (pod) => ({ said: [`${pod} 1`, `${pod} 2`], end: 'cut off' }),
  },
  {
    title: 'a gRPC stream both ways',
    sleeper: 'grpc-stream',
    port: 'h2c',
    talk: (address) => ({ kind: 'grpc', ...address, method: 'Chat', messages: texts, turns: true }),
    heard: (pod) => ({ ...grpcOk, said: echoes(pod) }),
    stay: (address) => ({ kind: 'grpc', ...address, method: 'Chat', messages: texts, turns: true, stay: true }),
    eventsBefore: 4,
    cutOff: (pod) => ({ ...grpcOk, grpcStatus: '14', said: echoes(pod) }),
  },
  {
    title: 'HTTP/2 by upgrade',
    sleeper: 'upgrade',
    port: 'http',
    talk: (address) => ({ kind: 'upgrade', ...address, path: '/a' }),
    heard: (pod) => ({ status: 101, said: [`${pod} /a`], end: 'whole' }),
    stay: (address) => ({ kind: 'upgrade', ...address, path: '/stay' }),
    eventsBefore: 1,
    cutOff: (pod) => ({ status: 101, said: [`${pod} /stay`], end: 'cut off' }),
  },
  {
    title: 'TCP whose client speaks first',
    sleeper: 'tcp',
    port: 'tcp',
    talk: (address) => ({ kind: 'tcp', ...address, lines: texts }),
    heard: (pod) => ({ said: [...echoes(pod), 'bye'] }),
    stay: (address) => ({ kind: 'tcp', ...address, lines: texts, stay: true }),
    eventsBefore: 3,
    cutOff: (pod) => ({ said: echoes(pod) }),
  },
  {
    title: 'TCP whose server speaks first',
    sleeper: 'greeter',
    port: 'greeter',
    talk: (address) => ({ kind: 'tcp', ...address, lines: texts, greeted: true }),
    heard: (pod) => ({ said: [`220 ${pod}`, ...echoes(pod), 'bye'] }),
    stay: (address) => ({ kind: 'tcp', ...address, lines: texts, greeted: true, stay: true }),
    eventsBefore: 4,
    cutOff: (pod) => ({ said: [`220 ${pod}`, ...echoes(pod)] }),
  },
];
