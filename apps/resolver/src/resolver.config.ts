import { resolverPorts } from '@elasti/api';
import { type Environment, EnvironmentReader } from '@elasti/operator-kit/program';
import type { GateConfig } from './gate';
import { operatorOrigin } from './wake';

/** Where the settings are injected from. */
export const resolverConfigToken = Symbol('ResolverConfig');

/** How the resolver asks for a wake. */
export interface WakeConfig {
  /** The operator, as `http://name:port`. */
  readonly origin: string;
  /** Between two calls for one Service. */
  readonly retryMs: number;
  /** Absent: calls carry no token. */
  readonly tokenFile?: string;
}

/** Where the resolver listens beside the ports of the routes. */
export interface ListenConfig {
  /** For the operator, kubelets and Prometheus. */
  readonly port: number;
  /** For requests that name their Service themselves. */
  readonly proxyPort: number;
  /** Default: every interface of both families. */
  readonly host?: string;
}

export interface ForwardConfig {
  readonly maxIdleConnections: number;
  readonly maxIdlePerPod: number;
  readonly h2c: 'on' | 'off';
}

export interface DrainConfig {
  /** Of every family that it has. None: nobody can be asked whether this pod is still named, so a fixed time is waited. */
  readonly podIps: readonly string[];
  /** How long the data plane is given after no slice names this pod any more. */
  readonly settleMs: number;
  /** The same where a load balancer outside of the cluster sends to it. */
  readonly loadBalancerSettleMs: number;
  /** For everything, from the signal on. */
  readonly graceMs: number;
}

/** Everything that the resolver takes from its environment. */
export interface ResolverConfig {
  readonly listen: ListenConfig;
  readonly operatorNamespace: string;
  readonly wake: WakeConfig;
  readonly gate: GateConfig;
  readonly forward: ForwardConfig;
  readonly drain: DrainConfig;
  /** Looked at before Host, on the shared port; in small letters. */
  readonly headerForHost: string;
  readonly clusterDomain: string;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  readonly sentry?: { readonly dsn: string; readonly environment?: string };
  /** Variables of KubeElasti that are set and have nothing left to do. */
  readonly idleVariables: readonly string[];
}

const withoutUse = [
  'QUEUE_RETRY_DURATION',
  'INITIAL_CAPACITY',
  'TRAFFIC_RE_ENABLE_DURATION',
  'TRAFFIC_DISABLE_GRACE_DURATION',
  'CRD_CACHE_POLL_INTERVAL_MINUTES',
];

const day = 86_400;
const mebibyte = 1_048_576;
/** Beyond what data planes take to hear and a held request may wait; a little less than the minute that the manifests give, so that the end is in order. */
const drainMarginMs = 55_000;

/**
 * The resolver's settings, under the names that KubeElasti gives them.
 *
 * An empty variable counts as absent, as Kubernetes manifests often leave them.
 * @throws EnvironmentError
 */
export function parseResolverConfig(env: Environment): ResolverConfig {
  const reader = new EnvironmentReader(env);
  const clusterDomain = reader.domain('KUBERNETES_CLUSTER_DOMAIN', 'cluster.local');
  const operatorNamespace = reader.name('ELASTI_OPERATOR_NAMESPACE', 'elasti');
  const requestTimeoutMs = reader.count('REQ_TIMEOUT', 600, day) * 1_000;
  const sentryDsn = reader.url('SENTRY_DSN');
  readForNames(reader);
  const byName = operatorOrigin({
    serviceName: reader.name('ELASTI_OPERATOR_SERVICE_NAME', 'elasti-operator-controller-service'),
    namespace: operatorNamespace,
    clusterDomain,
    port: reader.port('ELASTI_OPERATOR_PORT', 8013),
  });
  const config: ResolverConfig = {
    listen: readListen(reader),
    operatorNamespace,
    wake: {
      origin: reader.origin('ELASTI_OPERATOR_ORIGIN') ?? byName,
      retryMs: reader.count('OPERATOR_RETRY_DURATION', 5, day) * 1_000,
      tokenFile: reader.text('ELASTI_WAKE_TOKEN_FILE'),
    },
    gate: readGate(reader, requestTimeoutMs),
    forward: {
      maxIdleConnections: reader.count('MAX_IDLE_PROXY_CONNS', 1_000, 1_000_000),
      maxIdlePerPod: reader.count('MAX_IDLE_PROXY_CONNS_PER_HOST', 100, 1_000_000),
      h2c: reader.boolean('ENABLE_H2C', true) ? 'on' : 'off',
    },
    drain: readDrain(reader, requestTimeoutMs),
    headerForHost: reader.headerName('HEADER_FOR_HOST', 'X-Envoy-Decorator-Operation').toLowerCase(),
    clusterDomain,
    watchNamespaces: reader.names('WATCH_NAMESPACES'),
    ...(sentryDsn && { sentry: { dsn: sentryDsn, environment: reader.text('SENTRY_ENVIRONMENT') } }),
    idleVariables: withoutUse.filter((name) => reader.text(name) !== undefined),
  };
  reader.check();
  return Object.freeze(config);
}

