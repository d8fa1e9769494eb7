import { objectAt } from '../schema';
import type { JsonObject } from '../schema';
import { createdColumn, nameColumn } from './columns';
import type { Column } from './columns';
import { kindColumns } from './kinds';
import { customColumns } from './printer-columns';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableRequest {
  readonly group: string;
  readonly kind: string;
  /** What goes with each row; metadata if nothing is said. */
  readonly includeObject?: IncludeObject;
  /** The list's own metadata (resourceVersion, continue), passed on. */
  readonly metadata?: JsonObject;
}

/**
 * A meta.k8s.io/v1 Table, which is what `kubectl get` asks for. `printerColumns` are the additionalPrinterColumns of a custom resource
 * version: pass a list, even an empty one, for custom resources, and nothing for built-in kinds.
 */
export function toTable(
  request: TableRequest,
  objects: readonly JsonObject[],
  printerColumns: readonly JsonObject[] | undefined,
  nowMs: number,
): JsonObject {
  const columns = columnsOf(request, printerColumns);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: request.metadata ?? {},
    columnDefinitions: columns.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, nowMs)),
      ...rowObject(object, request.includeObject ?? 'Metadata'),
    })),
  };
}

function columnsOf(request: TableRequest, printerColumns: readonly JsonObject[] | undefined): readonly Column[] {
  if (printerColumns !== undefined) return customColumns(printerColumns);
  return kindColumns.get(`${request.group}/${request.kind}`) ?? [nameColumn, createdColumn];
}

function rowObject(object: JsonObject, include: IncludeObject): JsonObject {
  switch (include) {
    case 'None':
      return {};
    case 'Object':
      return { object };
    case 'Metadata':
      return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: objectAt(object, 'metadata') ?? {} } };
  }
}
