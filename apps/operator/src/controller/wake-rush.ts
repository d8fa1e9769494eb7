import type { Clock } from '@elasti/operator-kit';

/** So many wakes at once are a rush; one that does not end holds up nobody for longer than this. */
const rush = { wakes: 16, longestMs: 3_000 };
/** For the last wakes to be answered before what waited takes the processor. */
const afterRushMs = 200;

/** Whether many wakes are under way, and have not been for long; and what people may hear of them a moment later. */
export class WakeRush {
  private beganMs: number | undefined;
  private readonly postponed: (() => void)[] = [];
  private postponedSinceMs = 0;

  constructor(private readonly clock: Clock) {}

  get isOn(): boolean {
    return this.beganMs !== undefined && this.clock.monotonic() - this.beganMs < rush.longestMs;
  }

  note(wakesUnderWay: number): void {
    if (wakesUnderWay <= rush.wakes) this.beganMs = undefined;
    else this.beganMs ??= this.clock.monotonic();
  }

  /** Does it now, or soon after the rush; a process that ends before does not. */
  afterwards(task: () => void): void {
    if (!this.isOn) return task();
    if (this.postponed.push(task) > 1) return;
    this.postponedSinceMs = this.clock.monotonic();
    this.lookLater();
  }

  private lookLater(): void {
    this.clock.after(afterRushMs, () => (this.isOn && !this.isOverdue ? this.lookLater() : this.catchUp()));
  }

  /** One rush may follow another without a pause. */
  private get isOverdue(): boolean {
    return this.clock.monotonic() - this.postponedSinceMs >= rush.longestMs;
  }

  private catchUp(): void {
    for (const task of this.postponed.splice(0)) task();
  }
}
