import { type JsonObject, type StoredObject, asArray, asObject, asString, sameJson } from '../store';
import { type AddressFamily } from './endpoints';

const MOST_ENDPOINTS = 100;

/** Endpoints that share a slice: of one family and with the same ports. */
export interface EndpointGroup {
  readonly family: AddressFamily;
  readonly ports: readonly JsonObject[];
  readonly endpoints: readonly JsonObject[];
}

/** What one slice should hold; without `slice` it has to be made. */
export interface PlannedSlice {
  readonly slice?: StoredObject;
  readonly family: AddressFamily;
  readonly ports: readonly JsonObject[];
  readonly endpoints: readonly JsonObject[];
}

export interface SlicePlan {
  readonly wanted: readonly PlannedSlice[];
  readonly spare: readonly StoredObject[];
}

/**
 * Puts endpoints into slices: each stays where it is, new ones fill what has room, and a slice that is of no more use
 * serves for the next that is needed. A family without endpoints keeps one empty slice.
 */
export function planSlices(
  families: readonly AddressFamily[],
  groups: readonly EndpointGroup[],
  existing: readonly StoredObject[],
): SlicePlan {
  const left = new Set(existing);
  const planned = groups.flatMap((group) => placeGroup(group, left));
  const empty = families.filter((family) => !planned.some((slice) => slice.family === family));
  const wanted = [...planned, ...empty.map((family): PlannedSlice => ({ family, ports: [], endpoints: [] }))].map((slice) => {
    if (slice.slice) return slice;
    const reused = [...left].find(({ object }) => object.addressType === slice.family);
    if (reused) left.delete(reused);
    return { ...slice, slice: reused };
  });
  return { wanted, spare: [...left] };
}

function placeGroup({ family, ports, endpoints }: EndpointGroup, left: Set<StoredObject>): PlannedSlice[] {
  const waiting = new Map(endpoints.map((endpoint) => [podOf(endpoint), endpoint]));
  const placed = [...left]
    .filter(({ object }) => object.addressType === family && sameJson(asArray(object.ports), [...ports]))
    .map((slice) => ({ slice, kept: takeKept(slice, waiting) }))
    .filter(({ kept }) => kept.length > 0 || waiting.size > 0);
  const slices: PlannedSlice[] = placed.flatMap(({ slice, kept }) => {
    const added = takeFirst(waiting, MOST_ENDPOINTS - kept.length);
    if (kept.length + added.length === 0) return [];
    left.delete(slice);
    return [{ slice, family, ports, endpoints: [...kept, ...added] }];
  });
  while (waiting.size > 0) slices.push({ family, ports, endpoints: takeFirst(waiting, MOST_ENDPOINTS) });
  return slices;
}

function takeKept({ object }: StoredObject, waiting: Map<string, JsonObject>): JsonObject[] {
  return asArray(object.endpoints).flatMap((entry) => {
    const pod = podOf(asObject(entry));
    const endpoint = waiting.get(pod);
    waiting.delete(pod);
    return endpoint ? [endpoint] : [];
  });
}

function takeFirst(waiting: Map<string, JsonObject>, most: number): JsonObject[] {
  const taken = [...waiting].slice(0, Math.max(0, most));
  for (const [pod] of taken) waiting.delete(pod);
  return taken.map(([, endpoint]) => endpoint);
}

const podOf = ({ targetRef }: JsonObject): string => asString(asObject(targetRef).uid);
