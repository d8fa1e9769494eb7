import { resolverPorts } from '@elasti/api';
import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings';
import { apiPort, operatorLabels, operatorName, proxyPort, resolverLabels, resolverName } from './names';

/** Who calls whom, and on which ports. Settings, whose defaults are in `SettingsFile` beside each field. */
export type NetworkProps = Pick<Settings, 'namespace' | 'network' | 'operator' | 'sentry' | 'watchNamespaces'>;

interface Port {
  /** Absent: all of them. */
  readonly port?: number;
  readonly endPort?: number;
  readonly protocol: 'TCP' | 'UDP';
}

const tcp = (port?: number, endPort?: number): Port => ({ port, endPort, protocol: 'TCP' });
const pods = (matchLabels: Record<string, string>) => [{ podSelector: { matchLabels } }];

/**
 * NetworkPolicies that allow exactly who may call whom, and nothing else. Probes need no rule: a pod always hears from its own node.
 *
 * A flow to or from anyone has ports and no peers, since some data planes take `0.0.0.0/0` for what is outside of the cluster only;
 * cdk8s-plus cannot say that, so these are plain objects.
 */
export class NetworkChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: NetworkProps,
  ) {
    super(scope, id, {
      namespace: props.namespace,
      disableResourceNameHashes: true,
      labels: { 'app.kubernetes.io/name': 'elasti' },
    });
    this.addPolicy(operatorName, operatorLabels, {
      ingress: [{ from: [...pods(resolverLabels), this.scrapers()], ports: [tcp(apiPort)] }],
      egress: [
        ...this.toCluster(),
        { to: pods(resolverLabels), ports: [tcp(apiPort)] },
        ...toAnyone(this.prometheusPorts()),
        ...toAnyone(this.sentryPorts()),
      ],
    });
    this.addPolicy(resolverName, resolverLabels, {
      ingress: [
        { ports: [tcp(proxyPort), tcp(resolverPorts.first, resolverPorts.last)] },
        { from: [...pods(operatorLabels), this.scrapers()], ports: [tcp(apiPort)] },
      ],
      egress: [
        ...this.toCluster(),
        { to: pods(operatorLabels), ports: [tcp(apiPort)] },
        { to: this.targets(), ports: [tcp()] },
        ...toAnyone(this.sentryPorts()),
      ],
    });
  }

  private addPolicy(name: string, matchLabels: Record<string, string>, rules: { ingress: object[]; egress: object[] }): void {
    new ApiObject(this, name, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name },
      spec: { podSelector: { matchLabels }, policyTypes: ['Ingress', 'Egress'], ...rules },
    });
  }

  /** The API server, and DNS. */
  private toCluster(): object[] {
    const { apiServerCidrs, apiServerPorts, dnsPorts } = this.props.network;
    const apiServer = apiServerCidrs.length > 0 ? { to: apiServerCidrs.map((cidr) => ({ ipBlock: { cidr } })) } : {};
    return [
      { ...apiServer, ports: apiServerPorts.map((port) => tcp(port)) },
      { ports: dnsPorts.flatMap((port) => [tcp(port), { port, protocol: 'UDP' }]) },
    ];
  }

  private scrapers(): object {
    const { namespaceLabels, podLabels } = this.props.network.scrapers;
    return { namespaceSelector: { matchLabels: namespaceLabels }, podSelector: { matchLabels: podLabels } };
  }

  /** Triggers may name any server, so only its port is known. */
  private prometheusPorts(): number[] {
    const { network, operator } = this.props;
    const url = operator.prometheus.serverAddress === undefined ? undefined : new URL(operator.prometheus.serverAddress);
    const own = url ? [Number(url.port) || (url.protocol === 'https:' ? 443 : 80)] : [];
    return [...new Set([...own, ...network.prometheusPorts])];
  }

  private sentryPorts(): number[] {
    return this.props.sentry.secretName === undefined ? [] : this.props.network.sentryPorts;
  }

  /** Of the namespaces that are looked after: every pod may turn out to be a target's. */
  private targets(): object[] {
    const { network, watchNamespaces } = this.props;
    const named = [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: watchNamespaces }];
    const namespaceSelector = watchNamespaces.length > 0 ? { matchExpressions: named } : {};
    return [{ namespaceSelector }, ...network.targetCidrs.map((cidr) => ({ ipBlock: { cidr } }))];
  }
}

/** A rule without ports would allow all of them. */
function toAnyone(ports: readonly number[]): object[] {
  return ports.length > 0 ? [{ ports: ports.map((port) => tcp(port)) }] : [];
}
