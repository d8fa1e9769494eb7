import type { KubeObject } from './kube-object';
import { NotFoundError } from './kube.errors';
import { UnknownKindError } from './request.errors';
import type { RequestOptions } from './requests';
import type { ResourceDefinition } from './resource-definition';

export interface ServerVersion {
  major: string;
  minor: string;
  gitVersion: string;
}

export interface ApiGroup {
  name: string;
  versions: { groupVersion: string; version: string }[];
  preferredVersion?: { groupVersion: string; version: string };
}

/** One resource (or, with a slash in its name, subresource) of a group version. */
export interface ApiResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  group?: string;
  version?: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
}

type Get = <R>(path: string, options?: RequestOptions) => Promise<R>;

/**
 * What an API server offers.
 *
 * The resources of a group version are remembered; a kind that is missing there is looked for once more on the server, since it may have been installed meanwhile.
 */
export class Discovery {
  private readonly resourcesOf = new Map<string, ApiResource[]>();

  constructor(private readonly get: Get) {}

  serverVersion(options?: RequestOptions): Promise<ServerVersion> {
    return this.get('/version', options);
  }

  /** The named groups; the core group (`v1`) is not among them. */
  async groups(options?: RequestOptions): Promise<ApiGroup[]> {
    const { groups } = await this.get<{ groups: ApiGroup[] }>('/apis', options);
    return groups;
  }

  /** @throws NotFoundError for a group version the server does not have */
  async resources(groupVersion: string, options?: RequestOptions): Promise<ApiResource[]> {
    const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    const { resources } = await this.get<{ resources: ApiResource[] }>(path, options);
    return resources;
  }

  /** How to address a kind. @throws UnknownKindError */
  async resourceFor<T extends KubeObject = KubeObject>(
    apiVersion: string,
    kind: string,
    options?: RequestOptions,
  ): Promise<ResourceDefinition<T>> {
    const remembered = this.resourcesOf.get(apiVersion);
    const known = remembered && definitionIn<T>(remembered, apiVersion, kind);
    if (known) return known;

    const resources = await this.reload(apiVersion, kind, options);
    const found = definitionIn<T>(resources, apiVersion, kind);
    if (!found) throw new UnknownKindError(apiVersion, kind);
    return found;
  }

  private async reload(apiVersion: string, kind: string, options: RequestOptions | undefined): Promise<ApiResource[]> {
    try {
      const resources = await this.resources(apiVersion, options);
      this.resourcesOf.set(apiVersion, resources);
      return resources;
    } catch (error) {
      if (error instanceof NotFoundError) throw new UnknownKindError(apiVersion, kind);
      throw error;
    }
  }
}

function definitionIn<T extends KubeObject>(resources: ApiResource[], apiVersion: string, kind: string): ResourceDefinition<T> | undefined {
  const resource = resources.find((candidate) => candidate.kind === kind && !candidate.name.includes('/'));
  if (!resource) return undefined;
  const slash = apiVersion.indexOf('/');
  return Object.freeze({
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind,
    plural: resource.name,
    namespaced: resource.namespaced,
  });
}
