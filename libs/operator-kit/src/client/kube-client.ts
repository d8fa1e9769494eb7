import type { KitMetrics } from '../metrics';
import { type ClientOptions, transportFor } from './client-options';
import { Discovery } from './discovery';
import type { KubeReader, KubeWriter } from './kube-access';
import { NotFoundError } from './kube.errors';
import type { KubeList, KubeObject, ObjectRef } from './kube-object';
import { type KubeConfigOptions, loadKubeConfig } from './kubeconfig';
import { listPages } from './list-pages';
import type * as requests from './requests';
import { collectionPath, creationPath, objectPath, queryString, writtenRef } from './resource-path';
import { apiVersionOf, definitionOf, type ResourceLike } from './resource-definition';
import type { ServerOptions } from './server-options';
import type { HttpMethod, KubeRequest, Transport, Verb } from './transport';
import { WatchEvents } from './watch-events';

export interface RawOptions extends requests.RequestOptions {
  query?: Record<string, string | number | boolean | undefined>;
  contentType?: string;
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;
const applyType = 'application/apply-patch+yaml';

const rawVerbs: Record<HttpMethod, Verb> = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/**
 * A Kubernetes client over one keep-alive pool: raw JSON in and out.
 *
 * Mistakes that no server could accept (a missing namespace, a name with a slash) are an InvalidRequestError before anything is sent.
 * Objects given to it are never changed. `close` leaves no socket open.
 */
export class KubeClient implements KubeReader, KubeWriter {
  private readonly discoveryOfServer: Discovery;

  constructor(
    private readonly transport: Transport,
    /** The namespace of the kubeconfig's context, or of the pod this runs in. Nothing is sent there unless asked to. */
    readonly defaultNamespace?: string,
  ) {
    this.discoveryOfServer = new Discovery((path, options) => this.raw('GET', path, undefined, options));
  }

  /** A client for a server whose address and credentials are known. */
  static forServer(options: ServerOptions & ClientOptions): KubeClient {
    return new KubeClient(transportFor(options));
  }

  /** A client for the cluster that the kubeconfig, the environment or the pod says. */
  static async fromKubeConfig(options: KubeConfigOptions & ClientOptions = {}): Promise<KubeClient> {
    const server = await loadKubeConfig(options);
    return new KubeClient(transportFor({ ...options, ...server }), server.namespace);
  }

  /** What its requests are counted in. */
  get metrics(): KitMetrics {
    return this.transport.metrics;
  }

  async get<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: requests.RequestOptions): Promise<T> {
    return this.send<T>({ method: 'GET', verb: 'get', path: objectPath(definitionOf(resource), ref) }, options);
  }

