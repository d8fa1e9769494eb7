import { at, objectAt, listAt, textAt } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { ageOf } from './human-duration';

/** One column of a table: what kubectl shows at its head, and how a cell is made. Priority 1 is shown only with `-o wide`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  readonly priority: 0 | 1;
  readonly cell: (object: JsonObject, nowMs: number) => JsonValue;
}

export type Cell = (object: JsonObject, nowMs: number) => JsonValue;

export const nameColumn: Column = { ...text('Name', (object) => textAt(object, 'metadata', 'name')), format: 'name' };

export const ageColumn: Column = text('Age', (object, nowMs) => ageOf(textAt(object, 'metadata', 'creationTimestamp'), nowMs));

/** Kinds that the server has no printer for show when they were made, not how old they are. */
export const createdColumn: Column = { ...text('Created At', (object) => textAt(object, 'metadata', 'creationTimestamp')), type: 'date' };

export function text(name: string, cell: Cell): Column {
  return { name, type: 'string', format: '', description: '', priority: 0, cell };
}

export function integer(name: string, cell: Cell): Column {
  return { ...text(name, cell), type: 'integer' };
}

export function wide(column: Column): Column {
  return { ...column, priority: 1 };
}

export function numberAt(object: JsonValue | undefined, ...path: string[]): number {
  const found = at(object, ...path);
  return typeof found === 'number' ? found : 0;
}

/** A scalar as text; anything else as JSON. */
export function plain(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function orNone(value: string): string {
  return value === '' ? '<none>' : value;
}

/** `app=web,tier in (a,b)` */
export function printSelector(selector: JsonObject | undefined): string {
  if (selector === undefined) return '<none>';
  const labels = Object.entries(objectAt(selector, 'matchLabels') ?? {}).map(([key, value]) => `${key}=${plain(value)}`);
  const expressions = listAt(selector, 'matchExpressions').map(printRequirement);
  return orNone([...labels.sort(), ...expressions].join(','));
}

export function printLabels(labels: JsonObject | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${plain(value)}`);
  return orNone(pairs.sort().join(','));
}

function printRequirement(requirement: JsonValue): string {
  const key = textAt(requirement, 'key');
  const values = listAt(requirement, 'values').map(plain).join(',');
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}

/** The names and images of a pod template's containers, and the selector: the wide columns of every workload. */
export function workloadColumns(): Column[] {
  const containers = (object: JsonObject, key: string): string =>
    listAt(object, 'spec', 'template', 'spec', 'containers')
      .map((container) => textAt(container, key))
      .join(',');
  return [
    wide(text('Containers', (object) => containers(object, 'name'))),
    wide(text('Images', (object) => containers(object, 'image'))),
    wide(text('Selector', (object) => printSelector(objectAt(object, 'spec', 'selector')))),
  ];
}
