import { type JsonObject, type JsonValue, type StoredObject, asObject, asStringMap, isObject } from '../store';
import { buildControllerReference } from './controlled-objects';

const SAFE_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A short text that differs between templates that differ; the order of fields does not count. */
export function hashOf(value: JsonValue, collisions = 0): string {
  let hash = 0x811c9dc5;
  const text = collisions === 0 ? sortedText(value) : `${sortedText(value)}${collisions}`;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return String(hash).replace(/\d/g, (digit) => SAFE_ALPHABET[digit.charCodeAt(0) % SAFE_ALPHABET.length] ?? '');
}

function sortedText(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1))) : inner,
  );
}

/** A pod of the template, owned by who makes it. `naming` is its name or what its name begins with. */
export function buildPod(owner: StoredObject, template: JsonObject, naming: JsonObject, addedLabels: JsonObject = {}): JsonObject {
  const { labels, annotations, finalizers } = asObject(template.metadata);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...naming,
      labels: { ...asStringMap(labels), ...addedLabels },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [buildControllerReference(owner)],
    },
    spec: asObject(template.spec),
  };
}
