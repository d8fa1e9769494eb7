import type { Frozen } from '../cache';
import { refOf } from '../client';
import type { KubeObject, KubeWriter, RequestOptions, ResourceLike } from '../client';
import { isRecord } from '../json';

/** `unchanged` says that `current` agreed, which may be older than what the server has. */
export type StatusOutcome = 'written' | 'unchanged';

type WithStatus = KubeObject & { status?: object };

/**
 * Makes the status what was computed, through the status subresource, and writes nothing when `current` says the same.
 *
 * Only what differs is sent, so fields that others keep in the status survive. Fields that are absent or undefined in the new
 * status are removed; lists are written whole. The difference is good for `current` alone: a cache that lags would mix two statuses.
 *
 * `unchanged` costs no request, and so is only as true as `current`: a cache that has not seen the last write yet may agree with the new
 * status while the server holds another. A reconcile for every update of the object heals that, since the missed one is still to come. Therefore do not
 * drop updates of the status by a predicate such as `generationChanged` where a status may go back to what it was; and never take `unchanged`
 * as a proof of what the server has: read it with `client.get` for that.
 * @throws ConflictError when the object has changed since, which a reconcile need not catch
 */
export async function patchStatus<T extends WithStatus>(
  client: Pick<KubeWriter, 'patch'>,
  resource: ResourceLike<T>,
  current: Frozen<T>,
  status: Frozen<NonNullable<T['status']>>,
  options: RequestOptions = {},
): Promise<StatusOutcome> {
  const change = mergePatchBetween((current as { status?: unknown }).status ?? {}, status);
  if (change === undefined) return 'unchanged';
  const { resourceVersion } = current.metadata;
  const body = { metadata: { resourceVersion }, status: change };
  await client.patch(resource, refOf(current), { type: 'merge', body }, { ...options, subresource: 'status' });
  return 'written';
}

/** The JSON merge patch that turns one value into the other, or undefined when there is nothing to turn. */
function mergePatchBetween(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return same(before, after) ? undefined : after;

  const removed = Object.keys(before)
    .filter((key) => after[key] === undefined)
    .map((key): [string, unknown] => [key, null]);
  const changed = Object.entries(after)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]): [string, unknown] => [key, mergePatchBetween(before[key], value)])
    .filter(([, value]) => value !== undefined);
  const entries = [...removed, ...changed];
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, position) => same(value, b[position]));
  if (isRecord(a) && isRecord(b)) return mergePatchBetween(a, b) === undefined;
  return a === b;
}
