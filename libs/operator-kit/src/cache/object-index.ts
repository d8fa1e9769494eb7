/**
 * Which keys are filed under which value.
 *
 * A key may be filed under several values; a value without keys takes no memory, and one with a single key, as most have, takes no set.
 */
export class ObjectIndex {
  private readonly keysByValue = new Map<string, string | Set<string>>();

  keys(value: string): Iterable<string> {
    const keys = this.keysByValue.get(value) ?? [];
    return typeof keys === 'string' ? [keys] : keys;
  }

  get size(): number {
    return this.keysByValue.size;
  }

  move(key: string, before: readonly string[], after: readonly string[]): void {
    for (const value of before) if (!after.includes(value)) this.remove(key, value);
    for (const value of after) this.add(key, value);
  }

  private add(key: string, value: string): void {
    const keys = this.keysByValue.get(value);
    if (keys === undefined) this.keysByValue.set(value, key);
    else if (typeof keys !== 'string') keys.add(key);
    else if (keys !== key) this.keysByValue.set(value, new Set([keys, key]));
  }

  private remove(key: string, value: string): void {
    const keys = this.keysByValue.get(value);
    if (keys === key || (typeof keys === 'object' && keys.delete(key) && keys.size === 0)) this.keysByValue.delete(value);
  }
}
