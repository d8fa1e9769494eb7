import { at, has, isList, isObject, objectAt, textAt, without } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { FieldSet } from './field-set';

export type Operation = 'Apply' | 'Update';

/** Who wrote, and how. Two entries with the same owner are one. */
export interface Owner {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string | undefined;
}

export interface Ownership {
  readonly owner: Owner;
  readonly fields: FieldSet;
  readonly time: string | undefined;
}

/** Read from metadata.managedFields; entries in a format we do not know are dropped, as the API server drops what it cannot decode. */
export function readManagedFields(object: JsonObject | undefined): Ownership[] {
  const entries = at(object, 'metadata', 'managedFields');
  return isList(entries) ? entries.filter(isObject).flatMap(readEntry) : [];
}

function readEntry(entry: JsonObject): Ownership[] {
  const operation = textAt(entry, 'operation');
  if (operation !== 'Apply' && operation !== 'Update') return [];
  const owner: Owner = {
    manager: textAt(entry, 'manager'),
    operation,
    apiVersion: textAt(entry, 'apiVersion'),
    subresource: textAt(entry, 'subresource') || undefined,
  };
  const time = textAt(entry, 'time') || undefined;
  return [{ owner, fields: FieldSet.fromJson(objectAt(entry, 'fieldsV1') ?? {}), time }];
}

export function writeManagedFields(ownerships: readonly Ownership[]): JsonObject[] {
  return ownerships
    .filter(({ fields }) => !fields.isEmpty)
    .toSorted(inServerOrder)
    .map(({ owner, fields, time }) => ({
      manager: owner.manager,
      operation: owner.operation,
      apiVersion: owner.apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: fields.toJson(),
      ...(owner.subresource === undefined ? {} : { subresource: owner.subresource }),
    }));
}

/** An applier stays the same one when it moves to another version of the API; an updater does not. */
export function sameOwner(left: Owner, right: Owner): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.subresource === right.subresource &&
    (left.operation === 'Apply' || left.apiVersion === right.apiVersion)
  );
}

/** Whether two lists say the same but for their times. */
export function sameOwnerships(left: readonly Ownership[], right: readonly Ownership[]): boolean {
  const held = left.filter(({ fields }) => !fields.isEmpty);
  const other = right.filter(({ fields }) => !fields.isEmpty);
  return (
    held.length === other.length &&
    held.every((one) => other.some((two) => sameOwner(one.owner, two.owner) && one.fields.equals(two.fields)))
  );
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata');
  if (metadata === undefined) return object;
  return has(metadata, 'managedFields') ? { ...object, metadata: without(metadata, 'managedFields') } : object;
}

export function withManagedFields(object: JsonObject, entries: readonly JsonValue[]): JsonObject {
  if (entries.length === 0) return withoutManagedFields(object);
  return { ...object, metadata: { ...objectAt(object, 'metadata'), managedFields: [...entries] } };
}

export function printOwner(owner: Owner): string {
  const subresource = owner.subresource === undefined ? '' : ` with subresource ${JSON.stringify(owner.subresource)}`;
  const version = owner.operation === 'Update' ? ` using ${owner.apiVersion}` : '';
  return `${JSON.stringify(owner.manager)}${subresource}${version}`;
}

function inServerOrder(left: Ownership, right: Ownership): number {
  const keys = ({ owner, time }: Ownership): string[] => [
    owner.operation,
    (time ?? '').slice(0, 19),
    owner.manager,
    owner.apiVersion,
    owner.subresource ?? '',
  ];
  const theirs = keys(right);
  for (const [index, key] of keys(left).entries()) {
    const other = theirs[index] ?? '';
    if (key !== other) return key < other ? -1 : 1;
  }
  return 0;
}
