import { isObject, objectAt, textAt, without } from '../schema';
import type { JsonObject, TypeSchema } from '../schema';
import { FieldSet } from './field-set';
import { withoutManagedFields } from './managed-fields';
import { compare, fieldsOf } from './walk';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** What `kubectl apply` once set from the client and nobody has changed since: moving to server-side apply may take it over. */
export function allowedByLastApplied(live: JsonObject, apiVersion: string, schema: TypeSchema): FieldSet {
  const lastApplied = parseAnnotation(live);
  if (lastApplied === undefined || textAt(lastApplied, 'apiVersion') !== apiVersion) return FieldSet.empty;
  const { added, modified, removed } = compare(lastApplied, withoutManagedFields(live), schema);
  return fieldsOf(lastApplied, schema).difference(modified).difference(added).difference(removed);
}

/** Keeps the annotation true for those who still apply from the client; only kubectl's own manager does this. */
export function syncLastApplied(object: JsonObject, config: JsonObject, manager: string): JsonObject {
  const annotations = objectAt(object, 'metadata', 'annotations');
  if (manager !== 'kubectl' || annotations === undefined || textAt(annotations, ANNOTATION) === '') return object;
  return {
    ...object,
    metadata: {
      ...objectAt(object, 'metadata'),
      annotations: { ...annotations, [ANNOTATION]: `${JSON.stringify(withoutAnnotation(config))}\n` },
    },
  };
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const annotations = objectAt(config, 'metadata', 'annotations');
  if (annotations === undefined) return config;
  return { ...config, metadata: { ...objectAt(config, 'metadata'), annotations: without(annotations, ANNOTATION) } };
}

function parseAnnotation(live: JsonObject): JsonObject | undefined {
  const text = textAt(live, 'metadata', 'annotations', ANNOTATION);
  if (text === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
