import { parseRouteLine } from '@elasti/api';
import type { ConfigMap, Frozen } from '@elasti/operator-kit';
import { isInUse, type RouteOwner } from './route';

type Shard = Frozen<ConfigMap>;

/**
 * The Services to whom a change of one route ConfigMap may mean something: those that the changed lines name, before or after, and those that claim the same
 * ports in the `others`.
 *
 * A port that nobody had is no news to anybody: whoever gave it out knows, and our own writes are nearly all of that kind.
 */
export function ownersConcerned(before: Shard | undefined, after: Shard | undefined, others: readonly Shard[]): RouteOwner[] {
  const [was, is] = [before?.data ?? {}, after?.data ?? {}];
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((key) => was[key] !== is[key]);
  return changed.flatMap((key) => {
    const claimants = others.flatMap((other) => ownersIn(other, key));
    if (isNobodys(before, key) && claimants.length === 0) return [];
    return [...ownersIn(before, key), ...ownersIn(after, key), ...claimants];
  });
}

function ownersIn(shard: Shard | undefined, key: string): RouteOwner[] {
  const line = readLine(shard, key);
  return line?.kind === 'record' && isInUse(line.record) ? [line.record] : [];
}

/** Broken lines may be somebody's. */
function isNobodys(shard: Shard | undefined, key: string): boolean {
  const line = readLine(shard, key);
  return !line || (line.kind === 'record' && !isInUse(line.record));
}

function readLine(shard: Shard | undefined, key: string) {
  const text = shard?.data?.[key];
  return text === undefined ? undefined : parseRouteLine(shard?.metadata.name ?? '', key, text);
}
