import type { ScaleTargetRef } from '@elasti/api';
import { type Frozen, groupOf } from '@elasti/operator-kit';

/** KubeElasti takes these plurals for kinds. */
const formerKinds: Readonly<Record<string, string>> = { deployments: 'Deployment', rollouts: 'Rollout' };

/** The kind as Kubernetes spells it. */
export function targetKindOf({ kind }: Pick<Frozen<ScaleTargetRef>, 'kind'>): string {
  return (Object.hasOwn(formerKinds, kind) ? formerKinds[kind] : undefined) ?? kind;
}

/** Equal for two references to one workload, whatever version or spelling each uses. */
export function formatTarget(namespace: string, ref: Frozen<ScaleTargetRef>): string {
  return `${namespace}/${groupOf(ref.apiVersion)}/${targetKindOf(ref)}/${ref.name}`;
}

/** For people and metrics: `Deployment-web`. */
export function formatTargetName({ spec }: { readonly spec: { readonly scaleTargetRef: Frozen<ScaleTargetRef> } }): string {
  return `${targetKindOf(spec.scaleTargetRef)}-${spec.scaleTargetRef.name}`;
}
