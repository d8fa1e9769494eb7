import { createHash } from 'node:crypto';
import { objectAt } from '../schema';
import type { JsonObject } from '../schema';
import { refTo, v2, v3 } from './dialect';
import type { Dialect } from './dialect';
import { schemasOfKinds } from './kind-schemas';
import { groupVersionOf, gvkOf, rootPathOf, schemaNameOf } from './served-kind';
import type { ServedKind } from './served-kind';

const INFO: JsonObject = { title: 'Kubernetes', version: 'unversioned' };
const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force'];

/** The index at /openapi/v3: one document for each group and version, named by where it is served. */
export function openApiV3Index(kinds: readonly ServedKind[]): JsonObject {
  const paths: JsonObject = {};
  for (const [root, served] of Map.groupBy(kinds, rootPathOf)) {
    const [first] = served;
    if (first === undefined) continue;
    const hash = createHash('sha256')
      .update(JSON.stringify(openApiV3(groupVersionOf(first), kinds)))
      .digest('hex')
      .toUpperCase();
    paths[root] = { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` };
  }
  return { paths };
}

/**
 * The OpenAPI v3 document of one group and version (`apps/v1`, `v1`). It names the write parameters, so that kubectl leaves validation and
 * dry runs to the server, and the merge extensions, so that kubectl apply merges lists as the server would. Descriptions are left out.
 */
export function openApiV3(groupVersion: string, kinds: readonly ServedKind[]): JsonObject {
  const served = kinds.filter((kind) => groupVersionOf(kind) === groupVersion);
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: pathsOf(served, v3, (schema) => ({
      requestBody: { content: { 'application/json': { schema } } },
      responses: { '200': { description: 'OK', content: { 'application/json': { schema } } } },
    })),
    components: { schemas: schemasOfKinds(v3, served) },
  };
}

/** The one OpenAPI v2 document at /openapi/v2, for older clients. */
export function openApiV2(kinds: readonly ServedKind[]): JsonObject {
  return {
    swagger: '2.0',
    info: INFO,
    paths: pathsOf(kinds, v2, (schema) => ({ responses: { '200': { description: 'OK', schema } } })),
    definitions: schemasOfKinds(v2, kinds),
  };
}

type Body = (schema: JsonObject) => JsonObject;

function pathsOf(kinds: readonly ServedKind[], dialect: Dialect, body: Body): JsonObject {
  const paths: JsonObject = {};
  for (const kind of kinds) {
    const list = `/${rootPathOf(kind)}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`;
    const schema = refTo(dialect, schemaNameOf(kind));
    const operation = (action: string, parameters: readonly string[]): JsonObject => ({
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': gvkOf(kind),
      parameters: parameters.map((name) => parameter(dialect, name)),
      ...(action === 'list' || action === 'get' ? { responses: objectAt(body(schema), 'responses') ?? {} } : body(schema)),
    });
    paths[list] = { get: operation('list', []), post: operation('post', WRITE_PARAMETERS.slice(0, 3)) };
    paths[`${list}/{name}`] = {
      get: operation('get', []),
      put: operation('put', WRITE_PARAMETERS.slice(0, 3)),
      patch: operation('patch', WRITE_PARAMETERS),
      delete: operation('delete', ['dryRun']),
    };
  }
  return paths;
}

function parameter(dialect: Dialect, name: string): JsonObject {
  const type = name === 'force' ? 'boolean' : 'string';
  return { name, in: 'query', ...(dialect === v3 ? { schema: { type, uniqueItems: true } } : { type, uniqueItems: true }) };
}
