import type { ResolverPod } from './resolver-pod';

/** The seam that rehearsals and activity see of the pods. */
export class FakePods {
  hasSynced = true;
  private readonly listeners: (() => void)[] = [];

  constructor(private pods: readonly ResolverPod[]) {}

  list(): readonly ResolverPod[] {
    return this.pods;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  change(...pods: ResolverPod[]): void {
    this.pods = pods;
    for (const listener of this.listeners) listener();
  }
}
