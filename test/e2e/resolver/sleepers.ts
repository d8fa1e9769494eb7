import { ElastiService, type ElastiServiceSpec } from '@elasti/api';
import {
  apiVersionOf,
  Deployment,
  EndpointSlice,
  findCondition,
  type KubeClient,
  NotFoundError,
  Pod,
  type ResourceDefinition,
  Service,
  StatefulSet,
} from '@elasti/operator-kit';
import { sliceRoleLabel } from '../../../apps/operator/src/names';
import { eventually } from '../../eventually';
import { Rollout } from '../../fixtures/elasti-world/foreign-kinds';
import { type KeyPair, TestAuthority } from '../../integration/client-certificates';
import { applyYaml, kubectl } from '../kubectl';
import type { Address, Caller } from './caller';
import { installed, letGo } from './installation';

const image = process.env.ECHO_IMAGE ?? 'localhost/echo:e2e';
/** Long enough for a slow machine that also changes its leader. */
const patienceMs = 90_000;

/** The ports of every Service here: some by number, some by the name that the pod gives them. */
export const servicePorts: readonly { name: PortName; port: number; targetPort: string | number; appProtocol?: string }[] = [
  { name: 'http', port: 80, targetPort: 'web' },
  { name: 'second', port: 8000, targetPort: 'second-web' },
  { name: 'h2c', port: 82, targetPort: 8082 },
  { name: 'tls', port: 443, targetPort: 8443 },
  { name: 'tcp', port: 7000, targetPort: 'lines' },
  { name: 'greeter', port: 7001, targetPort: 7001, appProtocol: 'elasti.truefoundry.com/server-first' },
  { name: 'metrics', port: 9100, targetPort: 'second-web' },
];

export type PortName = 'http' | 'second' | 'h2c' | 'tls' | 'tcp' | 'greeter' | 'metrics';

const targetKinds = { Deployment, StatefulSet, Rollout };

export interface SleeperOptions {
  /** What holds the pods; for a Rollout somebody must play Argo. Default: a Deployment. */
  readonly kind?: keyof typeof targetKinds;
  /** More of the ElastiService; there is no trigger, so what is awake stays so. */
  readonly spec?: Partial<ElastiServiceSpec>;
  readonly env?: Readonly<Record<string, string>>;
  /** Between the word that a pod must go and its SIGTERM. */
  readonly preStopSeconds?: number;
  /** More of the Service. */
  readonly service?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default: none, as after a long sleep. */
  readonly replicas?: number;
  /** `absent`: nobody ever puts it to sleep. */
  readonly elasti?: 'absent';
}

/** A namespace of services that have no pod until somebody asks for them. */
export class Sleepers {
  /** What holds the pods of each. */
  private readonly kinds = new Map<string, ResourceDefinition>();

  private constructor(
    private readonly client: KubeClient,
    readonly namespace: string,
    readonly authority: TestAuthority,
    private readonly pair: KeyPair,
  ) {}

  /** At most how long it takes to give all back, and to remove the namespace. */
  static readonly leavingMs = 150_000;

  static async open(client: KubeClient, namespace: string): Promise<Sleepers> {
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
    const authority = await TestAuthority.create('sleepers');
    return new Sleepers(client, namespace, authority, await authority.issue('sleeper', ['sleeper.example']));
  }

  /** For which every pod must be ready, and an operator there. */
  async giveBack(caller: Caller): Promise<void> {
    const laid = await this.elastiServices();
    if (laid.length > 0) await kubectl('delete', 'elastiservice', ...laid, '-n', this.namespace, '--ignore-not-found', '--wait=false');
    await eventually('all given back', async () => {
      const left = await this.elastiServices();
      const heldBack = (await Promise.all(left.map((name) => this.podsOf(name)))).flat().filter(({ status }) => status?.podIP);
      await Promise.all(heldBack.map((pod) => this.tellToStart(pod, caller)));
      return left.length === 0 ? true : undefined;
    });
  }

  /** Until the finalizers of these ElastiServices, which somebody has deleted, are done. */
  async letGoOf(names: readonly string[]): Promise<void> {
    await kubectl('wait', '--for=delete', ...names.map((name) => `elastiservice/${name}`), '-n', this.namespace, '--timeout=90s');
  }

  /** With all that is in it, be it that nobody has given it back. */
  async remove(): Promise<void> {
    await letGo(this.namespace);
    await kubectl('delete', 'namespace', this.namespace, '--timeout=90s');
  }

