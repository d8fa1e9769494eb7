import { textAt } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { nameColumn, plain } from './columns';
import type { Column } from './columns';
import { ageOf } from './human-duration';
import { findByPath } from './json-path';

/** The columns of a custom resource: its name, then what its definition declares, or its age if it declares nothing. */
export function customColumns(printerColumns: readonly JsonObject[]): Column[] {
  const declared = printerColumns.length > 0 ? printerColumns : [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }];
  return [nameColumn, ...declared.map(customColumn)];
}

function customColumn(column: JsonObject): Column {
  const type = columnType(textAt(column, 'type'));
  const path = textAt(column, 'jsonPath');
  return {
    name: textAt(column, 'name'),
    type,
    format: textAt(column, 'format'),
    description: textAt(column, 'description'),
    priority: column.priority === undefined || column.priority === 0 ? 0 : 1,
    cell: (object, nowMs) => cellOf(findByPath(object, path)[0], type, nowMs),
  };
}

function columnType(type: string): Column['type'] {
  switch (type) {
    case 'integer':
    case 'number':
    case 'boolean':
    case 'date':
      return type;
    default:
      return 'string';
  }
}

/** A value that is missing, or not of the column's type, leaves the cell empty. */
function cellOf(value: JsonValue | undefined, type: Column['type'], nowMs: number): JsonValue {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? (Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, nowMs)) : null;
    case 'string':
      return plain(value);
  }
}
