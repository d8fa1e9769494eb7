import type { ElastiServiceSpec } from './elasti-service';

const defaultCooldownS = 900;

export function cooldownSOf({ cooldownPeriod }: Pick<ElastiServiceSpec, 'cooldownPeriod'>): number {
  // In Go, and so in KubeElasti, 0 is a field left out.
  return cooldownPeriod === undefined || cooldownPeriod === 0 ? defaultCooldownS : cooldownPeriod;
}

/** Objects from before the default was in the schema lack it. */
export function minTargetReplicasOf({ minTargetReplicas }: Pick<ElastiServiceSpec, 'minTargetReplicas'>): number {
  return Math.max(1, minTargetReplicas ?? 1);
}
