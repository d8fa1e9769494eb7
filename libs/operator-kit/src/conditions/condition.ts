/** `metav1.Condition`: one aspect of an object's state, as it lies in `status.conditions`. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** CamelCase, for machines; never empty. */
  reason: string;
  /** For people; may be empty. */
  message: string;
  /** The generation this was judged on: a smaller one than the object's means it is out of date. */
  observedGeneration?: number;
  /** When `status` last changed. */
  lastTransitionTime: string;
}

export type ConditionUpdate = Omit<Condition, 'lastTransitionTime'>;

/** A new list with this condition in its place, the others untouched and in their order. Changes nothing that was given. */
export function setCondition(conditions: readonly Condition[] | undefined, update: ConditionUpdate, nowIso: string): Condition[] {
  const current = findCondition(conditions, update.type);
  if (!conditions || !current) return [...(conditions ?? []), toCondition(update, nowIso)];

  const next = toCondition(update, current.status === update.status ? current.lastTransitionTime : nowIso);
  return conditions.map((condition) => (condition === current ? next : condition));
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

function toCondition({ type, status, reason, message, observedGeneration }: ConditionUpdate, lastTransitionTime: string): Condition {
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  return { type, status, reason, message, ...generation, lastTransitionTime };
}
