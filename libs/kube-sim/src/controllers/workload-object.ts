import { type JsonObject, type StoredObject, asObject } from '../store';

export const specOf = ({ object }: StoredObject): JsonObject => asObject(object.spec);

export const statusOf = ({ object }: StoredObject): JsonObject => asObject(object.status);

export const numberIn = (object: JsonObject, field: string, otherwise = 0): number =>
  typeof object[field] === 'number' ? object[field] : otherwise;

/** Objects that were loaded as they are may lack what the API would have filled in. */
export const replicasOf = (workload: StoredObject): number => numberIn(specOf(workload), 'replicas', 1);

/** A status without the counts that are zero, which the API leaves out. */
export function withoutZeros(status: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  const kept: JsonObject = {};
  for (const [field, value] of Object.entries(status)) if (value !== 0 && value !== undefined) kept[field] = value;
  return kept;
}
