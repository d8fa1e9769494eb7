// By its inner door: scale-down itself takes the settings' token from here.
import { parseGoDuration } from './scale-down/schedule';

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
  readonly operator: InstallationPart & { readonly probePort: number };
  readonly resolver: InstallationPart & { readonly proxyPort: number };
  readonly traffic: TrafficConfig;
  readonly wakeAuth: WakeAuthConfig;
  readonly sentry?: { readonly dsn: string; readonly environment?: string };
}

/** Every mistake of the environment at once, so that one restart mends them all. */
export class OperatorConfigError extends Error {
  override readonly name = 'OperatorConfigError';

  constructor(readonly mistakes: readonly string[]) {
    super(`the environment has ${mistakes.length} mistakes:\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}`);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The operator's settings, under the names that KubeElasti gives them.
 *
 * An empty variable counts as absent, as Kubernetes manifests often leave them.
 * @throws OperatorConfigError
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
    clusterDomain: reader.text('KUBERNETES_CLUSTER_DOMAIN') ?? 'cluster.local',
    operator: {
      namespace: reader.name('ELASTI_OPERATOR_NAMESPACE', 'elasti'),
      deploymentName: reader.name('ELASTI_OPERATOR_DEPLOYMENT_NAME', 'elasti-operator-controller-manager'),
      serviceName: reader.name('ELASTI_OPERATOR_SERVICE_NAME', 'elasti-operator-controller-service'),
      port: reader.port('ELASTI_OPERATOR_PORT', 8013),
      probePort: reader.port('ELASTI_OPERATOR_PROBE_PORT', 8081),
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
  if (reader.mistakes.length > 0) throw new OperatorConfigError(reader.mistakes);
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

/** Reads variables and remembers what is wrong with them; a wrong one reads as its default. Values are never repeated: some are secrets. */
class EnvironmentReader {
  readonly mistakes: string[] = [];

  constructor(private readonly env: Environment) {}

  text(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  required(name: string, what: string): string {
    const text = this.text(name);
    if (text === undefined) this.mistakes.push(`${name} must be ${what}`);
    return text ?? '';
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = this.text(name) ?? fallback;
    const found = allowed.find((value) => value === text);
    if (found === undefined) this.mistakes.push(`${name} must be one of ${allowed.join(', ')}`);
    return found ?? fallback;
  }

  duration(name: string, fallback: string): number {
    try {
      const valueMs = parseGoDuration(this.text(name) ?? fallback, name);
      if (valueMs > 0) return valueMs;
    } catch {
      // Said below, in the words for a setting.
    }
    this.mistakes.push(`${name} must be a Go duration above zero, such as ${fallback}`);
    return parseGoDuration(fallback, name);
  }

  port(name: string, fallback: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const port = Number(text);
    if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
    this.mistakes.push(`${name} must be a port from 1 to 65535`);
    return fallback;
  }

  count(name: string, fallback: number, max: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const count = Number(text);
    if (/^\d+$/.test(text) && count >= 1 && count <= max) return count;
    this.mistakes.push(`${name} must be a whole number from 1 to ${max}`);
    return fallback;
  }

  name(name: string, fallback: string): string {
    const text = this.text(name) ?? fallback;
    if (!isDnsName(text)) this.mistakes.push(`${name} must be a name of Kubernetes: small letters, digits and dashes`);
    return text;
  }

  names(name: string): string[] {
    const names = this.list(name);
    if (!names.every(isDnsName)) this.mistakes.push(`${name} must be namespaces with commas between them`);
    return [...new Set(names)];
  }

  url(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
      this.mistakes.push(`${name} must be a URL that begins with http:// or https://`);
    return text;
  }

  /** A URL that paths are put behind. */
  baseUrl(name: string): string | undefined {
    const text = this.url(name);
    const url = text === undefined ? undefined : URL.parse(text);
    if (url && url.search + url.hash !== '') this.mistakes.push(`${name} must not have a query or fragment`);
    return text;
  }

  origins(name: string): string[] {
    const origins = this.list(name).map(originOf);
    if (origins.includes(undefined)) {
      this.mistakes.push(`${name} must be origins with commas between them, such as https://prometheus.example:9090, without user or path`);
    }
    return [...new Set(origins.filter((origin) => origin !== undefined))];
  }

  headerValue(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || /^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
    this.mistakes.push(`${name} must be one line, fit for an HTTP header`);
    return undefined;
  }

  private list(name: string): string[] {
    const parts = (this.text(name) ?? '').split(',').map((part) => part.trim());
    return parts.filter(Boolean);
  }
}

/** `undefined` for what is more or less than an origin. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
}

function isDnsName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text);
}
