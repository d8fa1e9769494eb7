import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type SimClock } from '../sim-clock';
import { type SimRequest } from '../sim-request';
import { type JsonObject, type ObjectStore, type StoredObject, asObject, asString } from '../store';
import { badRequest, invalid, notFound, pathMethodNotAllowed, pathNotFound, tooLargeVersion } from './api.errors';
import { type Target, type WriteOptions } from './api-request';
import { toServed } from './conversion';
import { duplicateFields } from './duplicate-fields';
import { parseDeleteOptions } from './delete-options';
import { type ObjectDeleter } from './object-deleter';
import { type ObjectLister, checkWatchOptions, parseVersion, selectionOf } from './object-lister';
import { APPLY_PATCH, type ObjectPatcher } from './object-patcher';
import { type ObjectWriter, type Written } from './object-writer';
import { checkName } from './object-metadata';
import { mediaTypeOf, parseObject, parseText, readBody } from './request-body';
import { type ResourceType, type ScalePaths, groupVersion } from './resource-type';
import { type Responder } from './responder';
import { checkScale, scaleOf, withScale } from './scale';
import { WatchStream, type WatchSettings } from './watch-stream';
import { parseWriteOptions } from './write-options';

export interface Exchange {
  readonly request: SimRequest;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly responder: Responder;
}

/** The verbs of resources, over the parts that do the work. */
export class ResourceHandler {
  private readonly streams = new Set<WatchStream>();

  constructor(
    private readonly store: ObjectStore,
    private readonly lister: ObjectLister,
    private readonly writer: ObjectWriter,
    private readonly patcher: ObjectPatcher,
    private readonly deleter: ObjectDeleter,
    private readonly clock: SimClock,
    private readonly watchSettings: WatchSettings,
  ) {}

  get openStreams(): readonly WatchStream[] {
    return [...this.streams];
  }

  /** Ends the watches of a resource, whose clients then begin again with what it has become. */
  endWatchesOf(storageId: string): void {
    for (const stream of this.openStreams) if (stream.storageId === storageId) stream.end();
  }

  async handle(target: Target, exchange: Exchange): Promise<void> {
    this.checkScope(target, exchange.request);
    if (target.version.deprecationWarning !== undefined) exchange.responder.warn([target.version.deprecationWarning]);
    if (target.subresource === 'scale') {
      await this.handleScale(target, exchange);
      return;
    }
    switch (exchange.request.verb) {
      case 'get':
        this.checkVersionReached(exchange.request.query);
        exchange.responder.object(200, target, this.read(target));
        return;
      case 'list':
        await exchange.responder.list(target, this.lister.list(target, exchange.request.query));
        return;
      case 'watch':
        this.watch(target, exchange);
        return;
      case 'create':
        await this.create(target, exchange);
        return;
      case 'update':
        await this.update(target, exchange);
        return;
      case 'patch':
        await this.patch(target, exchange);
        return;
      case 'delete':
        await this.delete(target, exchange);
        return;
      case 'deletecollection':
        await this.deleteCollection(target, exchange);
        return;
      case 'path':
        throw pathNotFound();
    }
  }

  private checkScope(target: Target, { verb }: SimRequest): void {
    const { type, namespace, name, subresource } = target;
    if (type.namespaced && namespace === '' && (name !== '' || verb === 'create' || verb === 'deletecollection')) {
      throw name === '' ? pathMethodNotAllowed() : pathNotFound();
    }
    if (!type.namespaced && namespace !== '') throw pathNotFound();
    if (subresource === '' && !type.verbs.includes(verb)) throw pathMethodNotAllowed();
    if (name !== '' && verb === 'create') throw pathMethodNotAllowed();
    if (name === '' && (verb === 'update' || verb === 'patch')) throw pathMethodNotAllowed();
  }

  private read({ type, namespace, name }: Target): StoredObject {
    const stored = this.store.get(type.storageId, namespace, name);
    if (!stored) throw notFound(type, name);
    return stored;
  }

  private checkVersionReached(query: URLSearchParams): void {
    const asked = parseVersion(query.get('resourceVersion'));
    if (asked !== undefined && asked > this.store.currentVersion) throw tooLargeVersion(asked, this.store.currentVersion);
  }

  private watch(target: Target, { request, response, responder }: Exchange): void {
    checkWatchOptions(request.query);
    const stream = new WatchStream(
      request,
      target,
      this.store,
      response,
      responder.encode(target),
      this.clock,
      this.watchSettings,
      (closed) => this.streams.delete(closed),
    );
    this.streams.add(stream);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    stream.start();
  }

  private async create(target: Target, { request, incoming, responder }: Exchange): Promise<void> {
    const options = parseWriteOptions(request, incoming.headers['user-agent']);
    const { body, duplicates } = await this.objectBody(target, incoming);
    this.respond(target, this.writer.create(target, body, { ...options, duplicateFields: duplicates }), responder);
  }

  private async update(target: Target, { request, incoming, responder }: Exchange): Promise<void> {
    const options = parseWriteOptions(request, incoming.headers['user-agent']);
    const { body, duplicates } = await this.objectBody(target, incoming);
    this.respond(target, this.writer.update(target, body, { ...options, duplicateFields: duplicates }), responder);
  }

  private async patch(target: Target, { request, incoming, responder }: Exchange): Promise<void> {
    const options = parseWriteOptions(request, incoming.headers['user-agent']);
    const text = await readBody(incoming);
    const written = this.patcher.patch(target, text, mediaTypeOf(incoming), options, request.query);
    this.respond(target, written, responder);
  }

