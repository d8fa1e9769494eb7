import { findByPath } from './json-path';

describe('findByPath', () => {
  const object = {
    spec: { replicas: 3, 'dotted.name': 'x', ports: [{ port: 80 }, { port: 81 }] },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', weight: 2 },
        { type: 'Other', status: 'False', weight: 5 },
      ],
    },
  };

  it.each([
    ['.spec.replicas', [3]],
    ['{.spec.replicas}', [3]],
    ['spec.replicas', [3]],
    ['.spec.ports[1].port', [81]],
    ['.spec.ports[-1].port', [81]],
    ['.spec.ports[*].port', [80, 81]],
    ['.spec.dotted\\.name', ['x']],
    [".spec['dotted.name']", ['x']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Other')].status", ['False']],
    ['.status.conditions[?(@.weight>3)].type', ['Other']],
    ['.status.conditions[?(@.type)].type', ['Ready', 'Other']],
    ['.spec.missing.deeper', []],
    ['.spec[', []],
    ['.spec.constructor', []],
  ])('follows %s', (path, expected) => {
    expect(findByPath(object, path)).toEqual(expected);
  });
});
