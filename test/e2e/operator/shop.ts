import { ElastiService, type ElastiServiceSpec } from '@elasti/api';
import {
  CustomResourceDefinition,
  Deployment,
  EndpointSlice,
  findCondition,
  type KubeClient,
  type ResourceDefinition,
  Service,
} from '@elasti/operator-kit';
import { privateServiceName } from '../../../apps/operator/src/controller/resources/child-names';
import { sliceRoleLabel } from '../../../apps/operator/src/names';
import { eventually } from '../../eventually';
import { EndpointLog } from '../../fixtures/elasti-world/endpoint-log';
import { rolloutCrd, ScaledObject, scaledObjectCrd } from '../../fixtures/elasti-world/foreign-kinds';
import { applyYaml, kubectl } from '../kubectl';

const webImage = process.env.WEB_IMAGE ?? 'localhost/web:e2e';
const foreignCrds = [rolloutCrd(), scaledObjectCrd()];
/** Long enough for a slow machine that also changes its leader. */
const patienceMs = 90_000;

const trafficTrigger = (window: string) => ({ type: 'traffic' as const, metadata: { window } });

/** A namespace with services to put to sleep, and a witness of their EndpointSlices. */
export class Shop {
  private constructor(
    readonly client: KubeClient,
    readonly namespace: string,
    readonly log: EndpointLog,
  ) {}

  static async open(client: KubeClient, namespace: string): Promise<Shop> {
    const namespaceObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [namespaceObject, ...foreignCrds] }));
    for (const { metadata } of foreignCrds) {
      await kubectl('wait', '--for=condition=Established', `crd/${metadata.name ?? ''}`, '--timeout=30s');
    }
    return new Shop(client, namespace, new EndpointLog(client, namespace));
  }

  async close(): Promise<void> {
    await this.log.stop();
    await kubectl('delete', 'elastiservices', '--all', '-n', this.namespace, '--timeout=60s');
    await kubectl('delete', 'namespace', this.namespace, '--timeout=60s');
    for (const { metadata } of foreignCrds) await this.client.delete(CustomResourceDefinition, { name: metadata.name ?? '' });
  }

  /** A workload of web pods, and a Service before it. */
  async deploy(name: string, kind: 'Deployment' | 'StatefulSet' = 'Deployment'): Promise<void> {
    const { namespace } = this;
    const metadata = { name, namespace };
    const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template: webPod(name) };
    const workload = { apiVersion: 'apps/v1', kind, metadata, spec: kind === 'StatefulSet' ? { ...spec, serviceName: name } : spec };
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [workload, this.serviceOf(name)] }));
  }

  /** A Rollout, for which somebody must play Argo, and a Service before its pods. */
  async deployRollout(name: string): Promise<void> {
    const metadata = { name, namespace: this.namespace };
    const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template: webPod(name) };
    const rollout = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata, spec };
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [rollout, this.serviceOf(name)] }));
  }

  async scaledObject(name: string, minReplicaCount: number): Promise<void> {
    await this.client.create(ScaledObject, {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: { name, namespace: this.namespace },
      spec: { scaleTargetRef: { name }, minReplicaCount },
    });
  }

  /** An ElastiService for the Deployment and Service of its name; `window` is how long nobody may come before it sleeps. */
  async manage(name: string, { window, ...spec }: Partial<ElastiServiceSpec> & { window?: string } = {}): Promise<void> {
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name };
    const triggers = window === undefined ? undefined : [trafficTrigger(window)];
    const object = ElastiService.create(
      name,
      { scaleTargetRef: target, service: name, cooldownPeriod: 1, triggers, ...spec },
      { namespace: this.namespace },
    );
    await this.client.create(ElastiService, object);
  }

  /** Once it is awake, it stays so for as long as these tests run. */
  async stayAwakeNextTime(name: string): Promise<void> {
    const patch = { type: 'merge' as const, body: { spec: { cooldownPeriod: 3600 } } };
    await this.client.patch(ElastiService, { namespace: this.namespace, name }, patch);
  }

  find(name: string): Promise<ElastiService | undefined> {
    return this.client.find(ElastiService, { namespace: this.namespace, name });
  }

  /** Scaled to zero, with the resolvers in the Service. */
  async asleep(name: string, kind: ResourceDefinition = Deployment): Promise<void> {
    await this.inMode(name, 'proxy', 'True');
    await eventually(`${name} has no replicas`, async () => ((await this.replicasOf(name, kind)) === 0 ? true : undefined), patienceMs);
  }

  /** Its pods serve, and the resolvers stand by. */
  async awake(name: string): Promise<void> {
    await this.inMode(name, 'serve', 'False');
  }

  /** The resolvers are in the Service as its last resort. */
  async standsBy(name: string): Promise<void> {
    await eventually(`resolvers stand by for ${name}`, async () => ((await this.slices(name)).standby?.length ? true : undefined));
  }

  async replicasOf(name: string, kind: ResourceDefinition = Deployment): Promise<number> {
    return (await this.client.getScale(kind, { namespace: this.namespace, name })).spec.replicas ?? 0;
  }

  privateService(name: string): Promise<Service | undefined> {
    return this.client.find(Service, { namespace: this.namespace, name: privateServiceName(name) });
  }

  annotationsOf(name: string): Promise<Record<string, string>> {
    return this.client.get(ScaledObject, { namespace: this.namespace, name }).then(({ metadata }) => metadata.annotations ?? {});
  }

  /** The addresses in a Service's slices, by role; `pods` for those that Kubernetes makes. */
  async slices(name: string): Promise<Record<string, string[]>> {
    const { items } = await this.client.list(EndpointSlice, {
      namespace: this.namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
    });
    const roles = items.map((slice) => ({ role: slice.metadata.labels?.[sliceRoleLabel] ?? 'pods', endpoints: slice.endpoints ?? [] }));
    return Object.fromEntries(roles.map(({ role, endpoints }) => [role, endpoints.flatMap(({ addresses }) => addresses).sort()]));
  }

  private async inMode(name: string, mode: 'serve' | 'proxy', scaledDown: 'True' | 'False'): Promise<void> {
    let last: ElastiService['status'];
    const look = async () => {
      last = (await this.find(name))?.status;
      const condition = findCondition(last?.conditions, 'ScaledDown');
      return last?.mode === mode && condition?.status === scaledDown ? true : undefined;
    };
    await eventually(`${name} in mode ${mode}`, look, patienceMs).catch((error: unknown) => {
      throw new Error(`${name} did not come to mode ${mode}; its status is ${JSON.stringify(last)}`, { cause: error });
    });
  }

  private serviceOf(name: string): object {
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: this.namespace },
      spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    };
  }
}

function webPod(name: string): { metadata: { labels: Record<string, string> }; spec: { containers: [object] } } {
  const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
  const container = { name: 'web', image: webImage, imagePullPolicy: 'IfNotPresent', ports: [{ containerPort: 8080 }], readinessProbe };
  return { metadata: { labels: { app: name } }, spec: { containers: [container] } };
}
