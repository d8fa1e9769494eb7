import type { ReadyPod } from '../endpoints';
import { PodLoad } from './pod-load';

/**
 * The loads of one Service's pods. One that is not ready any more is remembered while something is open at it, so that a pod which
 * comes back within that time is not taken for idle.
 */
export class PodLoads {
  private readonly loads = new Map<string, PodLoad>();
  private ready = new Set<string>();

  /** The loads of these pods, in their order, and of no others from now on. */
  update(pods: readonly ReadyPod[], nowMs: number): PodLoad[] {
    const before = this.ready;
    this.ready = new Set(pods.map(({ podKey }) => podKey));
    for (const load of this.loads.values()) this.forgetIfIdle(load);
    return pods.map(({ podKey }) => {
      const load = this.loads.get(podKey) ?? new PodLoad(podKey, nowMs);
      if (!before.has(podKey)) load.renew(nowMs);
      this.loads.set(podKey, load);
      return load;
    });
  }

  forgetIfIdle(load: PodLoad): void {
    if (load.open === 0 && !this.ready.has(load.podKey)) this.loads.delete(load.podKey);
  }
}
