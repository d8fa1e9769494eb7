import fc from 'fast-check';
import { builtinSchema } from '../schema';
import type { JsonObject } from '../schema';
import { PatchError } from './patch.errors';
import { strategicMergePatch } from './strategic-merge';

const deploymentSchema = builtinSchema('apps', 'v1', 'Deployment');
const serviceSchema = builtinSchema('', 'v1', 'Service');
const podSchema = builtinSchema('', 'v1', 'Pod');

function patchPodSpec(spec: JsonObject, patch: JsonObject): JsonObject {
  return strategicMergePatch({ spec }, { spec: patch }, podSchema).spec as JsonObject;
}

describe('strategicMergePatch', () => {
  it('merges containers by name and keeps the ones the patch does not name', () => {
    const spec: JsonObject = {
      containers: [
        { name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] },
        { name: 'b', image: 'b:1' },
      ],
    };

    const patched = patchPodSpec(spec, { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] });

    expect(patched).toEqual({
      containers: [
        {
          name: 'a',
          image: 'a:1',
          env: [
            { name: 'Y', value: '2' },
            { name: 'X', value: '1' },
          ],
        },
        { name: 'b', image: 'b:1' },
      ],
    });
  });

  it('deletes one item, or replaces the list, when a directive says so', () => {
    const spec = { containers: [{ name: 'a' }, { name: 'b' }] };

    expect(patchPodSpec(spec, { containers: [{ $patch: 'delete', name: 'a' }] })).toEqual({ containers: [{ name: 'b' }] });
    expect(patchPodSpec(spec, { containers: [{ $patch: 'replace' }, { name: 'c' }] })).toEqual({ containers: [{ name: 'c' }] });
  });

  it('replaces a list that declares no merge key', () => {
    expect(patchPodSpec({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b' }] })).toEqual({ tolerations: [{ key: 'b' }] });
  });

  it('merges the ports of a Service by port alone', () => {
    const current = { spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 1 }] } };

    const patched = strategicMergePatch(current, { spec: { ports: [{ port: 80, targetPort: 2 }] } }, serviceSchema);

    expect(patched).toEqual({ spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 2 }] } });
  });

  it('adds to and deletes from a list of primitives', () => {
    const current = { metadata: { finalizers: ['a', 'b'] } };

    const added = strategicMergePatch(current, { metadata: { finalizers: ['c', 'a'] } }, podSchema);
    const removed = strategicMergePatch(current, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } }, podSchema);

    expect(added).toEqual({ metadata: { finalizers: ['c', 'a', 'b'] } });
    expect(removed).toEqual({ metadata: { finalizers: ['b'] } });
  });

  it('orders a merged list as asked and leaves items it does not name in their place', () => {
    const spec = { containers: [{ name: 'a' }, { name: 'server' }, { name: 'b' }] };

    const patched = patchPodSpec(spec, {
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'new' }, { name: 'a' }],
      containers: [{ name: 'new' }],
    });

    expect(patched).toEqual({ containers: [{ name: 'server' }, { name: 'b' }, { name: 'new' }, { name: 'a' }] });
  });

  it('clears the keys that are not to be retained', () => {
    const current = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };

    const patched = strategicMergePatch(current, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }, deploymentSchema);

    expect(patched).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  it('replaces or empties a map when a directive says so', () => {
    const current = { metadata: { labels: { a: '1', b: '2' } } };

    expect(strategicMergePatch(current, { metadata: { labels: { $patch: 'replace', c: '3' } } }, podSchema)).toEqual({
      metadata: { labels: { c: '3' } },
    });
    expect(strategicMergePatch(current, { metadata: { labels: { $patch: 'delete' } } }, podSchema)).toEqual({ metadata: { labels: {} } });
  });

  it('removes a field by null and drops nulls and directives from what is new', () => {
    expect(patchPodSpec({ nodeName: 'n' }, { nodeName: null, securityContext: { runAsUser: null, runAsGroup: 1 } })).toEqual({
      securityContext: { runAsGroup: 1 },
    });
  });

  it.each([
    [{ spec: { containers: [{ image: 'x' }] } }, 'does not contain declared merge key: name'],
    [{ spec: { $patch: 'explode' } }, 'unknown patch type'],
    [{ spec: { $retainKeys: ['a'], b: 1 } }, 'invalid patch format of retainKeys'],
    [{ spec: { '$setElementOrder/containers': 1 } }, 'invalid patch format of setElementOrder list'],
    ['text', 'must be an object'],
  ])('refuses %j', (patch, message) => {
    const current = { spec: { containers: [{ name: 'a' }] } };

    expect(() => strategicMergePatch(current, patch, podSchema)).toThrow(PatchError);
    expect(() => strategicMergePatch(current, patch, podSchema)).toThrow(message);
  });

  it('gives the same when the same patch comes twice, and never changes the object it is given', () => {
    const container = fc.record({ name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('x', 'y') });
    const spec = fc.record({ containers: fc.uniqueArray(container, { selector: (item) => item.name }), nodeName: fc.string() });
    fc.assert(
      fc.property(spec, spec, (current, patch) => {
        const before = JSON.stringify(current);
        const once = patchPodSpec(current, patch);

        expect(patchPodSpec(once, patch)).toEqual(once);
        expect(JSON.stringify(current)).toBe(before);
      }),
    );
  });
});
