import type { ElastiService } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';

/**
 * Whether somebody else had resolvers take the traffic and we have not looked at it yet: KubeElasti says the mode and no generation. Its slice has no
 * label of ours, so no watch shows it.
 */
export function isProxiedByAnother({ status }: Frozen<ElastiService>): boolean {
  return status?.mode === 'proxy' && status.observedGeneration === undefined;
}
