import { type JsonObject, type JsonValue, asObject, asString } from '../store';

export interface ReplicaCounts {
  /** What the ReplicaSet asks for. */
  readonly wanted: number;
  readonly available: number;
  /** Pods that still run, those on their way out included. */
  readonly running: number;
}

export type RolloutStrategy =
  { readonly kind: 'recreate' } | { readonly kind: 'rolling'; readonly surge: number; readonly unavailable: number };

export interface RolloutPlan {
  readonly current: number;
  readonly old: readonly number[];
}

export function strategyOf(spec: JsonObject, replicas: number): RolloutStrategy {
  const strategy = asObject(spec.strategy);
  if (asString(strategy.type) === 'Recreate') return { kind: 'recreate' };
  const rolling = asObject(strategy.rollingUpdate);
  const surge = Math.ceil(amount(rolling.maxSurge ?? '25%', replicas));
  const unavailable = Math.floor(amount(rolling.maxUnavailable ?? '25%', replicas));
  // With neither room above nor below, nothing could ever move.
  return { kind: 'rolling', surge, unavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas) };
}

function amount(value: JsonValue, replicas: number): number {
  if (typeof value === 'number') return value;
  return (Number.parseInt(asString(value), 10) * replicas) / 100;
}

/** How many replicas each ReplicaSet of a Deployment should ask for next; `old` keeps its order, the oldest first. */
export function planRollout(
  replicas: number,
  strategy: RolloutStrategy,
  current: ReplicaCounts,
  old: readonly ReplicaCounts[],
): RolloutPlan {
  if (strategy.kind === 'recreate') {
    const isClear = old.every(({ wanted, running }) => wanted === 0 && running === 0);
    return { current: isClear ? replicas : Math.min(current.wanted, replicas), old: old.map(() => 0) };
  }
  const total = current.wanted + sum(old.map(({ wanted }) => wanted));
  const room = Math.max(0, replicas + strategy.surge - total);
  const next = current.wanted >= replicas ? replicas : Math.min(replicas, current.wanted + room);
  if (next !== current.wanted) return { current: next, old: old.map(({ wanted }) => wanted) };
  return { current: next, old: scaledDown(replicas - strategy.unavailable, current, old) };
}

function scaledDown(minAvailable: number, current: ReplicaCounts, old: readonly ReplicaCounts[]): number[] {
  const total = current.wanted + sum(old.map(({ wanted }) => wanted));
  const notYetAvailable = Math.max(0, current.wanted - current.available);
  let mayGo = Math.max(0, total - minAvailable - notYetAvailable);
  // Those that serve nobody go first.
  const withoutIdle = old.map(({ wanted, available }) => {
    const gone = Math.min(mayGo, Math.max(0, wanted - available));
    mayGo -= gone;
    return wanted - gone;
  });
  let spare = Math.min(mayGo, Math.max(0, current.available + sum(old.map(({ available }) => available)) - minAvailable));
  return withoutIdle.map((wanted) => {
    const gone = Math.min(spare, wanted);
    spare -= gone;
    return wanted - gone;
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
