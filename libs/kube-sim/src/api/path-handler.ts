import { type ServerResponse } from 'node:http';
import { pathMethodNotAllowed } from './api.errors';
import { type Discovery } from './discovery';
import { type Exchange } from './resource-handler';

export const KUBERNETES_VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.4' };

/** Answers paths that are not resources: health, version, discovery. */
export class PathHandler {
  constructor(private readonly discovery: Discovery) {}

  handle({ request, incoming, response, responder }: Exchange): void {
    const path = request.path.replace(/\/+$/, '') || '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') throw pathMethodNotAllowed();
    const wantsAggregated =
      (incoming.headers.accept ?? '').includes('as=APIGroupDiscoveryList') && /v=v2\b/.test(incoming.headers.accept ?? '');
    const [root, first, second] = path.split('/').slice(1);

    if (root === 'healthz' || root === 'livez' || root === 'readyz') {
      response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end('ok');
    } else if (path === '/version') responder.value(200, { ...KUBERNETES_VERSION });
    else if ((path === '/api' || path === '/apis') && wantsAggregated) {
      const text = JSON.stringify(this.discovery.aggregated(path === '/api' ? 'core' : 'named'));
      response.writeHead(200, { 'Content-Type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', Vary: 'Accept' });
      response.end(text);
    } else if (path === '/api') responder.value(200, this.discovery.coreVersions(incoming.headers.host ?? ''));
    else if (path === '/apis') responder.value(200, this.discovery.groupList());
    else {
      const found =
        root === 'api' && first !== undefined && second === undefined
          ? this.discovery.resourceList('', first)
          : root === 'apis' && first !== undefined
            ? second === undefined
              ? this.discovery.group(first)
              : this.discovery.resourceList(first, second)
            : undefined;
      if (!found) {
        sendPlainNotFound(response);
        return;
      }
      responder.value(200, found);
    }
  }
}

/** The answer to a path that belongs to no API at all. */
export function sendPlainNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' });
  response.end('404 page not found\n');
}
