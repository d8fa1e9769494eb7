import type { CustomResourceDefinition } from '@elasti/operator-kit';
import { ApiObject, Chart, Duration, Size } from 'cdk8s';
import {
  ApiResource,
  ClusterRole,
  ClusterRoleBinding,
  Cpu,
  Deployment,
  EnvValue,
  ImagePullPolicy,
  LabelSelector,
  Namespace,
  Probe,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
} from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { operatorNodeFlags } from './node-flags';
import { restrictedContainer, restrictedPod } from './restricted-container';

export interface OperatorProps {
  /** The manifest of the ElastiService CRD. */
  readonly crd: CustomResourceDefinition;
  /**
   * Where Elasti runs.
   * @default 'elasti'
   */
  readonly namespace?: string;
  /**
   * The operator's image.
   * @default 'elasti-operator:latest'
   */
  readonly image?: string;
  /**
   * How many operator pods; one of them leads, all of them answer wakes.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * Who may call for a wake: the resolver's ServiceAccount, or anyone.
   * @default 'token-review'
   */
  readonly wakeAuth?: 'token-review' | 'off';
}

/** Of the Deployment and everything that stands beside it. */
const name = 'elasti-operator-controller-manager';
/** KubeElasti's: a container of another name would be put beside the one that is there when ours is applied over it. */
const containerName = 'manager';
const apiPort = 8013;
const probePort = 8081;
/** Exactly what KubeElasti's Deployment selects by: a selector cannot be changed, and ours is to be applied over it. */
const labels = {
  'control-plane': 'controller-manager',
  'app.kubernetes.io/name': 'elasti',
  'app.kubernetes.io/instance': 'elasti',
};

/** The Elasti operator: its CRD, the permissions it uses and no others, its Services, and a Deployment whose replicas elect a leader. */
export class OperatorChart extends Chart {
  constructor(scope: Construct, id: string, props: OperatorProps) {
    const namespace = props.namespace ?? 'elasti';
    super(scope, id, { namespace, disableResourceNameHashes: true, labels: { 'app.kubernetes.io/name': 'elasti' } });

    new Namespace(this, 'namespace', { metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } });
    const { apiVersion, kind, metadata, ...crd } = props.crd;
    new ApiObject(this, 'crd', { apiVersion, kind, metadata: { name: metadata.name }, ...crd });

    const account = new ServiceAccount(this, 'account', { metadata: { name }, automountToken: true });
    this.grantCluster(account, props);
    this.grantInstallation(account);
    this.expose(this.deploy(account, props));
  }

  private grantCluster(account: ServiceAccount, { wakeAuth }: OperatorProps): void {
    const role = new ClusterRole(this, 'cluster-role', { metadata: { name } });
    const custom = (apiGroup: string, resourceType: string) => ApiResource.custom({ apiGroup, resourceType });
    const own = (resourceType: string) => custom('elasti.truefoundry.com', resourceType);
    role.allow(['get', 'list', 'watch', 'patch'], own('elastiservices'));
    role.allow(['patch'], own('elastiservices/status'));
    // Lets an owner reference block the owner's deletion where the cluster enforces that permission.
    role.allow(['update'], own('elastiservices/finalizers'));
    role.allow(['list', 'watch', 'create', 'patch', 'delete'], ApiResource.SERVICES, ApiResource.ENDPOINT_SLICES);
    // OpenShift asks for it of whoever writes addresses into slices.
    role.allow(['create'], custom('discovery.k8s.io', 'endpointslices/restricted'));
    role.allow(['get', 'list', 'watch'], ApiResource.DEPLOYMENTS, ApiResource.STATEFUL_SETS, custom('argoproj.io', 'rollouts'));
    role.allow(['get', 'update'], custom('apps', 'deployments/scale'), custom('apps', 'statefulsets/scale'));
    role.allow(['get', 'update'], custom('argoproj.io', 'rollouts/scale'));
    role.allow(['get', 'patch'], custom('keda.sh', 'scaledobjects'));
    role.allow(['list', 'watch'], ApiResource.INGRESSES);
    role.allow(['list'], ApiResource.NODES);
    role.allow(['create', 'patch'], custom('events.k8s.io', 'events'));
    if (wakeAuth !== 'off') role.allow(['create'], custom('authentication.k8s.io', 'tokenreviews'));
    new ClusterRoleBinding(this, 'cluster-binding', { metadata: { name }, role }).addSubjects(account);
  }

  /** The lease of the leader, and the ConfigMaps that hold the routes. */
  private grantInstallation(account: ServiceAccount): void {
    const role = new Role(this, 'role', { metadata: { name } });
    role.allow(['get', 'create', 'update'], ApiResource.LEASES);
    role.allow(['get', 'list', 'watch', 'create', 'update'], ApiResource.CONFIG_MAPS);
    new RoleBinding(this, 'binding', { metadata: { name }, role }).addSubjects(account);
  }

  private deploy(serviceAccount: ServiceAccount, props: OperatorProps): Deployment {
    const deployment = new Deployment(this, 'deployment', {
      metadata: { name, labels },
      podMetadata: { labels },
      select: false,
      replicas: props.replicas ?? 2,
      serviceAccount,
      automountServiceAccountToken: true,
      terminationGracePeriod: Duration.seconds(20),
      securityContext: restrictedPod,
      containers: [
        {
          name: containerName,
          image: props.image ?? 'elasti-operator:latest',
          imagePullPolicy: ImagePullPolicy.IF_NOT_PRESENT,
          command: ['node', ...operatorNodeFlags, '/app/main.js'],
          ports: [
            { name: 'http-api', number: apiPort },
            { name: 'probes', number: probePort },
          ],
          envVariables: {
            // Values, as KubeElasti has them: applied over its Deployment, a source would stand beside the value, which the API server refuses.
            ELASTI_OPERATOR_NAMESPACE: EnvValue.fromValue(this.namespace ?? ''),
            ELASTI_RESOLVER_NAMESPACE: EnvValue.fromValue(this.namespace ?? ''),
            ELASTI_WAKE_AUTH: EnvValue.fromValue(props.wakeAuth ?? 'token-review'),
          },
          liveness: Probe.fromHttpGet('/healthz', {
            port: probePort,
            periodSeconds: Duration.seconds(10),
            timeoutSeconds: Duration.seconds(5),
          }),
          readiness: Probe.fromHttpGet('/readyz', {
            port: probePort,
            periodSeconds: Duration.seconds(2),
            timeoutSeconds: Duration.seconds(2),
          }),
          resources: { cpu: { request: Cpu.millis(50) }, memory: { request: Size.mebibytes(128), limit: Size.mebibytes(512) } },
          securityContext: restrictedContainer,
        },
      ],
    });
    deployment.select(LabelSelector.of({ labels }));
    return deployment;
  }

  private expose(deployment: Deployment): void {
    const service = (serviceName: string, portName: string, port: number) =>
      new Service(this, serviceName, {
        metadata: { name: serviceName },
        selector: deployment,
        ports: [{ name: portName, port, targetPort: apiPort }],
      });
    service('elasti-operator-controller-service', 'http-api', apiPort);
    service(`${name}-metrics-service`, 'metrics', 8080);
  }
}
