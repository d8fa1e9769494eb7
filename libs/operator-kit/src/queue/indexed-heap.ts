/**
 * A binary heap that can also give up an element from its middle, all in O(log n).
 *
 * An element is held at most once, and what `comesBefore` looks at must not change while it is held.
 */
export class IndexedHeap<T> {
  private readonly items: T[] = [];
  private readonly positions = new Map<T, number>();

  constructor(private readonly comesBefore: (a: T, b: T) => boolean) {}

  get size(): number {
    return this.items.length;
  }

  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    this.place(item, this.items.length);
    this.rise(item, this.items.length - 1);
  }

  remove(item: T): boolean {
    const position = this.positions.get(item);
    if (position === undefined) return false;

    this.positions.delete(item);
    const last = this.items.pop();
    if (last !== undefined && last !== item) {
      this.place(last, position);
      this.rise(last, position);
      this.sink(last, this.positions.get(last) ?? position);
    }
    return true;
  }

  clear(): void {
    this.items.length = 0;
    this.positions.clear();
  }

  private rise(item: T, from: number): void {
    let position = from;
    while (position > 0) {
      const parentPosition = (position - 1) >> 1;
      const parent = this.items[parentPosition];
      if (parent === undefined || !this.comesBefore(item, parent)) break;
      this.place(parent, position);
      position = parentPosition;
    }
    this.place(item, position);
  }

  private sink(item: T, from: number): void {
    let position = from;
    for (;;) {
      const childPosition = this.firstChild(position);
      const child = childPosition === undefined ? undefined : this.items[childPosition];
      if (childPosition === undefined || child === undefined || !this.comesBefore(child, item)) break;
      this.place(child, position);
      position = childPosition;
    }
    this.place(item, position);
  }

  private firstChild(position: number): number | undefined {
    const left = this.items[2 * position + 1];
    const right = this.items[2 * position + 2];
    if (left === undefined) return undefined;
    return right !== undefined && this.comesBefore(right, left) ? 2 * position + 2 : 2 * position + 1;
  }

  private place(item: T, position: number): void {
    this.items[position] = item;
    this.positions.set(item, position);
  }
}
