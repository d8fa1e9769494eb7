import { at, has, isObject, listAt, objectAt, sameJson, textAt } from '../../json';
import type { JsonObject, JsonValue } from '../../json';
import { forbidden, invalid, notSupported, required, validateLabels } from '../../validation';
import type { FieldError } from '../../validation';
import { validatePodSpec } from './pods';
import { nonNegative } from './shared';

const STATEFUL_SET_MUTABLE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const STATEFUL_SET_FIELDS =
  'replicas ordinals template updateStrategy revisionHistoryLimit persistentVolumeClaimRetentionPolicy minReadySeconds'.split(' ');

/** Deployments, replica sets, stateful sets and daemon sets: a selector, and a template that fits it. */
export function validateWorkload(object: JsonObject, old?: JsonObject): FieldError[] {
  const kind = textAt(object, 'kind').toLowerCase();
  const spec = objectAt(object, 'spec') ?? {};
  return [
    ...nonNegative(spec, 'spec', 'replicas', 'minReadySeconds', 'revisionHistoryLimit'),
    ...validateSelector(spec, kind),
    ...validateTemplate(spec),
    ...(old === undefined ? [] : validateWorkloadUpdate(object, old)),
  ];
}

function validateSelector(spec: JsonObject, kind: string): FieldError[] {
  const selector = objectAt(spec, 'selector');
  const templateLabels = objectAt(spec, 'template', 'metadata', 'labels') ?? {};
  const mismatch = invalid('spec.template.metadata.labels', templateLabels, '`selector` does not match template `labels`');
  if (selector === undefined) return [required('spec.selector'), mismatch];
  const labels = objectAt(selector, 'matchLabels') ?? {};
  const isEmpty = Object.keys(labels).length === 0 && listAt(selector, 'matchExpressions').length === 0;
  if (isEmpty) return [invalid('spec.selector', selector, `empty selector is invalid for ${kind}`)];
  const problems = validateLabels(labels, 'spec.selector.matchLabels');
  if (problems.length > 0 || matches(selector, templateLabels)) return problems;
  return [mismatch];
}

function matches(selector: JsonObject, labels: JsonObject): boolean {
  const byLabel = Object.entries(objectAt(selector, 'matchLabels') ?? {}).every(([key, value]) => labels[key] === value);
  return (
    byLabel &&
    listAt(selector, 'matchExpressions')
      .filter(isObject)
      .every((requirement) => meets(requirement, labels))
  );
}

function meets(requirement: JsonObject, labels: JsonObject): boolean {
  const key = textAt(requirement, 'key');
  const isListed = has(labels, key) && listAt(requirement, 'values').includes(labels[key] ?? null);
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return has(labels, key);
    default:
      return !has(labels, key);
  }
}

function validateTemplate(spec: JsonObject): FieldError[] {
  const podSpec = withClaimedVolumes(spec, objectAt(spec, 'template', 'spec') ?? {});
  const restart = textAt(podSpec, 'restartPolicy');
  return [
    ...validateLabels(objectAt(spec, 'template', 'metadata', 'labels') ?? {}, 'spec.template.labels'),
    ...validatePodSpec(podSpec, 'spec.template.spec'),
    ...(restart === '' || restart === 'Always' ? [] : [notSupported('spec.template.spec.restartPolicy', restart, ['Always'])]),
  ];
}

/** A stateful set's claims become volumes of its pods, which containers may mount. */
function withClaimedVolumes(spec: JsonObject, podSpec: JsonObject): JsonObject {
  const claimed = listAt(spec, 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name'));
  const volumes = listAt(podSpec, 'volumes');
  const known = new Set(volumes.map((volume) => textAt(volume, 'name')));
  const added = claimed.filter((name) => name !== '' && !known.has(name)).map((name) => ({ name }));
  return added.length === 0 ? podSpec : { ...podSpec, volumes: [...volumes, ...added] };
}

function validateWorkloadUpdate(object: JsonObject, old: JsonObject): FieldError[] {
  if (textAt(object, 'kind') === 'StatefulSet') return validateStatefulSetUpdate(object, old);
  const selector = at(object, 'spec', 'selector');
  return sameJson(selector, at(old, 'spec', 'selector')) ? [] : [invalid('spec.selector', selector ?? null, 'field is immutable')];
}

function validateStatefulSetUpdate(object: JsonObject, old: JsonObject): FieldError[] {
  const fixed = (source: JsonObject): JsonValue =>
    Object.fromEntries(Object.entries(objectAt(source, 'spec') ?? {}).filter(([key]) => !STATEFUL_SET_FIELDS.includes(key)));
  return sameJson(fixed(object), fixed(old)) ? [] : [forbidden('spec', STATEFUL_SET_MUTABLE)];
}
