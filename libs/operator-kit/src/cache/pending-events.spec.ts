import fc from 'fast-check';
import type { ConfigMap } from '../client';
import { aConfigMap } from './cache.fixture';
import type { CacheEvent } from './lister';
import { PendingEvents } from './pending-events';

const add = (version: string, uid = 'u'): CacheEvent<ConfigMap> => ({
  type: 'added',
  object: aConfigMap('a', { resourceVersion: version, uid }),
  initial: false,
});
const update = (from: string, to: string, uid = 'u'): CacheEvent<ConfigMap> => ({
  type: 'updated',
  before: aConfigMap('a', { resourceVersion: from, uid }),
  object: aConfigMap('a', { resourceVersion: to, uid }),
  resync: false,
});
const remove = (version: string, uid = 'u'): CacheEvent<ConfigMap> => ({
  type: 'deleted',
  object: aConfigMap('a', { resourceVersion: version, uid }),
  finalStateUnknown: false,
});

function told(event: CacheEvent<ConfigMap>): string {
  const { uid, resourceVersion } = event.object.metadata;
  const from = event.type === 'updated' ? `${event.before.metadata.uid}${event.before.metadata.resourceVersion} -> ` : '';
  return `${event.type} ${from}${uid}${resourceVersion}`;
}

function drain(pending: PendingEvents<ConfigMap>): string[] {
  const events: string[] = [];
  while (pending.size > 0) events.push(...pending.take().map(told));
  return events;
}

/** What a handler hears that is behind from the start. */
function folded(...events: CacheEvent<ConfigMap>[]): string[] {
  const pending = new PendingEvents<ConfigMap>(0);
  for (const event of events) pending.add('shop/a', event);
  return drain(pending);
}

describe('PendingEvents', () => {
  it('keeps every event as it came while there are few', () => {
    const pending = new PendingEvents<ConfigMap>();

    for (const event of [add('1'), update('1', '2'), remove('3'), add('4', 'v')]) pending.add('shop/a', event);

    expect(drain(pending)).toEqual(['added u1', 'updated u1 -> u2', 'deleted u3', 'added v4']);
  });

  it('tells the sum of the updates of an object, from the state seen last to the newest', () => {
    expect(folded(update('1', '2'), update('2', '3'), update('3', '4'))).toEqual(['updated u1 -> u4']);
  });

  it('tells an object that is new in its newest state', () => {
    expect(folded(add('1'), update('1', '2'))).toEqual(['added u2']);
  });

  it('never swallows a deletion, nor the change before it', () => {
    expect(folded(update('1', '2'), remove('3'))).toEqual(['updated u1 -> u2', 'deleted u3']);
    expect(folded(add('1'), remove('3'))).toEqual(['added u1', 'deleted u3']);
  });

  it('tells a deletion and a new object of that name as one update', () => {
    expect(folded(remove('3'), add('4', 'v'))).toEqual(['updated u3 -> v4']);
    expect(folded(update('1', '2'), remove('3'), add('4', 'v'))).toEqual(['updated u1 -> v4']);
  });

  it('holds one entry for each object however much changes', () => {
    const pending = new PendingEvents<ConfigMap>(10);

    for (let i = 0; i < 10_000; i++) {
      pending.add(`shop/${i % 20}`, update(`${i}`, `${i + 1}`));
      pending.add(`shop/${i % 20}`, remove(`${i + 1}`));
      pending.add(`shop/${i % 20}`, add(`${i + 2}`));
    }

    expect(pending.size).toBeLessThanOrEqual(10 + 20);
  });

  it('leads every handler to the same end, however slowly it takes and whatever is folded', () => {
    const step = fc.record({ key: fc.constantFrom('x', 'y', 'z'), act: fc.constantFrom('put', 'remove', 'take') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 0, max: 5 }), (steps, coalesceAbove) => {
        const pending = new PendingEvents<ConfigMap>(coalesceAbove);
        const truth = new Map<string, CacheEvent<ConfigMap>['object']>();
        const seen = new Map<string, CacheEvent<ConfigMap>['object']>();
        const take = () => {
          for (const event of pending.take()) {
            const name = event.object.metadata.name ?? '';
            expect(seen.has(name)).toBe(event.type !== 'added');
            if (event.type === 'deleted') seen.delete(name);
            else seen.set(name, event.object);
          }
        };

        steps.forEach(({ key, act }, version) => {
          const before = truth.get(key);
          const object = aConfigMap(key, { resourceVersion: `${version}` });
          if (act === 'take') take();
          else if (act === 'put') {
            pending.add(key, before ? { type: 'updated', object, before, resync: false } : { type: 'added', object, initial: false });
            truth.set(key, object);
          } else if (before) {
            pending.add(key, { type: 'deleted', object, finalStateUnknown: false });
            truth.delete(key);
          }
        });
        while (pending.size > 0) take();

        expect(seen).toEqual(truth);
      }),
    );
  });
});
