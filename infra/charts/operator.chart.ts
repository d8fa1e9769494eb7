import { Chart } from 'cdk8s';
import { type Deployment, type EnvValue, type ServiceAccount, type ServicePort } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings';
import { apiPort, operatorLabels, operatorName, operatorProbePort, operatorServiceName } from './names';
import { operatorNodeFlags } from './node-flags';
import { addService, deployProgram, type ProgramSettings, secretValue, valuesOf } from './program';

/** Settings, whose defaults are in `SettingsFile` beside each field (`operator`: in `OperatorSettings`), and the account. */
export type OperatorProps = ProgramSettings &
  Pick<Settings, 'namespace' | 'operator' | 'wakeAuth' | 'wakeSecret'> & {
    /** Whom the operator acts as. */
    readonly account: ServiceAccount;
  };

const secretFolder = '/var/run/secrets/elasti';
/** It refuses wakes from SIGTERM on, and resolvers call it for as long as its Service names it. */
const preStopSeconds = 5;
/** That, and then for the work under way and to give back the lease, for which the operator takes no more than ten seconds. */
const gracePeriodSeconds = 20;

/** The operator: a Deployment whose replicas elect a leader, and its Services under KubeElasti's names. */
export class OperatorChart extends Chart {
  readonly deployment: Deployment;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: OperatorProps,
  ) {
    super(scope, id, {
      namespace: props.namespace,
      disableResourceNameHashes: true,
      labels: { 'app.kubernetes.io/name': 'elasti' },
    });
    this.deployment = deployProgram(this, {
      name: operatorName,
      labels: operatorLabels,
      account: props.account,
      settings: props,
      own: props.operator,
      replicas: props.operator.replicas,
      container: {
        // KubeElasti's: one of another name would be put beside the one that is there when ours is applied over it.
        name: 'manager',
        command: ['node', ...operatorNodeFlags, '/app/main.js'],
        ports: [
          { name: 'http-api', number: apiPort },
          { name: 'probes', number: operatorProbePort },
        ],
        envVariables: this.variables(),
      },
      probePort: operatorProbePort,
      gracePeriodSeconds,
      preStopSeconds,
      mounts: this.mounts(),
    });
    const expose = (name: string, port: ServicePort) => addService(this, name, operatorLabels, [{ ...port, targetPort: apiPort }]);
    expose(operatorServiceName, { name: 'http-api', port: apiPort });
    expose(`${operatorName}-metrics-service`, { name: 'metrics', port: 8080 });
  }

  private variables(): Record<string, EnvValue> {
    const { namespace, operator, traffic, wakeAuth } = this.props;
    return {
      ...valuesOf({
        // A value, as KubeElasti has it: applied over its Deployment, a source would stand beside the value, which the API server refuses.
        ELASTI_OPERATOR_NAMESPACE: namespace,
        ELASTI_RESOLVER_NAMESPACE: namespace,
        POLLING_INTERVAL: operator.pollingInterval,
        ELASTI_HANDOVER_GRACE: traffic.handoverGrace,
        ELASTI_RESOLVER_ABSENCE: traffic.resolverAbsence,
        ELASTI_STANDBY: traffic.standby ? 'on' : 'off',
        ELASTI_WAKE_AUTH: wakeAuth,
        ...(wakeAuth === 'shared-secret' && { ELASTI_WAKE_SECRET_FILE: `${secretFolder}/accepted` }),
      }),
      ...this.prometheusVariables(),
    };
  }

  private prometheusVariables(): Record<string, EnvValue> {
    const { serverAddress, authorizationSecret, authorizedOrigins, maxConcurrency } = this.props.operator.prometheus;
    return {
      ...valuesOf({
        PROMETHEUS_TRIGGER_MAX_CONCURRENCY: String(maxConcurrency),
        ...(serverAddress !== undefined && { PROMETHEUS_TRIGGER_SERVER_ADDRESS: serverAddress }),
        ...(authorizedOrigins.length > 0 && { PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS: authorizedOrigins.join(',') }),
      }),
      ...(authorizationSecret && {
        PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER: secretValue(this, 'prometheus-authorization', authorizationSecret),
      }),
    };
  }

  private mounts() {
    const { wakeAuth, wakeSecret } = this.props;
    if (wakeAuth !== 'shared-secret') return [];
    const items = [{ key: wakeSecret.acceptedKey ?? wakeSecret.key, path: 'accepted' }];
    return [{ path: secretFolder, volume: { name: 'wake-secret', secret: { secretName: wakeSecret.name, items } } }];
  }
}
