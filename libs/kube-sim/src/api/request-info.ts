import { type Verb } from '../sim-request';
import { badRequest } from './api.errors';

/** Where a resource request points, before anybody knows whether such a resource exists. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Splits `/api/v1/...` and `/apis/group/version/...`; undefined for every other path. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const [root] = parts;
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : (parts[1] ?? '');
  const [version = '', ...rest] = root === 'api' ? parts.slice(1) : parts.slice(2);
  if (rest.length === 0 || version === '') return undefined;
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] ?? '');
  const namespace = inNamespace ? (rest[1] ?? '') : '';
  const [plural = '', name = '', subresource = '', ...tooDeep] = inNamespace ? rest.slice(2) : rest;
  if (tooDeep.length > 0) return undefined;
  return { group, version, plural, namespace, name, subresource };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('400 Bad Request');
  }
}

/** The API's verb for a method; undefined when the method means nothing there. */
export function verbOf(method: string, path: ResourcePath, query: URLSearchParams): Verb | undefined {
  const onOne = path.name !== '';
  switch (method) {
    case 'GET':
      if (onOne) return 'get';
      return isTrue(query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return onOne ? 'delete' : 'deletecollection';
    default:
      return undefined;
  }
}

/** As the API reads a switch in a query: anything but a clear no. */
export const isTrue = (value: string | null): boolean => value !== null && value !== 'false' && value !== '0';
