import { at, get, listAt, objectAt, sameJson, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { configMapKey, forbidden, invalid, qualifiedName, required } from '../../validation';
import type { FieldError } from '../../validation';
import { nonNegative, oneOf, positive } from './shared';

const MAX_BYTES = 1024 * 1024;

export function validateConfigMap(configMap: JsonObject, old?: JsonObject): FieldError[] {
  const data = objectAt(configMap, 'data') ?? {};
  const binary = objectAt(configMap, 'binaryData') ?? {};
  const twice = Object.keys(data).filter((key) => Object.hasOwn(binary, key));
  return [
    ...validateKeys(data, 'data'),
    ...validateKeys(binary, 'binaryData'),
    ...twice.map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...validateSize(data, ''),
    ...validateImmutable(configMap, old, ['data', 'binaryData']),
  ];
}

export function validateSecret(secret: JsonObject, old?: JsonObject): FieldError[] {
  const type = textAt(secret, 'type');
  return [
    ...validateKeys(objectAt(secret, 'data') ?? {}, 'data'),
    ...validateSize(objectAt(secret, 'data') ?? {}, 'data'),
    ...(old !== undefined && textAt(old, 'type') !== type ? [invalid('type', type, 'field is immutable')] : []),
    ...validateImmutable(secret, old, ['data']),
  ];
}

function validateKeys(data: JsonObject, field: string): FieldError[] {
  return Object.keys(data).flatMap((key) => configMapKey(key).map((problem) => invalid(`${field}[${key}]`, key, problem)));
}

function validateSize(data: JsonObject, field: string): FieldError[] {
  const bytes = Object.values(data).reduce<number>((sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0), 0);
  return bytes > MAX_BYTES ? [{ field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${MAX_BYTES} bytes` }] : [];
}

function validateImmutable(object: JsonObject, old: JsonObject | undefined, fields: readonly string[]): FieldError[] {
  if (old === undefined || at(old, 'immutable') !== true) return [];
  const rule = 'field is immutable when `immutable` is set';
  const switched = at(object, 'immutable') === true ? [] : [forbidden('immutable', rule)];
  return [...switched, ...fields.filter((key) => !sameJson(get(object, key), get(old, key))).map((key) => forbidden(key, rule))];
}

export function validateLease(lease: JsonObject): FieldError[] {
  const spec = objectAt(lease, 'spec') ?? {};
  return [...positive(spec, 'spec', 'leaseDurationSeconds'), ...nonNegative(spec, 'spec', 'leaseTransitions')];
}

/** The rules for events.k8s.io/v1; the older core events are let in as they come, but for their namespace. */
export function validateEvent(event: JsonObject): FieldError[] {
  const namespace = textAt(event, 'metadata', 'namespace');
  if (textAt(event, 'apiVersion') === 'v1') {
    const involved = textAt(event, 'involvedObject', 'namespace');
    const fits = involved === namespace || (involved === '' && namespace === 'default');
    return fits ? [] : [invalid('involvedObject.namespace', involved, 'does not match event.namespace')];
  }
  const missing = ['reportingController', 'reportingInstance', 'action', 'reason'].filter((key) => textAt(event, key) === '');
  const controller = textAt(event, 'reportingController');
  return [
    ...qualifiedName(controller).map((problem) => invalid('reportingController', controller, problem)),
    ...(textAt(event, 'eventTime') === '' ? [required('eventTime')] : []),
    ...missing.map((key) => required(key)),
    ...(textAt(event, 'note').length > 1024 ? [invalid('message', '', 'can have at most 1024 characters')] : []),
    ...(['Normal', 'Warning'].includes(textAt(event, 'type')) ? [] : [invalid('type', '', `has invalid value: ${textAt(event, 'type')}`)]),
  ];
}

export function validateAutoscaler(autoscaler: JsonObject): FieldError[] {
  const spec = objectAt(autoscaler, 'spec') ?? {};
  const target = objectAt(spec, 'scaleTargetRef') ?? {};
  const min = get(spec, 'minReplicas');
  const max = get(spec, 'maxReplicas');
  const isBelow = typeof min === 'number' && typeof max === 'number' && max < min;
  return [
    ...positive(spec, 'spec', 'minReplicas'),
    ...(typeof max === 'number' && max > 0 ? [] : [required('spec.maxReplicas', 'must be set and greater than 0')]),
    ...(textAt(target, 'apiVersion') === '' ? [invalid('spec.scaleTargetRef.apiVersion', '', 'apiVersion must specify API group')] : []),
    ...(isBelow ? [invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')] : []),
  ];
}

export function validateDisruptionBudget(budget: JsonObject): FieldError[] {
  const spec = objectAt(budget, 'spec') ?? {};
  if (get(spec, 'minAvailable') === undefined || get(spec, 'maxUnavailable') === undefined) return [];
  const shown = {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
  return [invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set')];
}

export function validateRole(role: JsonObject): FieldError[] {
  return listAt(role, 'rules').flatMap((rule, index) =>
    listAt(rule, 'verbs').length === 0 ? [required(`rules[${index}].verbs`, 'verbs must contain at least one value')] : [],
  );
}

export function validateClaim(claim: JsonObject): FieldError[] {
  const spec = objectAt(claim, 'spec') ?? {};
  const storage = at(spec, 'resources', 'requests', 'storage');
  return [
    ...(listAt(spec, 'accessModes').length === 0 ? [required('spec.accessModes', 'at least 1 access mode is required')] : []),
    ...(storage === undefined ? [required('spec.resources[storage]')] : []),
    ...oneOf(spec, 'spec', 'volumeMode', ['Block', 'Filesystem']),
  ];
}
