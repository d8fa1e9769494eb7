import type { KubeObject, ObjectRef } from './kube-object';
import { InvalidRequestError } from './request.errors';
import type { ResourceDefinition } from './resource-definition';

const plainSegment = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** `/apis/apps/v1/namespaces/shop/deployments`, or without the namespace for all of them. */
export function collectionPath(definition: ResourceDefinition, namespace?: string): string {
  const base = definition.group ? `/apis/${definition.group}/${definition.version}` : `/api/${definition.version}`;
  if (namespace === undefined) return `${base}/${definition.plural}`;
  if (!definition.namespaced) {
    throw new InvalidRequestError('namespace', `a ${definition.kind} belongs to the whole cluster: leave the namespace out`);
  }
  return `${base}/namespaces/${segment('namespace', namespace)}/${definition.plural}`;
}

/** The path of one object. @throws InvalidRequestError when the reference cannot name one */
export function objectPath(definition: ResourceDefinition, ref: ObjectRef, subresource?: string): string {
  requireNamespace(definition, 'namespace', ref.namespace);
  const path = `${collectionPath(definition, ref.namespace)}/${segment('name', ref.name)}`;
  return subresource ? `${path}/${subresource}` : path;
}

/** Where a new object is created. */
export function creationPath(definition: ResourceDefinition, object: KubeObject): string {
  const { name, generateName, namespace } = object.metadata;
  requireNamespace(definition, 'metadata.namespace', namespace);
  if (name === undefined || name === '') {
    if (!generateName) throw new InvalidRequestError('metadata.name', `a new ${definition.kind} needs a name, or a generateName`);
  } else {
    segment('metadata.name', name);
  }
  return collectionPath(definition, namespace);
}

/** The reference of an object that is written under its own name. */
export function writtenRef(definition: ResourceDefinition, object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  if (!name) throw new InvalidRequestError('metadata.name', `writing a ${definition.kind} needs its name`);
  return { name, namespace };
}

function requireNamespace(definition: ResourceDefinition, field: string, namespace: string | undefined): void {
  if (definition.namespaced && !namespace) {
    throw new InvalidRequestError(field, `a ${definition.kind} lives in a namespace: say which one`);
  }
}

function segment(field: string, value: string): string {
  if (plainSegment.test(value)) return value;
  if (!value) throw new InvalidRequestError(field, 'is empty: give the name of one object');
  if (value.includes('/') || value.includes('%') || value === '.' || value === '..') {
    throw new InvalidRequestError(field, `${JSON.stringify(value)} cannot be a name: it may hold no "/" or "%" and may not be "." or ".."`);
  }
  return encodeURIComponent(value);
}

type QueryValue = string | number | boolean | undefined;

/** `?a=1&b=x`, leaving out what is undefined; empty when nothing is left. */
export function queryString(parameters: Record<string, QueryValue>): string {
  let text = '';
  for (const name in parameters) {
    const value = parameters[name];
    if (value !== undefined) text += `${text ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}
