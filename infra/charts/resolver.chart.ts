import { parseGoDuration } from '@elasti/operator-kit/program';
import { ApiObject, Chart, JsonPatch } from 'cdk8s';
import { type Deployment, EnvFieldPaths, EnvValue, type ServiceAccount } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings';
import { apiPort, proxyPort, resolverLabels, resolverName, resolverServiceName } from './names';
import { resolverNodeFlags } from './node-flags';
import { addService, deployProgram, type ProgramSettings, valuesOf } from './program';

/** Settings, whose defaults are in `SettingsFile` beside each field (`resolver`: in `ResolverSettings`), and the account. */
export type ResolverProps = ProgramSettings &
  Pick<Settings, 'namespace' | 'resolver' | 'wakeAuth' | 'wakeSecret'> & {
    /** Whom the resolver acts as. */
    readonly account: ServiceAccount;
  };

const tokenFolder = '/var/run/secrets/elasti';
/**
 * Beyond what data planes take to hear, and a request may be held: the resolver itself ends five seconds before. It needs no sleep before SIGTERM: from then on it is
 * unready, and takes requests until no EndpointSlice names it any more.
 */
const drainSeconds = 60;

/** The resolver: its Service, and a Deployment whose pods take their time to leave. */
export class ResolverChart extends Chart {
  readonly deployment: Deployment;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ResolverProps,
  ) {
    super(scope, id, {
      namespace: props.namespace,
      disableResourceNameHashes: true,
      labels: { 'app.kubernetes.io/name': 'elasti' },
    });
    this.deployment = deployProgram(this, {
      name: resolverName,
      labels: resolverLabels,
      account: props.account,
      settings: props,
      own: props.resolver,
      replicas: props.resolver.autoscaling.enabled ? undefined : props.resolver.replicas,
      container: {
        // KubeElasti's: one of another name would be put beside the one that is there when ours is applied over it.
        name: 'proxy',
        command: ['node', ...resolverNodeFlags, '/app/main.js'],
        ports: [
          { name: 'http-resolver', number: apiPort },
          { name: 'proxy', number: proxyPort },
        ],
        envVariables: this.variables(),
      },
      probePort: apiPort,
      gracePeriodSeconds: settleSeconds(props.traffic) + props.resolver.requestTimeoutSeconds + drainSeconds,
      mounts: this.mounts(),
    });
    this.expose();
  }

  private variables(): Record<string, EnvValue> {
    const { namespace, resolver, wakeAuth } = this.props;
    return {
      ELASTI_POD_IP: EnvValue.fromFieldRef(EnvFieldPaths.POD_IPS),
      ...valuesOf({
        // A value, as KubeElasti has it: applied over its Deployment, a source would stand beside the value, which the API server refuses.
        ELASTI_OPERATOR_NAMESPACE: namespace,
        ...(wakeAuth !== 'off' && { ELASTI_WAKE_TOKEN_FILE: `${tokenFolder}/token` }),
        REQ_TIMEOUT: String(resolver.requestTimeoutSeconds),
        QUEUE_SIZE: String(resolver.queueSize),
        ELASTI_QUEUE_MEBIBYTES: String(resolver.queueMebibytes),
        MAX_QUEUE_CONCURRENCY: String(resolver.maxQueueConcurrency),
        OPERATOR_RETRY_DURATION: String(resolver.operatorRetrySeconds),
        HEADER_FOR_HOST: resolver.headerForHost,
        // KubeElasti always sets these, h2c to false: what ours does not say would stay when it is applied over it.
        ENABLE_H2C: String(resolver.h2c),
        MAX_IDLE_PROXY_CONNS: String(resolver.maxIdleConnections),
        MAX_IDLE_PROXY_CONNS_PER_HOST: String(resolver.maxIdleConnectionsPerTarget),
      }),
    };
  }

  /** What the operator's wake call asks for: a token made for it, or the secret that both know. */
  private mounts() {
    const { wakeAuth, wakeSecret } = this.props;
    switch (wakeAuth) {
      case 'off':
        return [];
      case 'token-review': {
        const serviceAccountToken = { audience: 'elasti-operator', path: 'token', expirationSeconds: 3600 };
        return [{ path: tokenFolder, volume: { name: 'token', projected: { sources: [{ serviceAccountToken }] } } }];
      }
      case 'shared-secret': {
        const items = [{ key: wakeSecret.key, path: 'token' }];
        return [{ path: tokenFolder, volume: { name: 'token', secret: { secretName: wakeSecret.name, items } } }];
      }
    }
  }

  private expose(): void {
    const service = addService(this, resolverServiceName, resolverLabels, [
      { name: 'http-resolver', port: apiPort },
      { name: 'http-resolver-reverse-proxy', port: proxyPort },
    ]);
    // The operator learns from its slices where resolvers are: without their IPv6 addresses a sleeping Service of both families is lost over IPv6.
    ApiObject.of(service).addJsonPatch(JsonPatch.add('/spec/ipFamilyPolicy', 'PreferDualStack'));
  }
}

/** How long requests come to a resolver that is named no more. */
function settleSeconds({ settleTime, loadBalancerSettleTime }: Settings['traffic']): number {
  return Math.ceil(Math.max(...[settleTime, loadBalancerSettleTime].map(parseGoDuration)) / 1_000);
}
