import { type JsonObject, type StoredObject, asObject, without } from '../store';
import { notAcceptable } from './api.errors';
import { toServed } from './conversion';
import { type ResourceType, type VersionBehaviour, groupVersion } from './resource-type';

export type Shape = 'full' | 'table' | 'metadata';

/** The form an answer takes, from the Accept header. */
export interface Representation {
  readonly shape: Shape;
  readonly format: 'json' | 'yaml';
  readonly groupVersion: string;
}

const FULL: Representation = { shape: 'full', format: 'json', groupVersion: '' };
const SERVED_MEDIA_TYPES = ['application/json', 'application/yaml', 'application/json;stream=watch'];

/** Picks the first acceptable form. @throws ApiError 406 when there is none. */
export function negotiate(accept: string | undefined): Representation {
  if (accept === undefined || accept.trim() === '') return FULL;
  for (const clause of accept.split(',')) {
    const [mediaType = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const given = new Map(parameters.map((parameter) => splitOnce(parameter)));
    const format = formatOf(mediaType.toLowerCase());
    if (!format) continue;
    const shape = shapeOf(given.get('as'));
    const version = given.get('v') ?? 'v1';
    if (!shape || (shape !== 'full' && version !== 'v1' && version !== 'v1beta1')) continue;
    return { shape, format, groupVersion: `meta.k8s.io/${version}` };
  }
  throw notAcceptable(SERVED_MEDIA_TYPES);
}

/** Discovery and the like take any wish that is not clearly YAML for JSON. */
export function negotiatePath(accept: string | undefined): Representation {
  return accept?.startsWith('application/yaml') ? { ...FULL, format: 'yaml' } : FULL;
}

function splitOnce(parameter: string): [string, string] {
  const at = parameter.indexOf('=');
  return at < 0 ? [parameter, ''] : [parameter.slice(0, at), parameter.slice(at + 1)];
}

function formatOf(mediaType: string): 'json' | 'yaml' | undefined {
  if (mediaType === 'application/json' || mediaType === '*/*' || mediaType === 'application/*') return 'json';
  return mediaType === 'application/yaml' ? 'yaml' : undefined;
}

function shapeOf(as: string | undefined): Shape | undefined {
  switch (as) {
    case undefined:
      return 'full';
    case 'Table':
      return 'table';
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return 'metadata';
    default:
      return undefined;
  }
}

/** The text of one object as a version shows it. */
export function objectText(type: ResourceType, version: VersionBehaviour, stored: StoredObject): string {
  if (type.group === 'events.k8s.io') return JSON.stringify(toServed(type, version.name, stored.object));
  return `{"kind":${JSON.stringify(type.kind)},"apiVersion":${JSON.stringify(groupVersion(type.group, version.name))},${stored.tail}`;
}

/** The text of one object inside a list: built-in kinds leave out what the list's own kind already says. */
export function itemText(type: ResourceType, version: VersionBehaviour, stored: StoredObject): string {
  if (type.custom) return objectText(type, version, stored);
  if (type.group !== 'events.k8s.io') return `{${stored.tail}`;
  return JSON.stringify(without(toServed(type, version.name, stored.object), 'kind', 'apiVersion'));
}

export function partialMetadata(object: JsonObject, apiVersion: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: asObject(object.metadata) };
}
