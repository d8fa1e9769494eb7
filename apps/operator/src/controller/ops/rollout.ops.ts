import type { Frozen } from '@elasti/operator-kit';
import type { ObservedTarget } from './target.ops';

/** `moving`: an update is under way, and at zero replicas its analysis would fail. */
export type RolloutHealth = 'healthy' | 'moving' | 'degraded' | 'unknown';

/** What Argo's own status says of a Rollout; other kinds have no such health and are never held back by it. */
export class RolloutOps {
  healthOf({ kind, workload }: Frozen<Pick<ObservedTarget, 'workload'>> & Pick<ObservedTarget, 'kind'>): RolloutHealth | undefined {
    if (kind.kind !== 'Rollout' || kind.group !== 'argoproj.io') return undefined;
    switch (workload.status?.phase) {
      case 'Healthy':
        return 'healthy';
      case 'Progressing':
      case 'Paused':
        return 'moving';
      case 'Degraded':
        return 'degraded';
      case undefined:
      default:
        return 'unknown';
    }
  }
}
