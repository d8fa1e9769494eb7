/**
 * Which keys are filed under which value.
 *
 * A key may be filed under several values; a value without keys takes no memory.
 */
export class ObjectIndex {
  private readonly keysByValue = new Map<string, Set<string>>();

  keys(value: string): Iterable<string> {
    return this.keysByValue.get(value) ?? [];
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
    if (keys) keys.add(key);
    else this.keysByValue.set(value, new Set([key]));
  }

  private remove(key: string, value: string): void {
    const keys = this.keysByValue.get(value);
    if (keys?.delete(key) && keys.size === 0) this.keysByValue.delete(value);
  }
}
