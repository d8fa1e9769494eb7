import { streamingProtocols } from './protocols';
import { servicePorts, type SleeperOptions } from './sleepers';

const heldBack: SleeperOptions = { env: { START: 'when-told' } };
const ofBothFamilies: SleeperOptions = { service: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } };

/** Its like, whose pod is ready only when it is told to be. */
export const wakingOf = (sleeper: string): string => `${sleeper}-waking`;
const waking = [...streamingProtocols.map(({ sleeper }) => sleeper), 'get', 'tls'].map((sleeper) => [wakingOf(sleeper), heldBack] as const);

/** One sleeper for each test that needs one; they are all at zero replicas from the start. */
export const stock: Readonly<Record<string, SleeperOptions>> = {
  get: {},
  post: {},
  chunked: {},
  expect: {},
  second: {},
  ...Object.fromEntries(waking),
  websocket: {},
  events: {},
  h2c: {},
  'grpc-unary': {},
  'grpc-count': {},
  'grpc-join': {},
  upgrade: {},
  'grpc-stream': {},
  tls: {},
  tcp: {},
  greeter: {},
  noted: {
    annotations: { 'elasti.truefoundry.com/protocol': 'greeter=tcp-server-first' },
    service: { ports: servicePorts.map(({ appProtocol, ...port }) => port) },
  },
  burst: {},
  streams: {},
  quiet: { spec: { probeResponse: [{ path: { type: 'Exact', value: '/healthz' }, response: { status: 200, body: 'dozing' } }] } },
  neighbour: {},
  page: { spec: { coldStart: 'page' } },
  dual: ofBothFamilies,
  'dual-six': ofBothFamilies,
  late: { ...heldBack, spec: { timeouts: { request: 3 } } },
  shared: {},
  drained: heldBack,
  rolled: heldBack,
  orphan: {},
  outage: {},
  cycle: {
    env: { LINGER_MS: '4000' },
    replicas: 1,
    spec: { triggers: [{ type: 'traffic', metadata: { window: '2s' } }] },
  },
};
