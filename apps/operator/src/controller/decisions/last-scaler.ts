import type { ManagedFieldsEntry } from '@elasti/operator-kit';
import { fieldManager } from '../../names';

/** Who set `spec.replicas` last. */
export interface LastScaler {
  /** The field manager: `kubectl-scale`, `kube-controller-manager` (an HPA), `argocd-controller`, ... */
  readonly manager: string;
  readonly atMs: number;
  readonly isElasti: boolean;
}

/** Whoever of the owners of `spec.replicas` wrote last; undefined when nobody has ever been noted. */
export function lastScalerOf(managedFields: readonly ManagedFieldsEntry[]): LastScaler | undefined {
  return managedFields
    .filter(({ fieldsV1 }) => ownsReplicas(fieldsV1))
    .map(({ manager = 'someone', time = '' }) => ({ manager, atMs: Date.parse(time) || 0, isElasti: manager === fieldManager }))
    .reduce<LastScaler | undefined>((latest, entry) => (latest && latest.atMs >= entry.atMs ? latest : entry), undefined);
}

function ownsReplicas(fields: Readonly<Record<string, unknown>> | undefined): boolean {
  const spec = fields?.['f:spec'];
  return typeof spec === 'object' && spec !== null && 'f:replicas' in spec;
}