  /** A Deployment, a Service and an ElastiService of each name. */
  async lay(sleepers: Readonly<Record<string, SleeperOptions>>): Promise<void> {
    for (const [name, { kind = 'Deployment' }] of Object.entries(sleepers)) this.kinds.set(name, targetKinds[kind]);
    const items = Object.entries(sleepers).flatMap(([name, options]) => this.objectsOf(name, options));
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  /** No pod, and resolvers in the Service: seen by the port that wakes nobody, the way that clients come. */
  async asleep(name: string, caller: Caller): Promise<void> {
    await this.inMode(name, 'proxy', 'True');
    const labelSelector = `app=${name}`;
    await eventually(`no pod of ${name}`, async () => {
      const { items } = await this.client.list(Pod, { namespace: this.namespace, labelSelector });
      return items.length === 0 ? true : undefined;
    });
    await this.answeredByResolvers(name, caller);
  }

  /** By the port that wakes nobody. */
  async answeredByResolvers(name: string, caller: Caller): Promise<void> {
    // Whoever comes too early may be led to a pod that is no more, and would wait for it long. The data plane draws lots among those that it knows, so one
    // answer of a resolver says little; that it still knows a pod and leads none of so many to it has a chance of one in a thousand beside two resolvers.
    const looks = Array.from({ length: 16 });
    await eventually(`${name} answered by resolvers`, async () => {
      const answers = await Promise.all(looks.map(() => caller.request(this.addressOf(name, 'metrics'), { patienceMs: 2000 })));
      return answers.every(({ status }) => status === 503) ? true : undefined;
    });
  }

  /** Its pods take the traffic. */
  async awake(name: string): Promise<void> {
    await this.inMode(name, 'serve', 'False');
  }

  /** Once it is awake, or as it is already, it stays so. */
  async stayAwakeNextTime(name: string): Promise<void> {
    await kubectl('patch', 'esvc', name, '-n', this.namespace, '--type=merge', '-p', '{"spec":{"cooldownPeriod":3600}}');
  }

  /** Asks for it, should nobody have done so yet. */
  async roused(name: string, caller: Caller): Promise<void> {
    if ((await this.replicasOf(name)) === 0) {
      await this.asleep(name, caller);
      await caller.request(this.addressOf(name, 'http'));
    }
    await this.awake(name);
  }

  addressOf(name: string, port: PortName): Address {
    return { host: `${name}.${this.namespace}.svc`, port: servicePorts.find((one) => one.name === port)?.port ?? 0 };
  }

  /** The port that resolvers listen on for this one. */
  async routeOf(name: string, port: PortName): Promise<number> {
    const { routes } = (await this.client.get(ElastiService, { namespace: this.namespace, name })).status ?? {};
    const route = routes?.find((one) => one.port === this.addressOf(name, port).port);
    if (!route) throw new Error(`${name} has no route for ${port}`);
    return route.resolverPort;
  }

  /** Whether resolvers are in the Service beside its pods, or in their place. */
  async hasResolvers(name: string): Promise<boolean> {
    const labelSelector = `kubernetes.io/service-name=${name},${sliceRoleLabel}=proxy`;
    return (await this.client.list(EndpointSlice, { namespace: this.namespace, labelSelector })).items.length > 0;
  }

  /** The names of those that are there: none where the CRD is not. */
  private async elastiServices(): Promise<string[]> {
    const listed = await this.client.list(ElastiService, { namespace: this.namespace }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return { items: [] };
      throw error;
    });
    return listed.items.map(({ metadata }) => metadata.name ?? '');
  }

  service(name: string): Promise<Service> {
    return this.client.get(Service, { namespace: this.namespace, name });
  }

  /** When it was last woken, or found busy. */
  async stampOf(name: string): Promise<string | undefined> {
    return (await this.client.get(ElastiService, { namespace: this.namespace, name })).status?.lastScaledUpTime;
  }

  async replicasOf(name: string): Promise<number> {
    return (await this.client.getScale(this.kinds.get(name) ?? Deployment, { namespace: this.namespace, name })).spec.replicas ?? 0;
  }

  /** The pods of a sleeper that nobody has told to go. */
  async podsOf(name: string): Promise<Pod[]> {
    const { items } = await this.client.list(Pod, { namespace: this.namespace, labelSelector: `app=${name}` });
    return items.filter(({ metadata }) => !metadata.deletionTimestamp);
  }

