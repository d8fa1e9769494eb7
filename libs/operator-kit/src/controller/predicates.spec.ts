import type { CacheEvent } from '../cache';
import type { KubeObject, ObjectMeta } from '../client';
import { aWidget } from './controller.fixture';
import { and, annotationsChanged, generationChanged, labelsChanged, matchingLabels, not, or } from './predicates';
import type { LabelSelector, Predicate } from './predicates';

type Meta = Partial<ObjectMeta>;

const updated = (before: Meta, after: Meta, resync = false): CacheEvent<KubeObject> => ({
  type: 'updated',
  before: aWidget('a', before),
  object: aWidget('a', after),
  resync,
});
const added = (meta: Meta = {}): CacheEvent<KubeObject> => ({ type: 'added', object: aWidget('a', meta), initial: false });
const deleted = (meta: Meta = {}): CacheEvent<KubeObject> => ({ type: 'deleted', object: aWidget('a', meta), finalStateUnknown: false });

describe('generationChanged', () => {
  it('Generation predicate: status-only updates are dropped', () => {
    expect(generationChanged(updated({ generation: 1, resourceVersion: '1' }, { generation: 1, resourceVersion: '2' }))).toBe(false);
    expect(generationChanged(updated({ generation: 1 }, { generation: 2 }))).toBe(true);
  });

  it('creates and deletes pass', () => {
    expect([generationChanged(added()), generationChanged(deleted())]).toEqual([true, true]);
  });

  it('a recreated object with the same generation passes', () => {
    expect(generationChanged(updated({ uid: 'old', generation: 1 }, { uid: 'new', generation: 1 }))).toBe(true);
  });

  it('lets the start of a deletion pass', () => {
    expect(generationChanged(updated({}, { deletionTimestamp: '2030-01-01T00:00:00Z' }))).toBe(true);
  });

  it('lets a replay pass, which asks for a look at everything', () => {
    expect(generationChanged(updated({}, {}, true))).toBe(true);
  });
});

describe('other predicates', () => {
  const passes: Predicate<KubeObject> = () => true;
  const drops: Predicate<KubeObject> = () => false;

  it('And/or/not, label and annotation predicates', () => {
    const relabelled = updated({ labels: { tier: 'web' } }, { labels: { tier: 'db' } });
    const annotated = updated({}, { annotations: { note: 'x' } });

    expect([labelsChanged(relabelled), labelsChanged(annotated)]).toEqual([true, false]);
    expect([annotationsChanged(relabelled), annotationsChanged(annotated)]).toEqual([false, true]);
    expect([and(passes, passes)(annotated), and(passes, drops)(annotated)]).toEqual([true, false]);
    expect([or(drops, passes)(annotated), or(drops, drops)(annotated)]).toEqual([true, false]);
    expect([not(passes)(annotated), not(drops)(annotated)]).toEqual([false, true]);
    expect(or(generationChanged, annotationsChanged)(annotated)).toBe(true);
  });

  it('sees a label that vanished and a label that came instead', () => {
    expect(labelsChanged(updated({ labels: { a: '1' } }, {}))).toBe(true);
    expect(labelsChanged(updated({ labels: { a: '1' } }, { labels: { b: '1' } }))).toBe(true);
    expect(labelsChanged(updated({ labels: { a: '1' } }, { labels: { a: '1' } }))).toBe(false);
  });

  it.each<[LabelSelector, Record<string, string>, boolean]>([
    [{}, {}, true],
    [{ matchLabels: { tier: 'web' } }, { tier: 'web', extra: 'x' }, true],
    [{ matchLabels: { tier: 'web' } }, { tier: 'db' }, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['web', 'db'] }] }, { tier: 'db' }, true],
    [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['web'] }] }, {}, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['web'] }] }, {}, true],
    [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['web'] }] }, { tier: 'web' }, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, { tier: '' }, true],
    [{ matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, { tier: '' }, false],
  ])('the selector %j on the labels %j: %s', (selector, labels, expected) => {
    expect(matchingLabels(selector)(added({ labels }))).toBe(expected);
  });

  it('notices an object that leaves the selection', () => {
    const inShop = matchingLabels({ matchLabels: { team: 'shop' } });

    expect(inShop(updated({ labels: { team: 'shop' } }, {}))).toBe(true);
    expect(inShop(updated({}, {}))).toBe(false);
  });
});
