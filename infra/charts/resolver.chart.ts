import { ApiObject, Chart, Duration, JsonPatch, Size } from 'cdk8s';
import {
  ApiResource,
  ClusterRole,
  ClusterRoleBinding,
  Cpu,
  Deployment,
  EnvFieldPaths,
  EnvValue,
  ImagePullPolicy,
  LabelSelector,
  Probe,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
} from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { restrictedContainer, restrictedPod } from './restricted-container';

export interface ResolverProps {
  /**
   * Where Elasti runs.
   * @default 'elasti'
   */
  readonly namespace?: string;
  /**
   * The resolver's image.
   * @default 'elasti-resolver:latest'
   */
  readonly image?: string;
  /**
   * How many resolver pods; every one of them can take the traffic of every sleeping service.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * How long a request is held at most, in seconds. A pod that stops gets a minute more than this.
   * @default 600
   */
  readonly requestTimeoutSeconds?: number;
}

const name = 'elasti-resolver';
/** KubeElasti's: a container of another name would be put beside the one that is there when ours is applied over it. */
const containerName = 'proxy';
const internalPort = 8013;
const proxyPort = 8012;
const tokenFolder = '/var/run/secrets/elasti';
/** Exactly what KubeElasti's Deployment selects by: a selector cannot be changed, and ours is to be applied over it. */
const labels = { app: name, 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' };

/** The resolver: read-only permissions, its Service, and a Deployment whose pods are spread over nodes and zones and take their time to leave. */
export class ResolverChart extends Chart {
  constructor(scope: Construct, id: string, props: ResolverProps = {}) {
    const namespace = props.namespace ?? 'elasti';
    super(scope, id, { namespace, disableResourceNameHashes: true, labels: { 'app.kubernetes.io/name': 'elasti' } });

    const account = new ServiceAccount(this, 'account', { metadata: { name }, automountToken: true });
    this.grant(account);
    const deployment = this.deploy(account, props);
    const service = new Service(this, 'service', {
      metadata: { name: 'elasti-resolver-service' },
      selector: deployment,
      ports: [
        { name: 'http-resolver', port: internalPort },
        { name: 'http-resolver-reverse-proxy', port: proxyPort },
      ],
    });
    // The operator learns from its slices where resolvers are: without their IPv6 addresses a sleeping Service of both families is lost over IPv6.
    ApiObject.of(service).addJsonPatch(JsonPatch.add('/spec/ipFamilyPolicy', 'PreferDualStack'));
  }

  /** It reads and never writes: services that sleep, the pods behind them, and in its own namespace the routes. */
  private grant(account: ServiceAccount): void {
    const clusterRole = new ClusterRole(this, 'cluster-role', { metadata: { name } });
    const elastiServices = ApiResource.custom({ apiGroup: 'elasti.truefoundry.com', resourceType: 'elastiservices' });
    clusterRole.allow(['list', 'watch'], elastiServices, ApiResource.SERVICES, ApiResource.ENDPOINT_SLICES);
    new ClusterRoleBinding(this, 'cluster-binding', { metadata: { name }, role: clusterRole }).addSubjects(account);
    const role = new Role(this, 'role', { metadata: { name } });
    role.allow(['list', 'watch'], ApiResource.CONFIG_MAPS);
    new RoleBinding(this, 'binding', { metadata: { name }, role }).addSubjects(account);
  }

  private deploy(serviceAccount: ServiceAccount, props: ResolverProps): Deployment {
    const requestTimeoutSeconds = props.requestTimeoutSeconds ?? 600;
    const deployment = new Deployment(this, 'deployment', {
      metadata: { name, labels },
      podMetadata: { labels },
      select: false,
      replicas: props.replicas ?? 2,
      serviceAccount,
      automountServiceAccountToken: true,
      terminationGracePeriod: Duration.seconds(requestTimeoutSeconds + 60),
      securityContext: restrictedPod,
      containers: [
        {
          name: containerName,
          image: props.image ?? 'elasti-resolver:latest',
          imagePullPolicy: ImagePullPolicy.IF_NOT_PRESENT,
          command: ['node', '/app/main.js'],
          ports: [
            { name: 'http-resolver', number: internalPort },
            { name: 'proxy', number: proxyPort },
          ],
          envVariables: {
            // A value, as KubeElasti has it: applied over its Deployment, a source would stand beside the value, which the API server refuses.
            ELASTI_OPERATOR_NAMESPACE: EnvValue.fromValue(this.namespace ?? ''),
            ELASTI_POD_IP: EnvValue.fromFieldRef(EnvFieldPaths.POD_IPS),
            ELASTI_WAKE_TOKEN_FILE: EnvValue.fromValue(`${tokenFolder}/token`),
            REQ_TIMEOUT: EnvValue.fromValue(String(requestTimeoutSeconds)),
          },
          liveness: probe('/healthz', 10, 5),
          readiness: probe('/readyz', 2, 2),
          resources: { cpu: { request: Cpu.millis(100) }, memory: { request: Size.mebibytes(128), limit: Size.mebibytes(1024) } },
          securityContext: restrictedContainer,
        },
      ],
    });
    deployment.select(LabelSelector.of({ labels }));
    this.addToken(deployment);
    this.spread(deployment);
    return deployment;
  }

  /** The token that the operator's wake call asks for. cdk8s-plus has no projected volumes. */
  private addToken(deployment: Deployment): void {
    const token = { audience: 'elasti-operator', path: 'token', expirationSeconds: 3600 };
    ApiObject.of(deployment).addJsonPatch(
      JsonPatch.add('/spec/template/spec/volumes', [{ name: 'token', projected: { sources: [{ serviceAccountToken: token }] } }]),
      JsonPatch.add('/spec/template/spec/containers/0/volumeMounts', [{ name: 'token', mountPath: tokenFolder, readOnly: true }]),
    );
  }

  /** Over nodes and zones, as far as they have room. cdk8s-plus has no spread constraints. */
  private spread(deployment: Deployment): void {
    const over = (topologyKey: string) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: labels },
    });
    ApiObject.of(deployment).addJsonPatch(
      JsonPatch.add('/spec/template/spec/topologySpreadConstraints', ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map(over)),
    );
  }
}

function probe(path: string, periodSeconds: number, timeoutSeconds: number): Probe {
  return Probe.fromHttpGet(path, {
    port: internalPort,
    periodSeconds: Duration.seconds(periodSeconds),
    timeoutSeconds: Duration.seconds(timeoutSeconds),
  });
}