  /** Until those that were told to go have gone. */
  async noneLeaving(name: string): Promise<void> {
    await eventually(`the last of the leaving pods of ${name} gone`, async () => {
      const { items } = await this.client.list(Pod, { namespace: this.namespace, labelSelector: `app=${name}` });
      return items.every(({ metadata }) => !metadata.deletionTimestamp) ? true : undefined;
    });
  }

  /** Its only pod, once there is one. */
  podOf(name: string): Promise<Pod> {
    return eventually(`a running pod of ${name}`, async () => (await this.podsOf(name)).find(({ status }) => status?.phase === 'Running'));
  }

  /** Until no Service leads to this pod. */
  async namedNowhere(pod: string): Promise<void> {
    await eventually(`no slice that names ${pod}`, async () => {
      const { items } = await this.client.list(EndpointSlice, { namespace: this.namespace });
      const named = items.flatMap(({ endpoints }) => endpoints ?? []).some(({ targetRef }) => targetRef?.name === pod);
      return named ? undefined : true;
    });
  }

  async deletePod(name: string): Promise<void> {
    await kubectl('delete', 'pod', name, '-n', this.namespace, '--wait=false');
  }

  /** Another command from the next pod on. */
  async runs(name: string, command: readonly string[]): Promise<void> {
    const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/command', value: command }];
    await kubectl('patch', `deployment/${name}`, '-n', this.namespace, '--type=json', '-p', JSON.stringify(patch));
  }

  /** Lets a pod be ready that waits to be told. */
  async letStart(name: string, caller: Caller): Promise<void> {
    const pod = await this.podOf(name);
    await eventually(`${name} told to start`, async () => ((await this.tellToStart(pod, caller)) === 200 ? true : undefined));
  }

  private async tellToStart({ status }: Pod, caller: Caller): Promise<number | undefined> {
    const told = await caller.request({ host: status?.podIP ?? '', port: 9000 }, { path: '/start', method: 'POST' });
    return told.status;
  }

  private async inMode(name: string, mode: 'serve' | 'proxy', scaledDown: 'True' | 'False'): Promise<void> {
    let last: ElastiService['status'];
    const look = async () => {
      last = (await this.client.find(ElastiService, { namespace: this.namespace, name }))?.status;
      const condition = findCondition(last?.conditions, 'ScaledDown');
      return last?.mode === mode && condition?.status === scaledDown ? true : undefined;
    };
    await eventually(`${name} in mode ${mode}`, look, patienceMs).catch((error: unknown) => {
      throw new Error(`${name} did not come to mode ${mode}; its status is ${JSON.stringify(last)}`, { cause: error });
    });
  }

  private objectsOf(name: string, options: SleeperOptions): object[] {
    const { kind = 'Deployment', spec, service, annotations, replicas = 0, elasti } = options;
    const { namespace } = this;
    const metadata = { name, namespace };
    const target = { apiVersion: apiVersionOf(targetKinds[kind]), kind, name };
    const template = { metadata: { labels: { app: name } }, spec: this.podSpec(options) };
    const ofStatefulSet = kind === 'StatefulSet' ? { serviceName: name } : {};
    const objects: object[] = [
      {
        apiVersion: target.apiVersion,
        kind,
        metadata,
        spec: { replicas, selector: { matchLabels: { app: name } }, template, ...ofStatefulSet },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { ...metadata, annotations },
        spec: { selector: { app: name }, ports: servicePorts, ...service },
      },
    ];
    if (elasti === 'absent') return objects;
    return [...objects, ElastiService.create(name, { scaleTargetRef: target, service: name, cooldownPeriod: 1, ...spec }, { namespace })];
  }

  private podSpec({ env, preStopSeconds }: SleeperOptions): object {
    const container = {
      name: 'echo',
      image,
      imagePullPolicy: 'IfNotPresent',
      command: ['node', '/app/main.mjs'],
      env: Object.entries({ TLS_KEY: this.pair.key, TLS_CERT: this.pair.cert, ...env }).map(([key, value]) => ({ name: key, value })),
      ports: [
        { name: 'web', containerPort: 8080 },
        { name: 'second-web', containerPort: 8081 },
        { name: 'lines', containerPort: 7000 },
      ],
      readinessProbe: { httpGet: { path: '/ready', port: 9000 }, periodSeconds: 1 },
      ...(preStopSeconds && { lifecycle: { preStop: { sleep: { seconds: preStopSeconds } } } }),
    };
    return { terminationGracePeriodSeconds: 10, containers: [container] };
  }
}

/** The shared port of the resolvers, for requests that name their Service. */
export const sharedPort: Address = { host: `elasti-resolver-service.${installed}.svc`, port: 8012 };
