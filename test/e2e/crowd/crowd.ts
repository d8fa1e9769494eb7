import { ElastiService } from '@elasti/api';
import { Deployment, isConditionTrue, type KubeClient, Pod, type ResourceLike, Service } from '@elasti/operator-kit';
import { eventually } from '../../eventually';
import { applyYaml, kubectl } from '../kubectl';

/** The smallest pod there is. */
const image = process.env.WEB_IMAGE ?? 'localhost/web:e2e';
/** As many writes at a time as an API server on a small machine takes gladly. */
const writers = 8;

/** Many services at zero replicas, in a namespace of their own. */
export class Crowd {
  /** At most how long it takes to close. */
  static readonly leavingMs = 540_000;

  readonly names: string[] = [];

  private constructor(
    private readonly client: KubeClient,
    readonly namespace: string,
  ) {}

  static async open(client: KubeClient, namespace: string): Promise<Crowd> {
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
    return new Crowd(client, namespace);
  }

  /** The targets go first: given back, a thousand pods would need a larger cluster. A namespace would wait for the pods before it deletes the rest. */
  async close(): Promise<void> {
    try {
      await this.dismiss();
    } finally {
      await kubectl('delete', 'namespace', this.namespace, '--timeout=120s');
    }
  }

  private async dismiss(): Promise<void> {
    const { client, namespace } = this;
    for (const kind of ['deployments', 'elastiservices']) await kubectl('delete', kind, '--all', '-n', namespace, '--wait=false');
    // kubectl would wait for a thousand one after another.
    const isLeft = async (kind: ResourceLike) => (await client.list(kind, { namespace, limit: 1 })).items.length > 0;
    await eventually('the crowd gone', async () => ((await isLeft(Pod)) || (await isLeft(ElastiService)) ? undefined : true), 300_000);
  }

  /** Lets the crowd grow to so many. */
  async growTo(size: number): Promise<void> {
    const added = Array.from({ length: size - this.names.length }, (_, position) => `one-${this.names.length + position}`);
    this.names.push(...added);
    const left = added.values();
    const write = async () => {
      for (const name of left) await this.lay(name);
    };
    await Promise.all(Array.from({ length: writers }, write));
  }

  /** Waits until all of them sleep, with the resolvers in their Services. */
  async asleep(signal: AbortSignal): Promise<void> {
    const { client, namespace } = this;
    const sleeping = new Set<string>();
    while (sleeping.size < this.names.length) {
      for await (const event of client.watch(ElastiService, { namespace, signal, resourceVersion: '0' })) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
        const { metadata, status } = event.object;
        if (status?.mode === 'proxy' && isConditionTrue(status.conditions, 'ScaledDown')) sleeping.add(metadata.name ?? '');
        if (sleeping.size === this.names.length) break;
      }
    }
  }

  hostOf(name: string): string {
    return `${name}.${this.namespace}.svc`;
  }

  private async lay(name: string): Promise<void> {
    const { client, namespace } = this;
    const metadata = { name, namespace };
    const labels = { app: name };
    const container = {
      name: 'web',
      image,
      imagePullPolicy: 'IfNotPresent',
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    };
    const template = { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 1 } };
    const spec = { replicas: 0, selector: { matchLabels: labels }, template, revisionHistoryLimit: 0 };
    const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
    const trigger = { type: 'traffic' as const, metadata: { window: '1h' } };
    await client.create(Deployment, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
    await client.create(Service, { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports } });
    await client.create(ElastiService, ElastiService.create(name, { scaleTargetRef, service: name, triggers: [trigger] }, { namespace }));
  }
}
