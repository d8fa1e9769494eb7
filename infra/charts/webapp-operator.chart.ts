import type { CustomResourceDefinition } from '@elasti/operator-kit';
import { ApiObject, Chart, Duration, Size } from 'cdk8s';
import {
  ApiResource,
  Capability,
  ClusterRole,
  ClusterRoleBinding,
  Cpu,
  Deployment,
  EnvFieldPaths,
  EnvValue,
  ImagePullPolicy,
  LabelSelector,
  Namespace,
  Probe,
  Role,
  RoleBinding,
  SeccompProfileType,
  ServiceAccount,
} from 'cdk8s-plus-28';
import type { Construct } from 'constructs';

export interface WebAppOperatorProps {
  /** The manifest of the WebApp CRD. */
  readonly crd: CustomResourceDefinition;
  /**
   * Where the operator runs.
   * @default 'webapp-operator'
   */
  readonly namespace?: string;
  /**
   * The operator's image.
   * @default 'webapp-operator:latest'
   */
  readonly image?: string;
  /**
   * How many operator pods; one of them leads.
   * @default 2
   */
  readonly replicas?: number;
}

const name = 'webapp-operator';
const probesPort = 8081;

/** The WebApp operator: its CRD, the permissions it uses and no others, and a Deployment whose replicas elect a leader. */
export class WebAppOperatorChart extends Chart {
  constructor(scope: Construct, id: string, props: WebAppOperatorProps) {
    const namespace = props.namespace ?? name;
    super(scope, id, { namespace, disableResourceNameHashes: true, labels: { 'app.kubernetes.io/name': name } });

    new Namespace(this, 'namespace', { metadata: { name: namespace } });
    const { apiVersion, kind, metadata, ...crd } = props.crd;
    new ApiObject(this, 'crd', { apiVersion, kind, metadata: { name: metadata.name }, ...crd });

    const account = new ServiceAccount(this, 'account', { metadata: { name }, automountToken: true });
    this.grantCluster(account);
    this.grantElection(account);
    this.deploy(account, props);
  }

  private grantCluster(account: ServiceAccount): void {
    const role = new ClusterRole(this, 'cluster-role', { metadata: { name } });
    const custom = (resourceType: string) => ApiResource.custom({ apiGroup: 'example.com', resourceType });
    role.allow(['get', 'list', 'watch', 'patch'], custom('webapps'));
    role.allow(['patch'], custom('webapps/status'));
    // Lets an owner reference block the owner's deletion where the cluster enforces that permission.
    role.allow(['update'], custom('webapps/finalizers'));
    role.allow(['get', 'list', 'watch', 'create', 'patch'], ApiResource.DEPLOYMENTS);
    role.allow(['get', 'list', 'watch', 'create', 'patch', 'delete'], ApiResource.SERVICES);
    role.allow(['create', 'patch'], ApiResource.custom({ apiGroup: 'events.k8s.io', resourceType: 'events' }));
    new ClusterRoleBinding(this, 'cluster-binding', { metadata: { name }, role }).addSubjects(account);
  }

  private grantElection(account: ServiceAccount): void {
    const role = new Role(this, 'election-role', { metadata: { name: `${name}-election` } });
    role.allow(['get', 'create', 'update'], ApiResource.LEASES);
    new RoleBinding(this, 'election-binding', { metadata: { name: `${name}-election` }, role }).addSubjects(account);
  }

  private deploy(serviceAccount: ServiceAccount, props: WebAppOperatorProps): void {
    const labels = { 'app.kubernetes.io/name': name };
    const deployment = new Deployment(this, 'deployment', {
      metadata: { name },
      podMetadata: { labels },
      select: false,
      replicas: props.replicas ?? 2,
      serviceAccount,
      automountServiceAccountToken: true,
      terminationGracePeriod: Duration.seconds(40),
      securityContext: { ensureNonRoot: true, user: 65532, group: 65532 },
      containers: [
        {
          name: 'operator',
          image: props.image ?? `${name}:latest`,
          imagePullPolicy: ImagePullPolicy.IF_NOT_PRESENT,
          ports: [
            { name: 'probes', number: probesPort },
            { name: 'metrics', number: 8080 },
          ],
          envVariables: { POD_NAMESPACE: EnvValue.fromFieldRef(EnvFieldPaths.POD_NAMESPACE) },
          liveness: Probe.fromHttpGet('/healthz', { port: probesPort }),
          readiness: Probe.fromHttpGet('/readyz', { port: probesPort, periodSeconds: Duration.seconds(2) }),
          resources: { cpu: { request: Cpu.millis(50) }, memory: { request: Size.mebibytes(128), limit: Size.mebibytes(256) } },
          securityContext: {
            user: 65532,
            group: 65532,
            ensureNonRoot: true,
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: [Capability.ALL] },
            seccompProfile: { type: SeccompProfileType.RUNTIME_DEFAULT },
          },
        },
      ],
    });
    deployment.select(LabelSelector.of({ labels }));
  }
}
