import { defaultBuiltin } from '../schema';
import { type JsonObject, type JsonValue, type StoredObject, asObject, asStringMap, isObject } from '../store';
import { buildControllerReference } from './controlled-objects';

const SAFE_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Short texts that differ between templates that differ; neither the order of fields nor defaults count, so that a
 * template that was loaded as it is stays the same when a later write fills in its defaults.
 */
export class TemplateHashes {
  /** By the template object itself, which writes that are not about it leave as it is. */
  private readonly known = new WeakMap<JsonObject, { readonly text: string; readonly hash: string }>();

  of(workload: StoredObject, collisions = 0): string {
    const template = templateOf(workload);
    let known = this.known.get(template);
    if (!known) {
      const { apiVersion = '', kind = '' } = workload.object;
      const text = sortedText(asObject(defaultBuiltin({ apiVersion, kind, spec: { template } }).spec).template ?? {});
      known = { text, hash: safeHash(text) };
      this.known.set(template, known);
    }
    return collisions === 0 ? known.hash : safeHash(`${known.text}${collisions}`);
  }
}

export const templateOf = ({ object }: StoredObject): JsonObject => asObject(asObject(object.spec).template);

function safeHash(text: string): string {
  let hash = 0x811c9dc5;
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
