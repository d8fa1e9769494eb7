import { type JsonObject, type StoredObject, asArray, asObject, asString, asStringMap, valueAt, withValueAt } from '../store';
import { ApiError, type FieldProblem, invalid } from './api.errors';
import { type Target } from './api-request';
import { type ScalePaths } from './resource-type';

const stepsOf = (path: string): string[] => path.split('.').filter((step) => step !== '');

/** The autoscaling/v1 Scale of an object that can be scaled. */
export function scaleOf(target: Target, paths: ScalePaths, stored: StoredObject): JsonObject {
  const { metadata, object } = stored;
  const selector = paths.labelSelectorPath === undefined ? undefined : valueAt(object, stepsOf(paths.labelSelectorPath));
  const status: JsonObject = { replicas: Number(valueAt(object, stepsOf(paths.statusReplicasPath)) ?? 0) };
  const selectorText = typeof selector === 'string' ? selector : selectorToText(asObject(selector));
  if (selectorText !== '') status.selector = selectorText;
  const identity: JsonObject = { name: stored.name };
  if (target.type.namespaced) identity.namespace = stored.namespace;
  for (const field of ['uid', 'resourceVersion', 'creationTimestamp']) if (metadata[field] !== undefined) identity[field] = metadata[field];
  const found = valueAt(object, stepsOf(paths.specReplicasPath));
  if (found === undefined && target.type.custom) throw missingReplicas(paths.specReplicasPath);
  const replicas = Number(found ?? 0);
  return { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: identity, spec: replicas === 0 ? {} : { replicas }, status };
}

function missingReplicas(path: string): ApiError {
  const message = `the spec replicas field "${path}" does not exist`;
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** The object with the replicas of a Scale, and the Scale's version as its precondition. */
export function withScale(paths: ScalePaths, object: JsonObject, scale: JsonObject): JsonObject {
  const replicas = Number(asObject(scale.spec).replicas ?? 0);
  const scaled = withValueAt(object, stepsOf(paths.specReplicasPath), replicas);
  const metadata = { ...asObject(object.metadata) };
  const version = asString(asObject(scale.metadata).resourceVersion);
  if (version === '') delete metadata.resourceVersion;
  else metadata.resourceVersion = version;
  return { ...scaled, metadata };
}

function selectorToText(selector: JsonObject): string {
  const labels = Object.entries(asStringMap(selector.matchLabels)).map(([key, value]) => `${key}=${value}`);
  const expressions = asArray(selector.matchExpressions).map((entry) => {
    const expression = asObject(entry);
    const key = asString(expression.key);
    const operator = asString(expression.operator);
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${asArray(expression.values).map(asString).sort().join(',')})`;
  });
  return [...labels, ...expressions].sort().join(',');
}

/** @throws ApiError 422 for a number of replicas that cannot be. */
export function checkScale({ type, name }: Target, paths: ScalePaths, scale: JsonObject): void {
  const replicas = asObject(scale.spec).replicas;
  if (typeof replicas !== 'number' || replicas >= 0) return;
  const problem = (field: string, why: string): FieldProblem => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${replicas}: ${why}`,
  });
  if (type.custom) throw invalid(type.group, type.kind, name, [problem(paths.specReplicasPath, 'should be a non-negative integer')]);
  throw invalid('autoscaling', 'Scale', name, [problem('spec.replicas', 'must be greater than or equal to 0')]);
}
