import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../store';
import { pathMethodNotAllowed } from './api.errors';
import type { Discovery } from './discovery';
import type { OpenApiHandler } from './open-api-handler';
import type { Exchange } from './resource-handler';

const KUBERNETES_VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.4', gitTreeState: 'clean', platform: 'linux/amd64' };
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Answers paths that are not resources: health, version, discovery and the documents that describe the API. */
export class PathHandler {
  constructor(
    private readonly discovery: Discovery,
    private readonly openApi: OpenApiHandler,
  ) {}

  handle({ request, incoming, response, responder }: Exchange): void {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw pathMethodNotAllowed();
    const path = request.path.replace(/^\/+|\/+$/g, '');
    if (/^(healthz|livez|readyz)(\/|$)/.test(path)) {
      send(response, 200, 'text/plain; charset=utf-8', 'ok');
      return;
    }
    if ((path === 'api' || path === 'apis') && wantsAggregated(incoming)) {
      send(response, 200, AGGREGATED, JSON.stringify(this.discovery.aggregated(path === 'api' ? 'core' : 'named')));
      return;
    }
    const found = this.find(path, incoming.headers.host ?? '');
    if (found) responder.value(200, found);
    else sendPlainNotFound(response);
  }

  private find(path: string, host: string): JsonObject | undefined {
    const [root = '', first, second, ...more] = path.split('/');
    switch (root) {
      case 'version':
        return first === undefined ? KUBERNETES_VERSION : undefined;
      case 'openapi':
        return this.openApi.document(path.slice('openapi/'.length));
      case 'api':
        if (first === undefined) return this.discovery.coreVersions(host);
        return second === undefined ? this.discovery.resourceList('', first) : undefined;
      case 'apis':
        if (first === undefined) return this.discovery.groupList();
        if (second === undefined) return this.discovery.group(first);
        return more.length === 0 ? this.discovery.resourceList(first, second) : undefined;
      default:
        return undefined;
    }
  }
}

function wantsAggregated(incoming: IncomingMessage): boolean {
  return (incoming.headers.accept ?? '')
    .split(',')
    .some((clause) => clause.includes('as=APIGroupDiscoveryList') && /v=v2(;|$)/.test(clause.trim()));
}

/** The answer to a path that belongs to no API at all. */
export function sendPlainNotFound(response: ServerResponse): void {
  send(response, 404, 'text/plain; charset=utf-8', '404 page not found\n');
}

function send(response: ServerResponse, code: number, contentType: string, text: string): void {
  response.writeHead(code, { 'Content-Type': contentType, Vary: 'Accept' });
  response.end(text);
}
