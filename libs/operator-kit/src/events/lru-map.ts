/** A map that forgets the entry not used for longest when it would grow past its limit. */
export class LruMap<K, V> {
  private readonly entries = new Map<K, V>();

  constructor(private readonly limit: number) {}

  get size(): number {
    return this.entries.size;
  }

  getOrAdd(key: K, create: () => V): V {
    const value = this.entries.get(key) ?? create();
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.limit) {
      const [oldest] = this.entries.keys();
      this.entries.delete(oldest as K);
    }
    return value;
  }
}
