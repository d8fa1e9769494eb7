import { ApiObject, type Chart, Duration, JsonPatch } from 'cdk8s';
import {
  type ContainerProps,
  Deployment,
  EnvValue,
  ImagePullPolicy,
  LabelSelector,
  Pod,
  Probe,
  Secret,
  Service,
  type ServiceAccount,
  type ServicePort,
} from 'cdk8s-plus-28';
import type { PodSettings } from '../settings/pod.settings';
import type { Settings } from '../settings/settings';
import { restrictedContainer, restrictedPod } from './restricted-container';

/** What the pods of both programs take from the settings; the defaults are in `SettingsFile` beside each field. */
export type ProgramSettings = Pick<
  Settings,
  'clusterDomain' | 'imagePullPolicy' | 'imagePullSecrets' | 'priorityClass' | 'sentry' | 'traffic' | 'watchNamespaces'
>;

type Quantities = Readonly<Record<string, number | string>>;

interface OwnSettings extends PodSettings {
  readonly resources: { readonly requests: Quantities; readonly limits: Quantities };
}

export interface ProgramProps {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly account: ServiceAccount;
  readonly settings: ProgramSettings;
  readonly own: OwnSettings;
  /** Absent where something else scales them. */
  readonly replicas: number | undefined;
  readonly container: Pick<ContainerProps, 'name' | 'command' | 'ports' | 'envVariables'>;
  readonly probePort: number;
  /** From the word that a pod must go to its end, with `preStopSeconds` in it. */
  readonly gracePeriodSeconds: number;
  /**
   * How long it works on before SIGTERM: for a program that turns calls away from then on while its Service may still name it.
   * @default - SIGTERM comes at once
   */
  readonly preStopSeconds?: number;
  /** A folder that a volume is mounted at. */
  readonly mounts: readonly { readonly path: string; readonly volume: { readonly name: string } }[];
}

/** The Deployment of a program: restricted, probed, spread over nodes and zones as far as they have room, and made as the settings say. */
export function deployProgram(chart: Chart, props: ProgramProps): Deployment {
  const { name, labels, own, settings } = props;
  const deployment = new Deployment(chart, 'deployment', {
    metadata: { name, labels },
    podMetadata: { labels: { ...own.podLabels, ...labels }, annotations: own.podAnnotations },
    select: false,
    replicas: props.replicas,
    serviceAccount: props.account,
    automountServiceAccountToken: true,
    terminationGracePeriod: Duration.seconds(props.gracePeriodSeconds),
    securityContext: restrictedPod,
    containers: [
      {
        ...props.container,
        image: own.image,
        imagePullPolicy: pullPolicies[settings.imagePullPolicy],
        envVariables: { ...props.container.envVariables, ...sharedVariables(chart, props), ...valuesOf(own.env) },
        liveness: probe('/healthz', props.probePort, { periodSeconds: 10, timeoutSeconds: 5 }),
        readiness: probe('/readyz', props.probePort, { periodSeconds: 2, timeoutSeconds: 2 }),
        securityContext: restrictedContainer,
      },
    ],
  });
  deployment.select(LabelSelector.of({ labels }));
  // The default of the API server, too; said here, it would undo what moving over from KubeElasti sets for a while.
  ApiObject.of(deployment).addJsonPatch(...podPatches(props), JsonPatch.remove('/spec/minReadySeconds'));
  if (props.preStopSeconds !== undefined) sleepBeforeStop(ApiObject.of(deployment), props.preStopSeconds);
  return deployment;
}

/** The images have no shell that could sleep. Of a newer Kubernetes than cdk8s-plus knows: a patch before it is written out would be dropped. */
function sleepBeforeStop(deployment: ApiObject, seconds: number): void {
  const written = deployment.toJson.bind(deployment);
  const sleep = JsonPatch.add('/spec/template/spec/containers/0/lifecycle', { preStop: { sleep: { seconds } } });
  deployment.toJson = () => JsonPatch.apply(written(), sleep) as unknown;
}

