import { type ObjectAccess, PODS, SERVICES, specOf } from '../controllers';
import { type JsonObject, type StoredObject, asArray, asObject, asString, asStringMap } from '../store';
import { type EnvSources, type Variables, buildContainerEnv } from './container-env';
import { type PodAddresses, type PodEnvironment, type PodToRun } from './pod-runtime';
import { type LinkedPort, buildServiceLinks } from './service-links';

const CONFIG_MAPS = '/configmaps';
const SECRETS = '/secrets';

/** Where a Service's port is reached. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Knows where Services are reached. */
export interface ServiceDirectory {
  /** Undefined for a port that is reached nowhere. */
  addressOf(namespace: string, name: string, port: number): Promise<ServiceAddress | undefined>;
}

/** Makes the environments of pods' containers of what the API holds at the time. */
export class PodEnvironments {
  constructor(
    private readonly access: ObjectAccess,
    private readonly services: ServiceDirectory,
  ) {}

  of(pod: PodToRun, hostAddress: string): PodEnvironment {
    return async ({ addresses, variables }) => {
      const links = pod.spec.enableServiceLinks === false ? {} : await this.linksOf(pod.namespace);
      const container = asObject(asArray(pod.spec.containers)[0]);
      return buildContainerEnv(container, { ...variables, ...links }, this.sourcesFor(pod, addresses, hostAddress));
    };
  }

  private async linksOf(namespace: string): Promise<Variables> {
    const services = [...this.access.store.collection(SERVICES).values()].filter((service) => service.namespace === namespace);
    const links = await Promise.all(
      services.map(async (service) => buildServiceLinks({ name: service.name, ports: await this.linkedPorts(service) })),
    );
    return Object.assign({}, ...links) as Variables;
  }

  private async linkedPorts(service: StoredObject): Promise<LinkedPort[]> {
    const ports = asArray(specOf(service).ports).map(asObject);
    const linked = await Promise.all(
      ports.map(async (port) => {
        const number = Number(port.port);
        const address = await this.services.addressOf(service.namespace, service.name, number);
        const protocol = asString(port.protocol) || 'TCP';
        return address && { name: asString(port.name), number, protocol, host: address.host, reachedAt: address.port };
      }),
    );
    return linked.filter((port) => port !== undefined);
  }

  private sourcesFor(pod: PodToRun, addresses: PodAddresses, hostAddress: string): EnvSources {
    const fields: Record<string, string> = {
      'metadata.name': pod.name,
      'metadata.namespace': pod.namespace,
      'metadata.uid': pod.uid,
      'spec.nodeName': pod.nodeName,
      'spec.serviceAccountName': asString(pod.spec.serviceAccountName),
      'status.hostIP': hostAddress,
      'status.hostIPs': hostAddress,
      'status.podIP': addresses[0],
      'status.podIPs': addresses.join(','),
    };
    return {
      field: (path) => fields[path] ?? this.entryOf(pod, path),
      keys: (kind, name) => this.keysOf(kind, `${pod.namespace}/${name}`),
    };
  }

  /** metadata.labels['a'] and metadata.annotations['b']; one that is not set is empty. */
  private entryOf(pod: PodToRun, path: string): string | undefined {
    const [, map, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
    if (map === undefined || key === undefined) return undefined;
    const metadata: JsonObject = this.access.get(PODS, `${pod.namespace}/${pod.name}`)?.metadata ?? {};
    return asStringMap(metadata[map])[key] ?? '';
  }

  private keysOf(kind: 'ConfigMap' | 'Secret', key: string): Variables | undefined {
    const object = this.access.get(kind === 'ConfigMap' ? CONFIG_MAPS : SECRETS, key)?.object;
    if (!object) return undefined;
    const data = asStringMap(object.data);
    if (kind === 'ConfigMap') return data;
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]));
  }
}
