import type { SimClock } from '../sim-clock';
import type { JsonObject, StoredObject } from '../store';
import type { IncludeObject } from '../tables';
import { toTable } from '../tables';
import { badRequest } from './api.errors';
import type { Target } from './api-request';
import { toServed } from './conversion';

/** Shows objects as the rows of a Table, as `kubectl get` prints them. */
export type TableMaker = (target: Target, objects: readonly StoredObject[], metadata: JsonObject) => JsonObject;

/** @throws ApiError 400 for an `includeObject` that there is none of. */
export function tableMaker(query: URLSearchParams, clock: SimClock): TableMaker {
  const includeObject = includeObjectOf(query.get('includeObject') ?? '');
  return ({ type, version }, objects, metadata) => {
    const served = objects.map(({ object }) => toServed(type, version.name, object));
    const columns = type.custom ? (version.printerColumns ?? []) : undefined;
    return toTable({ group: type.group, kind: type.kind, includeObject, metadata }, served, columns, clock.nowMs());
  };
}

function includeObjectOf(asked: string): IncludeObject {
  if (asked === '') return 'Metadata';
  if (asked === 'None' || asked === 'Metadata' || asked === 'Object') return asked;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
