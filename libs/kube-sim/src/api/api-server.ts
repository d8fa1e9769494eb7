import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type FaultEffect, type FaultSwitches } from '../faults';
import { type RuleTable, questionOf, refusalText } from '../rbac';
import { type SimClock } from '../sim-clock';
import { type SimRequest } from '../sim-request';
import { ApiError, expired, forbidden, notFound, pathMethodNotAllowed, pathNotFound, tooManyRequests, unauthorized } from './api.errors';
import { type Subresource, type Target } from './api-request';
import { type PathHandler, sendPlainNotFound } from './path-handler';
import { type PodLogHandler } from './pod-log-handler';
import { negotiate, negotiatePath } from './representation';
import { parseResourcePath, verbOf } from './request-info';
import { type Exchange, type ResourceHandler } from './resource-handler';
import { type ResourceRegistry } from './resource-registry';
import { type ResourceType, type VersionBehaviour, versionOf } from './resource-type';
import { Responder } from './responder';
import { REVIEWS } from './discovery';
import { type ReviewHandler } from './review-handler';
import { type TableMaker, tableMaker } from './table-maker';

const PLAIN = { shape: 'full', format: 'json', groupVersion: '' } as const;

export interface ApiServerParts {
  readonly registry: ResourceRegistry;
  readonly resources: ResourceHandler;
  readonly paths: PathHandler;
  readonly reviews: ReviewHandler;
  /** Only where pods write something. */
  readonly logs?: PodLogHandler;
  readonly rules: RuleTable;
  readonly faults: FaultSwitches;
  readonly clock: SimClock;
  readonly onRequest: (request: SimRequest) => void;
}

/** Takes HTTP requests through identity, rules and faults to whoever answers them; every failure becomes a Status. */
export class ApiServer {
  constructor(private readonly parts: ApiServerParts) {}

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let responder = new Responder(response, PLAIN, noTable);
    try {
      const url = new URL(incoming.url ?? '/', 'http://sim');
      const request = this.describe(incoming, url);
      this.parts.onRequest(request);
      if (!(await this.passFaults(request, response))) return;
      this.authorize(request);
      responder = this.responderFor(request, incoming, response);
      await this.dispatch({ request, incoming, response, responder });
    } catch (error) {
      this.refuse(response, responder, error);
    }
  }

  private responderFor(request: SimRequest, incoming: IncomingMessage, response: ServerResponse): Responder {
    const { accept } = incoming.headers;
    if (request.resource === '') return new Responder(response, negotiatePath(accept), noTable);
    const representation = negotiate(accept);
    return new Responder(
      response,
      representation,
      representation.shape === 'table' ? tableMaker(request.query, this.parts.clock) : noTable,
    );
  }

  private describe(incoming: IncomingMessage, url: URL): SimRequest {
    const method = incoming.method ?? 'GET';
    const user = this.parts.rules.userOf(incoming.headers.authorization);
    if (user === undefined) throw unauthorized();
    const shared = { method, path: url.pathname, query: url.searchParams, user };
    const place = parseResourcePath(url.pathname);
    if (!place) return { ...shared, verb: 'path', group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
    const verb = verbOf(method, place, url.searchParams);
    if (!verb) throw pathMethodNotAllowed();
    return { ...shared, verb, ...place, resource: place.plural };
  }

  private authorize(request: SimRequest): void {
    const question = questionOf(request);
    if (this.parts.rules.isAllowed(question)) return;
    throw forbidden({ group: request.group, plural: request.resource }, request.name, refusalText(question));
  }

  private async dispatch(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    if (request.resource === '') {
      this.parts.paths.handle(exchange);
      return;
    }
    const review = REVIEWS.find(({ group, plural }) => group === request.group && plural === request.resource);
    if (review) {
      await this.parts.reviews.handle(review.kind, exchange);
      return;
    }
    const { group, resource, subresource } = request;
    if (this.parts.logs && group === '' && resource === 'pods' && subresource === 'log') {
      this.parts.logs.handle(exchange);
      return;
    }
    if (!this.parts.registry.hasVersion(request.group, request.version)) sendPlainNotFound(exchange.response);
    else await this.parts.resources.handle(this.targetOf(request), exchange);
  }

  private targetOf(request: SimRequest): Target {
    const type = this.parts.registry.served(request.group, request.version, request.resource);
    const version = type && versionOf(type, request.version);
    if (!version) throw pathNotFound();
    return { type, version, namespace: request.namespace, name: request.name, subresource: this.subresourceOf(request, type, version) };
  }

  private subresourceOf({ subresource, name }: SimRequest, type: ResourceType, version: VersionBehaviour): Subresource {
    if (subresource === '') return '';
    if (subresource === 'status' && version.hasStatus) return 'status';
    if (subresource === 'scale' && version.scale) return 'scale';
    throw type.custom && (subresource === 'status' || subresource === 'scale') ? notFound(type, name) : pathNotFound();
  }

  /** False when a fault has already ended the exchange. */
  private async passFaults(request: SimRequest, response: ServerResponse): Promise<boolean> {
    for (const effect of this.parts.faults.take(request)) {
      if (effect.kind === 'latency') await this.delay(effect.delayMs, response);
      else if (effect.kind === 'cut') {
        response.destroy();
        return false;
      } else throw faultError(effect, request);
    }
    return !response.destroyed;
  }

  /** Ends early with the connection, so that a stopped server waits for nothing. */
  private delay(delayMs: number, response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.parts.clock.schedule(delayMs, resolve);
      response.once('close', () => {
        cancel();
        resolve();
      });
    });
  }

  private refuse(response: ServerResponse, responder: Responder, error: unknown): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error instanceof WatchFault) {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(`{"type":"ERROR","object":${JSON.stringify(error.toStatus())}}\n`);
      return;
    }
    if (error instanceof ApiError) responder.error(error);
    else
      responder.error(
        new ApiError(500, 'InternalError', `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`),
      );
  }
}

/** For answers that are never tables. */
const noTable: TableMaker = () => ({});

/** A failure that a watch reports inside its stream. */
class WatchFault extends ApiError {}

function faultError(effect: FaultEffect & { kind: 'too-many-requests' | 'server-error' | 'expired' }, request: SimRequest): ApiError {
  switch (effect.kind) {
    case 'too-many-requests':
      return tooManyRequests(effect.retryAfterSeconds);
    case 'server-error':
      return new ApiError(effect.code, effect.code === 503 ? 'ServiceUnavailable' : 'InternalError', 'an injected fault');
    case 'expired': {
      const { code, reason, message } = expired('too old resource version: 1 (2)');
      return request.verb === 'watch' ? new WatchFault(code, reason, message) : expired(message);
    }
  }
}
