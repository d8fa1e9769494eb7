import type { PodLease } from '../exchange';

/**
 * Which losses one client forgives pods that may not have started yet.
 *
 * Each pod is forgiven for as long as it stays ready. One that became unready in between, and lost once more, may have died of the request.
 */
export class StartingPods {
  private readonly readySinceMs = new Map<string, number>();

  forgives({ podKey, startingSinceMs }: PodLease): boolean {
    if (startingSinceMs === undefined) return false;
    const before = this.readySinceMs.get(podKey) ?? startingSinceMs;
    this.readySinceMs.set(podKey, before);
    return before === startingSinceMs;
  }
}
