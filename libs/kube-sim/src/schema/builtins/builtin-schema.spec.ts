import { fieldType, itemType } from '../type-schema';
import type { TypeSchema } from '../type-schema';
import { builtinSchema, isBuiltin } from './builtin-schema';

function typeAt(root: TypeSchema, path: string): TypeSchema {
  return path.split('.').reduce((schema, step) => (step === '[]' ? itemType(schema) : fieldType(schema, step)), root);
}

describe('builtinSchema', () => {
  const deployment = builtinSchema('apps', 'v1', 'Deployment');

  it.each([
    ['spec.template.spec.containers', 'map', ['name']],
    ['spec.template.spec.initContainers', 'map', ['name']],
    ['spec.template.spec.volumes', 'map', ['name']],
    ['spec.template.spec.imagePullSecrets', 'map', ['name']],
    ['spec.template.spec.tolerations', 'atomic', []],
    ['spec.template.spec.topologySpreadConstraints', 'map', ['topologyKey', 'whenUnsatisfiable']],
    ['spec.template.spec.containers.[].ports', 'map', ['containerPort', 'protocol']],
    ['spec.template.spec.containers.[].env', 'map', ['name']],
    ['spec.template.spec.containers.[].volumeMounts', 'map', ['mountPath']],
    ['spec.template.spec.containers.[].args', 'atomic', []],
    ['metadata.ownerReferences', 'map', ['uid']],
    ['metadata.finalizers', 'set', []],
    ['status.conditions', 'map', ['type']],
  ])('knows how items of %s are told apart', (path, list, keys) => {
    expect(typeAt(deployment, path)).toMatchObject({ kind: 'list', list, keys });
  });

  it('merges the ports of a Service by port and protocol when applied, by port alone in a strategic merge', () => {
    const ports = typeAt(builtinSchema('', 'v1', 'Service'), 'spec.ports');

    expect(ports).toMatchObject({ keys: ['port', 'protocol'], patch: { strategy: 'merge', mergeKey: 'port' } });
  });

  it('treats a label selector as one value', () => {
    expect(typeAt(deployment, 'spec.selector')).toMatchObject({ kind: 'map', atomic: true });
  });

  it('follows a schema that holds itself', () => {
    const crd = builtinSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition');

    const nested = typeAt(crd, 'spec.versions.[].schema.openAPIV3Schema.properties.x.properties.y.enum');

    expect(nested).toMatchObject({ kind: 'list', list: 'atomic' });
  });

  it('knows only the metadata of a kind that no table names', () => {
    const unknown = builtinSchema('example.com', 'v1', 'Thing');

    expect(isBuiltin('example.com', 'v1', 'Thing')).toBe(false);
    expect(typeAt(unknown, 'metadata.finalizers')).toMatchObject({ list: 'set' });
    expect(typeAt(unknown, 'spec.items')).toEqual({ kind: 'deduced' });
  });
});
