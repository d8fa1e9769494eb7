import { at, objectAt } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { openApiV2, openApiV3, openApiV3Index } from './documents';
import type { ServedKind } from './served-kind';

const deployment: ServedKind = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
const service: ServedKind = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };
const node: ServedKind = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
const webApp: ServedKind = {
  group: 'example.com',
  version: 'v1',
  kind: 'WebApp',
  plural: 'webapps',
  namespaced: true,
  schema: { type: 'object', properties: { spec: { type: 'object', properties: { image: { type: 'string' } } } } },
};
const kinds = [deployment, service, node, webApp];

function refsIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner)));
}

describe('openApiV3', () => {
  const document = openApiV3('apps/v1', kinds);
  const schema = (name: string): JsonObject => objectAt(document, 'components', 'schemas', name) ?? {};

  it('has every schema that it refers to', () => {
    const names = new Set(Object.keys(objectAt(document, 'components', 'schemas') ?? {}));

    const missing = refsIn(document).filter((ref) => !names.has(ref.replace('#/components/schemas/', '')));

    expect(missing).toEqual([]);
  });

  it('says how lists merge', () => {
    expect(at(schema('io.k8s.api.core.v1.PodSpec'), 'properties', 'containers')).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/io.k8s.api.core.v1.Container' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(at(schema('io.k8s.api.apps.v1.DeploymentSpec'), 'properties', 'strategy')).toEqual({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
      'x-kubernetes-patch-strategy': 'retainKeys',
    });
  });

  it('tells kubectl that the server validates and runs dry', () => {
    const patch = objectAt(document, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch') ?? {};

    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
    expect((patch.parameters as JsonObject[]).map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });

  it('describes custom resources by their own schema, with metadata', () => {
    const custom = objectAt(openApiV3('example.com/v1', kinds), 'components', 'schemas', 'com.example.v1.WebApp') ?? {};

    expect(custom['x-kubernetes-group-version-kind']).toEqual([{ group: 'example.com', version: 'v1', kind: 'WebApp' }]);
    expect(custom.properties).toMatchObject({
      spec: { properties: { image: { type: 'string' } } },
      metadata: { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    });
  });

  it('serves cluster-wide kinds without a namespace', () => {
    expect(Object.keys(objectAt(openApiV3('v1', kinds), 'paths') ?? {})).toContain('/api/v1/nodes/{name}');
  });
});

describe('openApiV3Index', () => {
  it('lists a document for every group and version, and its address changes with its content', () => {
    const paths = objectAt(openApiV3Index(kinds), 'paths') ?? {};
    const changed = objectAt(openApiV3Index([deployment, service, node, { ...webApp, schema: { type: 'object' } }]), 'paths') ?? {};

    expect(Object.keys(paths).sort()).toEqual(['api/v1', 'apis/apps/v1', 'apis/example.com/v1']);
    expect(at(paths, 'apis/apps/v1', 'serverRelativeURL')).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{64}$/);
    expect(changed['apis/apps/v1']).toEqual(paths['apis/apps/v1']);
    expect(changed['apis/example.com/v1']).not.toEqual(paths['apis/example.com/v1']);
  });
});

describe('openApiV2', () => {
  it('holds all kinds in one document without a dangling reference', () => {
    const document = openApiV2(kinds);
    const names = new Set(Object.keys(objectAt(document, 'definitions') ?? {}));

    expect([...names]).toEqual(expect.arrayContaining(['io.k8s.api.apps.v1.Deployment', 'com.example.v1.WebApp']));
    expect(refsIn(document).filter((ref) => !names.has(ref.replace('#/definitions/', '')))).toEqual([]);
  });
});