  private async delete(target: Target, { request, incoming, responder }: Exchange): Promise<void> {
    const options = parseDeleteOptions(await this.optionalBody(incoming), request.query);
    const { object, outcome } = this.deleter.delete(target, options);
    if (outcome === 'pending' || target.type.deleteAnswer === 'object') {
      responder.object(200, target, object);
      return;
    }
    const { group, plural } = target.type;
    const details: JsonObject = { name: object.name, ...(group === '' ? {} : { group }), kind: plural, uid: object.uid };
    responder.value(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  }

  private async deleteCollection(target: Target, { request, incoming, responder }: Exchange): Promise<void> {
    const options = parseDeleteOptions(await this.optionalBody(incoming), request.query);
    const { filter } = selectionOf(target, request.query);
    const selected = [...this.store.collection(target.type.storageId).values()].filter(filter);
    const items = selected.map(
      (stored) => this.deleter.delete({ ...target, namespace: stored.namespace, name: stored.name }, options).object,
    );
    await responder.list(target, { items, resourceVersion: this.store.currentVersion });
  }

  private async handleScale(target: Target, { request, incoming, responder }: Exchange): Promise<void> {
    const paths = target.version.scale;
    if (!paths) throw pathNotFound();
    const current = this.read(target);
    if (request.verb === 'get') {
      responder.value(200, scaleOf(target, paths, current));
      return;
    }
    if (request.verb !== 'update' && request.verb !== 'patch') throw pathMethodNotAllowed();
    const options = parseWriteOptions(request, incoming.headers['user-agent']);
    const text = await readBody(incoming);
    const written =
      mediaTypeOf(incoming) === APPLY_PATCH
        ? this.patcher.applyScale(target, paths, text, options, request.query.get('fieldManager') ?? '')
        : this.writeScale(target, paths, this.newScale(target, paths, request.verb, text, mediaTypeOf(incoming)), options);
    responder.value(200, scaleOf(target, paths, written.object));
  }

  private writeScale(target: Target, paths: ScalePaths, scale: JsonObject, options: WriteOptions): Written {
    checkScale(target, paths, scale);
    const current = this.read(target);
    return this.writer.replace(
      target,
      current,
      withScale(paths, toServed(target.type, target.version.name, current.object), scale),
      options,
    );
  }

  private newScale(target: Target, paths: ScalePaths, verb: 'update' | 'patch', text: string, mediaType: string): JsonObject {
    if (verb === 'update') {
      const scale = parseObject(text, mediaType, 'Scale');
      checkName(target.name, asObject(scale.metadata));
      return scale;
    }
    return this.patcher.patched(target, scaleOf(target, paths, this.read(target)), parseText(text, JSON.parse), mediaType);
  }

  private respond(target: Target, written: Written, responder: Responder): void {
    responder.warn(written.warnings);
    responder.object(written.outcome === 'created' ? 201 : 200, target, written.object);
  }

  private async objectBody(target: Target, incoming: IncomingMessage): Promise<{ body: JsonObject; duplicates: string[] }> {
    const text = await readBody(incoming);
    const mediaType = mediaTypeOf(incoming);
    const body = this.typed(target, parseObject(text, mediaType, target.type.kind));
    return { body, duplicates: mediaType === 'application/json' ? duplicateFields(text) : [] };
  }

  private async optionalBody(incoming: IncomingMessage): Promise<JsonObject | undefined> {
    const text = await readBody(incoming);
    return text === '' ? undefined : parseObject(text, mediaTypeOf(incoming), 'DeleteOptions');
  }

  /** A body may leave out what the path already says, and must not say anything else. */
  private typed({ type, version }: Target, body: JsonObject): JsonObject {
    const expected = groupVersion(type.group, version.name);
    if (type.custom) return this.typedCustom(type, expected, body);
    const apiVersion = asString(body.apiVersion) || expected;
    const kind = asString(body.kind) || type.kind;
    if (apiVersion === expected && kind === type.kind) return { ...body, apiVersion, kind };
    const why =
      apiVersion === expected
        ? `converting (${version.name}.${kind}) to (core.${type.kind}): unknown conversion`
        : `no kind "${kind}" is registered for version "${apiVersion}"`;
    throw badRequest(`${kind} in version "${version.name}" cannot be handled as a ${type.kind}: ${why}`);
  }

  /** Custom resources are known by nothing but what they say of themselves. */
  private typedCustom(type: ResourceType, expected: string, body: JsonObject): JsonObject {
    const { apiVersion, kind } = body;
    if (asString(kind) === '' || asString(apiVersion) === '') {
      const missing = asString(kind) === '' ? 'Kind' : 'apiVersion';
      const text = JSON.stringify(body);
      throw badRequest(
        `the object provided is unrecognized (must be of type ${type.kind}): Object '${missing}' is missing in '${text}' (${text.slice(0, 30)} ...)`,
      );
    }
    if (apiVersion !== expected) {
      throw badRequest(`the API version in the data (${asString(apiVersion)}) does not match the expected API version (${expected})`);
    }
    if (kind === type.kind) return body;
    throw invalid(type.group, asString(kind), asString(asObject(body.metadata).name), [
      { field: 'kind', reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(kind)}: must be ${type.kind}` },
    ]);
  }
}
