import { ElastiService } from '@elasti/api';
import { EndpointSlice, isConditionTrue, type KubeClient, Service } from '@elasti/operator-kit';
import { privateServiceLabel, sliceManager } from '../../../apps/operator/src/names';
import { eventually } from '../../eventually';
import { applyYaml, kubectl } from '../kubectl';

const image = process.env.WEB_IMAGE ?? 'localhost/web:e2e';
const name = 'web';

export type Part = 'target' | 'service' | 'elastiservice' | 'namespace';

const kindOf = { target: 'deployment', service: 'service', elastiservice: 'elastiservice' } as const;

/** Every order of these. */
export function ordersOf<T>(things: readonly T[]): T[][] {
  if (things.length <= 1) return [[...things]];
  return things.flatMap((first) => ordersOf(things.filter((other) => other !== first)).map((rest) => [first, ...rest]));
}

/** A namespace with a service that Elasti looks after, all of which is going to be deleted. */
export class Doomed {
  constructor(
    private readonly client: KubeClient,
    readonly namespace: string,
    readonly replicas: 0 | 1,
  ) {}

  async lay(): Promise<void> {
    const { namespace, replicas } = this;
    const metadata = { name, namespace };
    const labels = { app: name };
    const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
    const template = { metadata: { labels }, spec: { containers: [{ name, image, imagePullPolicy: 'IfNotPresent', readinessProbe }] } };
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
    const items = [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas, selector: { matchLabels: labels }, template } },
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] } },
      ElastiService.create(name, { scaleTargetRef, service: name, cooldownPeriod: 3600 }, { namespace }),
    ];
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  /** Asleep with resolvers in the Service, or awake with them standing by. */
  async settled(): Promise<void> {
    const wanted = this.replicas === 0 ? 'proxy' : 'serve';
    await eventually(
      `${this.namespace} in mode ${wanted}`,
      async () => {
        const { status } = await this.client.get(ElastiService, { namespace: this.namespace, name });
        return status?.mode === wanted && isConditionTrue(status.conditions, 'Ready') ? true : undefined;
      },
      90_000,
    );
  }

  /** Deletes the parts one after another, each when the one before is gone; a namespace takes its time while the others go. */
  async goes(order: readonly Part[]): Promise<void> {
    for (const part of order) {
      if (part === 'namespace') await kubectl('delete', 'namespace', this.namespace, '--wait=false');
      else await kubectl('delete', kindOf[part], name, '-n', this.namespace, '--ignore-not-found', '--timeout=60s');
    }
  }

  /** What Elasti has in the namespace. */
  async ours(): Promise<string[]> {
    const { namespace } = this;
    const slices = await this.client.list(EndpointSlice, {
      namespace,
      labelSelector: `endpointslice.kubernetes.io/managed-by=${sliceManager}`,
    });
    const services = await this.client.list(Service, { namespace, labelSelector: privateServiceLabel });
    return [...slices.items, ...services.items].map(({ metadata }) => metadata.name ?? '');
  }

  async gone(): Promise<void> {
    await kubectl('wait', '--for=delete', `namespace/${this.namespace}`, '--timeout=90s');
  }
}