  async find<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: requests.RequestOptions): Promise<T | undefined> {
    try {
      return await this.get(resource, ref, options);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(resource: ResourceLike<T>, options: requests.ListOptions = {}): Promise<KubeList<T>> {
    const definition = definitionOf(resource);
    const { namespace, labelSelector, fieldSelector, limit, continue: token, resourceVersion, resourceVersionMatch } = options;
    const query = queryString({ labelSelector, fieldSelector, limit, continue: token, resourceVersion, resourceVersionMatch });
    const list = await this.send<WireList<T>>({ method: 'GET', verb: 'list', path: collectionPath(definition, namespace), query }, options);
    return completed(list, apiVersionOf(definition), definition.kind);
  }

  listAll<T extends KubeObject>(resource: ResourceLike<T>, options: requests.ScopeOptions & { pageSize?: number } = {}): AsyncIterable<T> {
    const { pageSize, ...scope } = options;
    return listPages((page) => this.list(resource, { ...scope, ...page }), pageSize);
  }

  watch<T extends KubeObject>(resource: ResourceLike<T>, options: requests.WatchOptions = {}): AsyncIterable<requests.WatchEvent<T>> {
    const { namespace, labelSelector, fieldSelector, signal, timeoutMs, managedFields, ...version } = options;
    const path = collectionPath(definitionOf(resource), namespace);
    const { allowWatchBookmarks, resourceVersion, resourceVersionMatch, sendInitialEvents, timeoutSeconds } = version;
    const query = queryString({
      watch: true,
      labelSelector,
      fieldSelector,
      allowWatchBookmarks,
      resourceVersion,
      resourceVersionMatch,
      sendInitialEvents,
      timeoutSeconds,
    });
    const request = { method: 'GET', verb: 'watch', path, query, timeoutMs, managedFields } as const;
    return { [Symbol.asyncIterator]: () => new WatchEvents((closing) => this.transport.open<T>({ ...request, signal: closing }), signal) };
  }

  async getScale(resource: ResourceLike, ref: ObjectRef, options?: requests.RequestOptions): Promise<requests.Scale> {
    return this.send({ method: 'GET', verb: 'get', path: objectPath(definitionOf(resource), ref, 'scale') }, options);
  }

  async create<T extends KubeObject>(resource: ResourceLike<T>, object: T, options?: requests.WriteOptions): Promise<T> {
    const path = creationPath(definitionOf(resource), object);
    return this.send({ method: 'POST', verb: 'create', path, query: writeQuery(options), body: object }, options);
  }

  async replace<T extends KubeObject>(resource: ResourceLike<T>, object: T, options?: requests.WriteOptions): Promise<T> {
    const definition = definitionOf(resource);
    const path = objectPath(definition, writtenRef(definition, object));
    return this.send({ method: 'PUT', verb: 'update', path, query: writeQuery(options), body: object }, options);
  }

  async replaceStatus<T extends KubeObject>(resource: ResourceLike<T>, object: T, options?: requests.WriteOptions): Promise<T> {
    const definition = definitionOf(resource);
    const path = objectPath(definition, writtenRef(definition, object), 'status');
    return this.send({ method: 'PUT', verb: 'update', path, query: writeQuery(options), body: object }, options);
  }

  apply<T extends KubeObject>(resource: ResourceLike<T>, object: T, options: requests.ApplyOptions & requests.Unread): Promise<unknown>;
  apply<T extends KubeObject>(resource: ResourceLike<T>, object: T, options: requests.ApplyOptions): Promise<T>;
  async apply<T extends KubeObject>(resource: ResourceLike<T>, object: T, options: requests.ApplyOptions): Promise<T> {
    const definition = definitionOf(resource);
    const path = objectPath(definition, writtenRef(definition, object), options.subresource);
    const query = writeQuery(options, { force: options.force });
    return this.send({ method: 'PATCH', verb: 'apply', path, query, body: object, contentType: applyType }, options);
  }

  patch<T extends KubeObject>(
    resource: ResourceLike<T>,
    ref: ObjectRef,
    patch: requests.Patch,
    options: requests.PatchOptions & requests.Unread,
  ): Promise<unknown>;
  patch<T extends KubeObject>(
    resource: ResourceLike<T>,
    ref: ObjectRef,
    patch: requests.Patch,
    options?: requests.PatchOptions,
  ): Promise<T>;
  async patch<T extends KubeObject>(
    resource: ResourceLike<T>,
    ref: ObjectRef,
    patch: requests.Patch,
    options?: requests.PatchOptions,
  ): Promise<T> {
    const path = objectPath(definitionOf(resource), ref, options?.subresource);
    const body = patch.type === 'json' ? patch.operations : patch.body;
    return this.send(
      { method: 'PATCH', verb: 'patch', path, query: writeQuery(options), body, contentType: patchTypes[patch.type] },
      options,
    );
  }

  async delete<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: requests.DeleteOptions): Promise<T | undefined> {
    const path = objectPath(definitionOf(resource), ref);
    const answer = await this.send<T | undefined>({ method: 'DELETE', verb: 'delete', path, body: deleteBody(options) }, options);
    return answer?.kind === 'Status' ? undefined : answer;
  }

  async deleteAll(resource: ResourceLike, options: requests.ScopeOptions & requests.DeleteOptions): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = options;
    const path = collectionPath(definitionOf(resource), namespace);
    const query = queryString({ labelSelector, fieldSelector });
    await this.send({ method: 'DELETE', verb: 'deletecollection', path, query, body: deleteBody(options) }, options);
  }

  replaceScale(
    resource: ResourceLike,
    ref: ObjectRef,
    scale: requests.Scale,
    options: requests.WriteOptions & requests.Unread,
  ): Promise<unknown>;
  replaceScale(resource: ResourceLike, ref: ObjectRef, scale: requests.Scale, options?: requests.WriteOptions): Promise<requests.Scale>;
  async replaceScale(
    resource: ResourceLike,
    ref: ObjectRef,
    scale: requests.Scale,
    options?: requests.WriteOptions,
  ): Promise<requests.Scale> {
    const path = objectPath(definitionOf(resource), ref, 'scale');
    return this.send({ method: 'PUT', verb: 'update', path, query: writeQuery(options), body: scale }, options);
  }

  /** For reviews and unusual subresources. `path` is absolute, without a query. */
  async raw<R = unknown>(method: HttpMethod, path: string, body?: unknown, options?: RawOptions): Promise<R> {
    const query = options?.query && queryString(options.query);
    return this.send<R>({ method, verb: rawVerbs[method], path, query, body, contentType: options?.contentType }, options);
  }

  /** What this server offers; answers are remembered. */
  discovery(): Discovery {
    return this.discoveryOfServer;
  }

  /** Cuts off what is running. */
  close(): Promise<void> {
    return this.transport.close();
  }

  private async send<R>(request: KubeRequest, options: (requests.RequestOptions & Partial<requests.Unread>) | undefined): Promise<R> {
    request.signal = options?.signal;
    request.timeoutMs = options?.timeoutMs;
    request.answer = options?.answer;
    return (await this.transport.send(request)) as R;
  }
}

/** A list as it travels: an empty one may have null for items, and items say neither apiVersion nor kind. */
interface WireList<T extends KubeObject> extends Omit<KubeList<T>, 'items'> {
  items: (Omit<T, 'apiVersion' | 'kind'> & { apiVersion?: string; kind?: string })[] | null;
}

function completed<T extends KubeObject>(list: WireList<T>, apiVersion: string, kind: string): KubeList<T> {
  list.items ??= [];
  for (const item of list.items) {
    item.apiVersion ??= apiVersion;
    item.kind ??= kind;
  }
  return list as KubeList<T>;
}

function writeQuery(options: requests.WriteOptions | undefined, more?: { force?: boolean }): string | undefined {
  if (!options) return undefined;
  const { dryRun, fieldManager, fieldValidation } = options;
  return queryString({ dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation, ...more });
}

function deleteBody(options: requests.DeleteOptions | undefined): object | undefined {
  if (!options) return undefined;
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  if (!preconditions && !propagationPolicy && gracePeriodSeconds === undefined && !dryRun) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions,
    propagationPolicy,
    gracePeriodSeconds,
    dryRun: dryRun ? ['All'] : undefined,
  };
}
