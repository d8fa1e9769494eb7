import { LruMap } from './lru-map';

describe('LruMap', () => {
  it('forgets the entry not used for longest', () => {
    const map = new LruMap<string, number>(2);
    map.getOrAdd('a', () => 1);
    map.getOrAdd('b', () => 2);

    map.getOrAdd('a', () => 10);
    map.getOrAdd('c', () => 3);

    expect(map.size).toBe(2);
    expect(map.getOrAdd('a', () => 10)).toBe(1);
    expect(map.getOrAdd('b', () => 20)).toBe(20);
  });
});
