import type { Frozen, Service } from '@elasti/operator-kit';
import type { TrafficConfig } from '../../operator.config';

/** How long the data plane is given to hear of a change of slices; a load balancer outside of the cluster takes longer. */
export function settleMsOf(
  services: readonly Frozen<Service>[],
  { settleMs, loadBalancerSettleMs }: Pick<TrafficConfig, 'settleMs' | 'loadBalancerSettleMs'>,
): number {
  return services.some(isBehindLoadBalancer) ? Math.max(settleMs, loadBalancerSettleMs) : settleMs;
}

export function isBehindLoadBalancer({ spec }: Frozen<Service>): boolean {
  return spec?.type === 'LoadBalancer';
}
