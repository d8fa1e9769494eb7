import type { RehearsalSubject } from '@elasti/api';
import { RehearsalMemory } from './rehearsal-memory';
import { aPod } from './resolver-pod.fixture';

const subject = (index: number, resolverPort = 20_000): RehearsalSubject => ({
  namespace: 'shop',
  service: `web-${index}`,
  routes: [{ port: 80, resolverPort }],
});

describe('RehearsalMemory', () => {
  it('keeps the routes of a service that were added last', () => {
    const memory = new RehearsalMemory();

    memory.add(subject(1, 20_001), aPod());
    memory.add(subject(1, 20_002), aPod());

    expect(memory.has(subject(1, 20_002), aPod())).toBe(true);
    expect(memory.has(subject(1, 20_001), aPod())).toBe(false);
  });

  it('forgets the oldest services beyond its bound', () => {
    const memory = new RehearsalMemory();

    for (let index = 0; index <= 20_000; index++) memory.add(subject(index), aPod());

    expect(memory.has(subject(0), aPod())).toBe(false);
    expect(memory.has(subject(1), aPod())).toBe(true);
    expect(memory.has(subject(20_000), aPod())).toBe(true);
  });

  it('forgets of many pods just those that are gone', () => {
    const memory = new RehearsalMemory();
    const pods = Array.from({ length: 4 }, (_, index) => aPod({ address: `10.0.0.${index}` }));
    for (const pod of pods) memory.add(subject(1), pod);

    memory.keepOnly(pods.slice(2));

    expect(pods.map((pod) => memory.has(subject(1), pod))).toEqual([false, false, true, true]);
  });
});
