import { Deployment, Namespace, Service } from '@elasti/operator-kit';
import type { KubeObject, ResourceLike } from '@elasti/operator-kit';
import { join } from 'node:path';
import { installationNamespace as namespace, operatorName, operatorServiceName, resolverName, resolverServiceName } from './names';
import { operatorPort, operatorProbePort, type NetworkPlan, type PlannedPort } from './network-plan';

/** An object and the resource that it is one of. */
export type Manifest = readonly [ResourceLike, KubeObject];

export interface InstallationSettings {
  /** Of the repository: the programs are those that the build has made. */
  readonly root: string;
  /** One file, or several as in KUBECONFIG: of the cluster that the programs work on. */
  readonly kubeconfig: string;
  readonly plan: NetworkPlan;
  /** `usual`: the defaults of both programs, made for clusters. */
  readonly pace: 'quick' | 'usual';
  /** Further variables of the operator, which win. */
  readonly operatorEnv?: Readonly<Record<string, string>>;
  readonly resolverEnv?: Readonly<Record<string, string>>;
}

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

/** One sees a service fall asleep while one watches. */
const quickOperator = { POLLING_INTERVAL: '1s', ELASTI_SETTLE_TIME: '1s', ELASTI_HANDOVER_GRACE: '1s' };
const quickResolver = { OPERATOR_RETRY_DURATION: '1', ELASTI_SETTLE_TIME: '1s' };
const podIp = (name: string): EnvVar => ({ name, valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } });
const labels = (own: Record<string, string>) => ({ ...own, 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' });

/** Operator and resolver as a cluster has them, in the order in which they are made: Services first, so that pods find them in their environment. */
export function buildInstallation(settings: InstallationSettings): Manifest[] {
  const { services, resolver } = settings.plan;
  const { port, proxyPort } = resolver;
  const operatorPorts = [{ name: 'http-api', port: operatorPort, targetPort: operatorPort }];
  const resolverPorts = [
    { name: 'http-resolver', port, targetPort: port },
    { name: 'http-resolver-reverse-proxy', port: proxyPort, targetPort: proxyPort },
  ];
  return [
    [Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }],
    [Service, buildService(operatorServiceName, services?.operator, operatorLabels, operatorPorts)],
    [Service, buildService(resolverServiceName, services?.resolver, resolverLabels, resolverPorts)],
    [Deployment, buildOperator(settings)],
    [Deployment, buildResolver(settings)],
  ];
}

/** What operator and resolver listen on, in the order in which to look: who has a port on every address has it on each. */
export function listInstallationPorts({ services, resolver, anyPod }: NetworkPlan): PlannedPort[] {
  const { port, proxyPort } = resolver;
  if (!services) return [port, proxyPort].map((needed) => ({ ...anyPod, port: needed, what: 'the resolver', remedy: 'other-port' }));
  const pods = new Map([
    [operatorPort, 'operator and resolver'],
    [port, 'operator and resolver'],
    [proxyPort, 'the resolver'],
    [operatorProbePort, "the operator's probes"],
  ]);
  const ofService = (host: string, needed: number, what: string): PlannedPort => {
    return { host, port: needed, what, scope: 'address', remedy: 'other-port' };
  };
  return [
    ...[...pods].map(([needed, what]): PlannedPort => ({ ...anyPod, port: needed, what, remedy: 'other-network' })),
    ofService(services.operator, operatorPort, "the operator's Service"),
    ofService(services.resolver, port, "the resolver's Service"),
    ofService(services.resolver, proxyPort, "the resolver's Service"),
  ];
}

const operatorLabels = labels({ 'control-plane': 'controller-manager' });
const resolverLabels = labels({ app: resolverName });

function buildService(
  name: string,
  clusterIP: string | undefined,
  selector: Record<string, string>,
  ports: { name: string; port: number; targetPort: number }[],
): Service {
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec: { selector, ports, ...(clusterIP && { clusterIP }) } };
}

function buildOperator({ root, kubeconfig, plan, pace, operatorEnv }: InstallationSettings): Deployment {
  return buildDeployment({
    name: operatorName,
    containerName: 'operator',
    podLabels: operatorLabels,
    program: join(root, 'apps/operator/dist/main.js'),
    // Where pods share an address, each of these is another port.
    containerPorts: [operatorPort, operatorProbePort],
    probePort: operatorProbePort,
    env: [
      podIp('ELASTI_BIND_ADDRESS'),
      ...variables({
        KUBECONFIG: kubeconfig,
        ELASTI_OPERATOR_PORT: `$(PORT_${operatorPort})`,
        ELASTI_OPERATOR_PROBE_PORT: `$(PORT_${operatorProbePort})`,
        ELASTI_RESOLVER_PORT: String(plan.resolver.port),
        ELASTI_RESOLVER_PROXY_PORT: String(plan.resolver.proxyPort),
        ...(pace === 'quick' && quickOperator),
        ...operatorEnv,
      }),
    ],
  });
}

function buildResolver({ root, kubeconfig, plan, pace, resolverEnv }: InstallationSettings): Deployment {
  // The Service's address as Kubernetes tells it to pods: names need a DNS server.
  const service = operatorServiceName.toUpperCase().replaceAll('-', '_');
  return buildDeployment({
    name: resolverName,
    containerName: 'resolver',
    podLabels: resolverLabels,
    program: join(root, 'apps/resolver/dist/main.js'),
    // None is declared: the operator has one setting for the ports of all resolvers, so they are what they are on every address.
    containerPorts: [],
    probePort: plan.resolver.port,
    env: [
      podIp('ELASTI_BIND_ADDRESS'),
      podIp('ELASTI_POD_IP'),
      ...variables({
        KUBECONFIG: kubeconfig,
        ELASTI_OPERATOR_ORIGIN: `http://$(${service}_SERVICE_HOST):$(${service}_SERVICE_PORT)`,
        ELASTI_RESOLVER_PORT: String(plan.resolver.port),
        ELASTI_RESOLVER_PROXY_PORT: String(plan.resolver.proxyPort),
        ...(pace === 'quick' && quickResolver),
        ...resolverEnv,
      }),
    ],
  });
}

interface ProgramDraft {
  readonly name: string;
  readonly containerName: string;
  readonly podLabels: Record<string, string>;
  readonly program: string;
  readonly containerPorts: readonly number[];
  readonly probePort: number;
  readonly env: EnvVar[];
}

function buildDeployment({ name, containerName, podLabels, program, containerPorts, probePort, env }: ProgramDraft): Deployment {
  const container = {
    name: containerName,
    image: name,
    command: ['node', program],
    ports: containerPorts.map((containerPort) => ({ containerPort })),
    env,
    readinessProbe: { httpGet: { path: '/readyz', port: probePort }, periodSeconds: 1 },
  };
  const template = { metadata: { labels: podLabels }, spec: { containers: [container] } };
  const spec = { replicas: 1, selector: { matchLabels: podLabels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name }, spec };
}

function variables(values: Record<string, string>): EnvVar[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
