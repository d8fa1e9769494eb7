import { type Environment, EnvironmentReader } from '@elasti/operator-kit/program';

/** Where the settings are injected from. */
export const operatorConfigToken = Symbol('OperatorConfig');

/** A part of the installation: where it lives and answers. */
export interface InstallationPart {
  readonly namespace: string;
  readonly deploymentName: string;
  readonly serviceName: string;
  readonly port: number;
}

export const wakeAuthModes = ['off', 'token-review', 'shared-secret'] as const;

/** Who may call for a wake: anyone; the resolver's ServiceAccount; whoever knows a secret. */
export type WakeAuthConfig =
  | { readonly mode: 'off' }
  | { readonly mode: 'token-review'; readonly serviceAccount: { readonly namespace: string; readonly name: string } }
  | { readonly mode: 'shared-secret'; readonly secretFile: string };

/** How triggers ask Prometheus. */
export interface PrometheusConfig {
  /** For triggers that name no server. */
  readonly serverAddress?: string;
  /** For the default server's own origin and `authorizedOrigins`, and for nobody else. */
  readonly authorizationHeader?: string;
  readonly authorizedOrigins: readonly string[];
  /** Queries that are open at one server at the same time. */
  readonly maxConcurrency: number;
}

/** How long the data plane is given, and whether the resolvers stand by. */
export interface TrafficConfig {
  /** Between naming the resolvers in a Service and letting its last pod go. */
  readonly settleMs: number;
  /** The same for Services behind an external load balancer, which is slower to hear. */
  readonly loadBalancerSettleMs: number;
  /** How long pods must have been ready before the resolvers leave. */
  readonly graceMs: number;
  /** So long may no resolver be ready before its sleeping services are brought back: a restarting one must not wake the cluster. */
  readonly resolverAbsenceMs: number;
  readonly standby: 'on' | 'off';
}

/** Everything that the operator takes from its environment. */
export interface OperatorConfig {
  readonly pollingIntervalMs: number;
  readonly prometheus: PrometheusConfig;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  readonly clusterDomain: string;
  readonly operator: InstallationPart & {
    readonly probePort: number;
    /** Where both ports listen. Default: every interface of both families. */
    readonly host?: string;
  };
  readonly resolver: InstallationPart & { readonly proxyPort: number };
  readonly traffic: TrafficConfig;
  readonly wakeAuth: WakeAuthConfig;
  readonly sentry?: { readonly dsn: string; readonly environment?: string };
}

/**
 * The operator's settings, under the names that KubeElasti gives them.
 *
 * An empty variable counts as absent, as Kubernetes manifests often leave them.
 * @throws EnvironmentError
 */
export function parseOperatorConfig(env: Environment): OperatorConfig {
  const reader = new EnvironmentReader(env);
  const sentryDsn = reader.url('SENTRY_DSN');
  const resolver = {
    namespace: reader.name('ELASTI_RESOLVER_NAMESPACE', 'elasti'),
    deploymentName: reader.name('ELASTI_RESOLVER_DEPLOYMENT_NAME', 'elasti-resolver'),
    serviceName: reader.name('ELASTI_RESOLVER_SERVICE_NAME', 'elasti-resolver-service'),
    port: reader.port('ELASTI_RESOLVER_PORT', 8013),
    proxyPort: reader.port('ELASTI_RESOLVER_PROXY_PORT', 8012),
  };
  const config: OperatorConfig = {
    pollingIntervalMs: reader.duration('POLLING_INTERVAL', '30s'),
    prometheus: {
      serverAddress: reader.baseUrl('PROMETHEUS_TRIGGER_SERVER_ADDRESS'),
      authorizationHeader: reader.headerValue('PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER'),
      authorizedOrigins: reader.origins('PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS'),
      maxConcurrency: reader.count('PROMETHEUS_TRIGGER_MAX_CONCURRENCY', 8, 1_000),
    },
    watchNamespaces: reader.names('WATCH_NAMESPACES'),
    clusterDomain: reader.domain('KUBERNETES_CLUSTER_DOMAIN', 'cluster.local'),
    operator: {
      namespace: reader.name('ELASTI_OPERATOR_NAMESPACE', 'elasti'),
      deploymentName: reader.name('ELASTI_OPERATOR_DEPLOYMENT_NAME', 'elasti-operator-controller-manager'),
      serviceName: reader.name('ELASTI_OPERATOR_SERVICE_NAME', 'elasti-operator-controller-service'),
      port: reader.port('ELASTI_OPERATOR_PORT', 8013),
      probePort: reader.port('ELASTI_OPERATOR_PROBE_PORT', 8081),
      host: reader.ip('ELASTI_BIND_ADDRESS'),
    },
    resolver,
    traffic: {
      settleMs: reader.duration('ELASTI_SETTLE_TIME', '5s'),
      loadBalancerSettleMs: reader.duration('ELASTI_LOAD_BALANCER_SETTLE_TIME', '90s'),
      graceMs: reader.duration('ELASTI_HANDOVER_GRACE', '5s'),
      resolverAbsenceMs: reader.duration('ELASTI_RESOLVER_ABSENCE', '30s'),
      standby: reader.oneOf('ELASTI_STANDBY', ['on', 'off'], 'on'),
    },
    wakeAuth: readWakeAuth(reader, resolver.namespace),
    ...(sentryDsn && { sentry: { dsn: sentryDsn, environment: reader.text('SENTRY_ENVIRONMENT') } }),
  };
  reader.check();
  return Object.freeze(config);
}

function readWakeAuth(reader: EnvironmentReader, namespace: string): WakeAuthConfig {
  const mode = reader.oneOf('ELASTI_WAKE_AUTH', wakeAuthModes, 'off');
  switch (mode) {
    case 'off':
      return { mode };
    case 'token-review':
      return { mode, serviceAccount: { namespace, name: reader.name('ELASTI_RESOLVER_SERVICE_ACCOUNT', 'elasti-resolver') } };
    case 'shared-secret':
      return { mode, secretFile: reader.required('ELASTI_WAKE_SECRET_FILE', 'the path of a file, as ELASTI_WAKE_AUTH is shared-secret') };
  }
}
