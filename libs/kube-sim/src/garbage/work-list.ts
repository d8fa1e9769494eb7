/**
 * Things to look at again, each once however often it was named, in turns of the event loop of their own.
 *
 * Guarantees that work never runs inside the store change that caused it, that a long list does not hold up requests,
 * and that nothing runs after stop().
 */
export class WorkList<T> {
  private readonly pending = new Map<string, T>();
  private turn?: NodeJS.Immediate;
  private isStopped = false;

  constructor(
    private readonly keyOf: (item: T) => string,
    private readonly work: (item: T) => void,
    private readonly mostPerTurn = 200,
  ) {}

  add(item: T): void {
    if (this.isStopped) return;
    this.pending.set(this.keyOf(item), item);
    this.turn ??= setImmediate(() => {
      this.run();
    });
  }

  stop(): void {
    this.isStopped = true;
    this.pending.clear();
    if (this.turn) clearImmediate(this.turn);
  }

  private run(): void {
    this.turn = undefined;
    let left = this.mostPerTurn;
    for (const [key, item] of this.pending) {
      if (left-- === 0) break;
      this.pending.delete(key);
      this.work(item);
    }
    if (this.pending.size > 0) {
      this.turn ??= setImmediate(() => {
        this.run();
      });
    }
  }
}
