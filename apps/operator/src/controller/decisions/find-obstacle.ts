import type { ElastiService } from '@elasti/api';
import { type Frozen, isConditionTrue } from '@elasti/operator-kit';
import type { Scene } from '../ops/scene.ops';
import { joinRemarks, type Remark } from './build-conditions';

export interface Obstacle {
  readonly remark: Remark;
  /** What happens to what was made for it: another one takes it over under the same names, or the pods come back and it goes. */
  readonly children: 'hand over' | 'give back';
}

/**
 * Why an ElastiService cannot be put to sleep, whatever its triggers say; undefined when nothing stands in the way.
 *
 * What a resolver's restart brings about does not stand in the way of one that sleeps: it must last before anybody is woken for it.
 */
export function findObstacle(
  { spec, status }: Frozen<ElastiService>,
  { claimedBy, refusals, target }: Pick<Scene, 'claimedBy' | 'refusals' | 'target'>,
): Obstacle | undefined {
  if (claimedBy !== undefined) {
    const message = `the older ElastiService ${claimedBy} speaks for Service ${spec.service}: delete one of them, or name another Service`;
    return { remark: { reason: 'ServiceClaimed', message }, children: 'hand over' };
  }
  if (spec.mode === 'DryRun') {
    return { remark: { reason: 'DryRun', message: 'everything is decided and nothing is touched' }, children: 'give back' };
  }
  const isAsleep = !('problem' in target) && target.replicas === 0 && isConditionTrue(status?.conditions, 'ScaledDown');
  const remark = joinRemarks(refusals.filter(({ reason }) => !(isAsleep && reason === 'LocalTrafficPolicy')));
  return remark && { remark, children: 'give back' };
}