/** Selects by the labels of the Deployment, so that a Service which KubeElasti has left keeps its pods until ours are ready. */
export function addService(chart: Chart, name: string, labels: Readonly<Record<string, string>>, ports: ServicePort[]): Service {
  const service = new Service(chart, name, { metadata: { name }, ports });
  for (const [label, value] of Object.entries(labels)) service.selectLabel(label, value);
  return service;
}

export function valuesOf(variables: Readonly<Record<string, string>>): Record<string, EnvValue> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, EnvValue.fromValue(value)]));
}

/**
 * A value from a Secret, with an empty one beside it: KubeElasti may have written it in plain text, which `kubectl apply` would keep where ours is silent,
 * and the API server takes no text beside a source.
 */
export function secretValue(chart: Chart, id: string, { name, key }: { readonly name: string; readonly key: string }): EnvValue {
  return Object.assign(EnvValue.fromSecretValue({ secret: Secret.fromSecretName(chart, id, name), key }), { value: '' });
}

const pullPolicies = {
  Always: ImagePullPolicy.ALWAYS,
  IfNotPresent: ImagePullPolicy.IF_NOT_PRESENT,
  Never: ImagePullPolicy.NEVER,
} as const;

function sharedVariables(chart: Chart, { settings, own }: ProgramProps): Record<string, EnvValue> {
  const { clusterDomain, sentry, traffic, watchNamespaces } = settings;
  const { secretName, secretKey, environment } = sentry;
  return {
    KUBERNETES_CLUSTER_DOMAIN: EnvValue.fromValue(clusterDomain),
    ELASTI_SETTLE_TIME: EnvValue.fromValue(traffic.settleTime),
    ELASTI_LOAD_BALANCER_SETTLE_TIME: EnvValue.fromValue(traffic.loadBalancerSettleTime),
    ...(watchNamespaces.length > 0 && { WATCH_NAMESPACES: EnvValue.fromValue(watchNamespaces.join(',')) }),
    ...(secretName !== undefined && {
      SENTRY_DSN: secretValue(chart, 'sentry', { name: secretName, key: own.sentrySecretKey ?? secretKey }),
    }),
    ...(environment !== undefined && { SENTRY_ENVIRONMENT: EnvValue.fromValue(environment) }),
  };
}

function probe(path: string, port: number, { periodSeconds, timeoutSeconds }: { periodSeconds: number; timeoutSeconds: number }): Probe {
  return Probe.fromHttpGet(path, {
    port,
    periodSeconds: Duration.seconds(periodSeconds),
    timeoutSeconds: Duration.seconds(timeoutSeconds),
  });
}

/** cdk8s-plus knows no spread constraints and no projected volumes, and of the rest only a part. */
function podPatches({ labels, own, settings, mounts }: ProgramProps): JsonPatch[] {
  const pod = {
    imagePullSecrets: settings.imagePullSecrets.map((name) => ({ name })),
    priorityClassName: settings.priorityClass.name,
    nodeSelector: own.nodeSelector,
    tolerations: own.tolerations,
    affinity: own.affinity,
    topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: labels },
    })),
    volumes: mounts.map(({ volume }) => volume),
  };
  const container = {
    resources: { requests: quantitiesOf(own.resources.requests), limits: quantitiesOf(own.resources.limits) },
    volumeMounts: mounts.map(({ path, volume: { name } }) => ({ name, mountPath: path, readOnly: true })),
  };
  const into = (path: string, fields: object) =>
    Object.entries(fields)
      .filter(([, value]: [string, unknown]) => !isEmpty(value))
      .map(([field, value]: [string, unknown]) => JsonPatch.add(`${path}/${field}`, value));
  // cdk8s marks pods for selectors of its own; ours are the contract's.
  const mark = JsonPatch.remove(`/spec/template/metadata/labels/${Pod.ADDRESS_LABEL.replace('/', '~1')}`);
  return [mark, ...into('/spec/template/spec', pod), ...into('/spec/template/spec/containers/0', container)];
}

/** As cdk8s writes them out after the patches. */
function quantitiesOf(quantities: Quantities): Record<string, { value: number | string }> {
  return Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, { value }]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
