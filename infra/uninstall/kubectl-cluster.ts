import { execFile } from 'node:child_process';
import type { ClusterAccess, ElastiServiceView } from './cluster-access';
import type { Installed, Manifest } from './installed-objects';

const plural = 'elastiservices.elasti.truefoundry.com';

interface Scaled {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number; readonly availableReplicas?: number };
}

/** A cluster by way of kubectl, which has every kind of credentials and knows every kind of object. */
export class KubectlCluster implements ClusterAccess {
  /** `options` go with every call: `--context`, `--kubeconfig`. */
  constructor(private readonly options: readonly string[]) {}

  async elastiServices(namespaces: readonly string[]): Promise<ElastiServiceView[]> {
    if (!(await this.find<object>('crd', plural))) return [];
    const lists = await Promise.all(scopesOf(namespaces).map((scope) => this.get<{ items: ElastiServiceView[] }>(plural, ...scope)));
    return lists.flatMap(({ items }) => items);
  }

  async deleteElastiServices(services: readonly ElastiServiceView[]): Promise<void> {
    await this.delete(services.map(identityOf), ['--wait=false']);
  }

  async readyOperators({ operator }: Installed): Promise<number> {
    const deployment = await this.find<Scaled>('deployment', operator.name, '-n', operator.namespace);
    return deployment?.status?.availableReplicas ?? 0;
  }

  async targetState({ metadata, spec }: ElastiServiceView): Promise<string> {
    const { apiVersion, kind, name } = spec.scaleTargetRef;
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const target = await this.find<Scaled>(`${kind}.${version}.${group}`, name, '-n', metadata.namespace).catch(() => undefined);
    if (!target) return `its target ${kind} ${name} cannot be found`;
    return `its target ${kind} ${name} has ${target.status?.readyReplicas ?? 0} of ${target.spec?.replicas ?? 0} pods ready`;
  }

  async stop(programs: readonly Manifest[], timeoutSeconds: number): Promise<void> {
    await this.delete(programs.map(identityOf), ['--cascade=foreground', `--timeout=${timeoutSeconds}s`]);
  }

  async remove(objects: readonly Manifest[], timeoutSeconds: number): Promise<void> {
    await this.delete(objects.map(identityOf), [`--timeout=${timeoutSeconds}s`]);
  }

  private async delete(items: readonly object[], options: readonly string[]): Promise<void> {
    if (items.length === 0) return;
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await this.run(['delete', '-f', '-', '--ignore-not-found', ...options], list);
  }

  private async get<T>(...what: string[]): Promise<T> {
    return JSON.parse(await this.run(['get', ...what, '-o', 'json'])) as T;
  }

  private async find<T>(...what: string[]): Promise<T | undefined> {
    const text = await this.run(['get', ...what, '--ignore-not-found', '-o', 'json']);
    return text === '' ? undefined : (JSON.parse(text) as T);
  }

  private run(args: readonly string[], input = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = execFile('kubectl', [...this.options, ...args], { maxBuffer: 256 << 20 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`kubectl ${args.slice(0, 2).join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
        else resolve(stdout);
      });
      child.stdin?.end(input);
    });
  }
}

function identityOf({ apiVersion, kind, metadata: { namespace, name } }: Pick<Manifest, 'apiVersion' | 'kind' | 'metadata'>): object {
  return { apiVersion, kind, metadata: { namespace, name } };
}

function scopesOf(namespaces: readonly string[]): string[][] {
  return namespaces.length === 0 ? [['--all-namespaces']] : namespaces.map((namespace) => ['-n', namespace]);
}
