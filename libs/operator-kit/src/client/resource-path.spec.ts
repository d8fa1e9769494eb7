import { ConfigMap, Deployment, Node } from './builtins';
import { InvalidRequestError } from './request.errors';
import { collectionPath, creationPath, objectPath, queryString } from './resource-path';

const fieldOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.field;
  }
  return 'nothing refused';
};

describe('paths of resources', () => {
  it('addresses core and named groups, one namespace, all of them, and the cluster', () => {
    expect(collectionPath(ConfigMap, 'shop')).toBe('/api/v1/namespaces/shop/configmaps');
    expect(collectionPath(Deployment)).toBe('/apis/apps/v1/deployments');
    expect(objectPath(Node, { name: 'n-1.example' })).toBe('/api/v1/nodes/n-1.example');
    expect(objectPath(Deployment, { namespace: 'shop', name: 'web' }, 'scale')).toBe('/apis/apps/v1/namespaces/shop/deployments/web/scale');
  });

  it('escapes what some kinds allow in a name', () => {
    expect(objectPath(Node, { name: 'system:node?x' })).toBe('/api/v1/nodes/system%3Anode%3Fx');
  });

  it.each(['', 'a/b', '..', '.', '%2e%2e'])('refuses %j as a name', (name) => {
    expect(fieldOf(() => objectPath(ConfigMap, { namespace: 'shop', name }))).toBe('name');
  });

  it('refuses a namespace that would lead elsewhere', () => {
    expect(fieldOf(() => collectionPath(ConfigMap, 'shop/secrets'))).toBe('namespace');
    expect(fieldOf(() => collectionPath(ConfigMap, ''))).toBe('namespace');
  });

  it('refuses one object of a namespaced kind without its namespace, saying what to do', () => {
    expect(() => objectPath(ConfigMap, { name: 'settings' })).toThrow('namespace: a ConfigMap lives in a namespace: say which one');
  });

  it('refuses a namespace for a kind of the whole cluster', () => {
    expect(fieldOf(() => objectPath(Node, { namespace: 'shop', name: 'n-1' }))).toBe('namespace');
  });

  it('wants a name or a generateName for a new object', () => {
    const nameless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop' } };
    const generated = { ...nameless, metadata: { namespace: 'shop', generateName: 'settings-' } };

    expect(fieldOf(() => creationPath(ConfigMap, nameless))).toBe('metadata.name');
    expect(creationPath(ConfigMap, generated)).toBe('/api/v1/namespaces/shop/configmaps');
  });
});

describe('queryString', () => {
  it('escapes values and leaves out what is undefined', () => {
    expect(queryString({ labelSelector: 'app in (a,b)', limit: 5, continue: undefined, watch: true })).toBe(
      '?labelSelector=app%20in%20(a%2Cb)&limit=5&watch=true',
    );
    expect(queryString({ limit: undefined })).toBe('');
  });
});