/** Two listeners on one port would wait for each other for ever, and one among the routes would take a Service's. */
function readListen(reader: EnvironmentReader): ListenConfig {
  const port = reader.port('ELASTI_RESOLVER_PORT', 8013);
  const proxyPort = reader.port('ELASTI_RESOLVER_PROXY_PORT', 8012);
  if (port === proxyPort) reader.mistakes.push('ELASTI_RESOLVER_PORT and ELASTI_RESOLVER_PROXY_PORT must differ');
  const { first, last } = resolverPorts;
  for (const [name, value] of Object.entries({ ELASTI_RESOLVER_PORT: port, ELASTI_RESOLVER_PROXY_PORT: proxyPort })) {
    if (value >= first && value <= last)
      reader.mistakes.push(`${name} must not be from ${first} to ${last}, where Services have their ports`);
  }
  return { port, proxyPort, host: reader.ip('ELASTI_BIND_ADDRESS') };
}

/** Of the installation, and used by others only: a mistake in them is a mistake all the same. */
function readForNames(reader: EnvironmentReader): void {
  reader.name('ELASTI_OPERATOR_DEPLOYMENT_NAME', 'elasti-operator-controller-manager');
  reader.name('ELASTI_RESOLVER_NAMESPACE', 'elasti');
  reader.name('ELASTI_RESOLVER_DEPLOYMENT_NAME', 'elasti-resolver');
  reader.name('ELASTI_RESOLVER_SERVICE_NAME', 'elasti-resolver-service');
}

function readDrain(reader: EnvironmentReader, requestTimeoutMs: number): DrainConfig {
  const settleMs = reader.duration('ELASTI_SETTLE_TIME', '5s');
  const loadBalancerSettleMs = reader.duration('ELASTI_LOAD_BALANCER_SETTLE_TIME', '90s');
  const graceMs = Math.max(settleMs, loadBalancerSettleMs) + requestTimeoutMs + drainMarginMs;
  return { podIps: reader.ips('ELASTI_POD_IP'), settleMs, loadBalancerSettleMs, graceMs };
}

function readGate(reader: EnvironmentReader, requestTimeoutMs: number): GateConfig {
  const maxRequests = reader.count('QUEUE_SIZE', 50_000, 10_000_000);
  const maxMebibytes = reader.count('ELASTI_QUEUE_MEBIBYTES', 256, 1_000_000);
  return {
    requestTimeoutMs,
    maxRequests,
    maxBytes: maxMebibytes * mebibyte,
    maxRequestsPerService: reader.count('ELASTI_SERVICE_QUEUE_SIZE', maxRequests, 10_000_000),
    maxBytesPerService: reader.count('ELASTI_SERVICE_QUEUE_MEBIBYTES', maxMebibytes, 1_000_000) * mebibyte,
    maxConcurrencyPerFreshPod: reader.count('MAX_QUEUE_CONCURRENCY', 100, 1_000_000),
  };
}
