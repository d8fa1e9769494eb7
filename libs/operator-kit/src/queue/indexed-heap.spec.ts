import fc from 'fast-check';
import { IndexedHeap } from './indexed-heap';

interface Item {
  readonly rank: number;
}

const takeAll = (heap: IndexedHeap<Item>): number[] => {
  const ranks: number[] = [];
  for (let item = heap.peek(); item; item = heap.peek()) {
    ranks.push(item.rank);
    heap.remove(item);
  }
  return ranks;
};

describe('IndexedHeap', () => {
  it('gives up any element and still has the others in order', () => {
    const entries = fc.array(fc.record({ rank: fc.integer(), isRemoved: fc.boolean() }));

    fc.assert(
      fc.property(entries, (items) => {
        const heap = new IndexedHeap<Item>((a, b) => a.rank < b.rank);
        items.forEach((item) => heap.push(item));

        items.filter((item) => item.isRemoved).forEach((item) => heap.remove(item));

        const kept = items.filter((item) => !item.isRemoved).map((item) => item.rank);
        expect(heap.size).toBe(kept.length);
        expect(takeAll(heap)).toEqual(kept.sort((a, b) => a - b));
      }),
    );
  });

  it('says whether it held what should be removed', () => {
    const heap = new IndexedHeap<Item>((a, b) => a.rank < b.rank);
    const item = { rank: 1 };
    heap.push(item);

    expect([heap.remove(item), heap.remove(item)]).toEqual([true, false]);
    expect(heap.peek()).toBeUndefined();
  });
});
