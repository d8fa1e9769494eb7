import { type JsonObject, asObject, asString, asStringMap, without } from './json';

/**
 * One version of one object, never changed after it was made.
 *
 * Its text is made on first use and kept, so an object that many lists and watches send is serialized once. The text
 * leaves out kind and apiVersion: they are put in front by whoever sends it, which makes a served version free.
 */
export class StoredObject {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Record<string, string>;
  private tailText?: string;

  constructor(
    readonly object: JsonObject,
    readonly resourceVersion: number,
  ) {
    const metadata = asObject(object.metadata);
    this.namespace = asString(metadata.namespace);
    this.name = asString(metadata.name);
    this.uid = asString(metadata.uid);
    this.labels = asStringMap(metadata.labels);
    this.key = objectKey(this.namespace, this.name);
  }

  get metadata(): JsonObject {
    return asObject(this.object.metadata);
  }

  /** The object's JSON without its kind and apiVersion and without the opening brace. */
  get tail(): string {
    this.tailText ??= JSON.stringify(without(this.object, 'kind', 'apiVersion')).slice(1);
    return this.tailText;
  }
}

export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
