import { StoredObject } from '../store';
import { ResourceRegistry } from './resource-registry';
import { fieldFilter, parseFieldSelector } from './selectors';

const pods = new ResourceRegistry().get('', 'pods');
const pod = (spec: object): StoredObject => new StoredObject({ metadata: { name: 'p', namespace: 'shop' }, spec: { ...spec } }, 1);

function selects(selector: string, object: StoredObject): boolean {
  if (!pods) throw new Error('no pods');
  return fieldFilter(parseFieldSelector(selector), pods, 'v1')(object);
}

describe('field selectors', () => {
  it('compare name, namespace and the fields of the kind', () => {
    const bound = pod({ nodeName: 'n1' });

    expect(selects('metadata.name=p,metadata.namespace=shop,spec.nodeName=n1', bound)).toBe(true);
    expect(selects('spec.nodeName!=n1', bound)).toBe(false);
    expect(selects('spec.nodeName=', pod({}))).toBe(true);
  });

  it('refuse a field that the kind cannot be selected by', () => {
    expect(() => selects('spec.image=x', pod({}))).toThrow('field label not supported: spec.image');
  });
});
