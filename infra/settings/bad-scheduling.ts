import { isObject } from './lost-fields';

const tolerationOperators = ['Exists', 'Equal'];
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const fieldOperators = ['In', 'NotIn'];
const labelOperators = [...fieldOperators, 'Exists', 'DoesNotExist'];
const nodeOperators = [...labelOperators, 'Gt', 'Lt'];

/** Tolerations that the API server would refuse when the manifests are applied. */
export function badTolerations(path: string, tolerations: readonly object[]): string[] {
  return tolerations.flatMap((toleration, index) => badToleration(`${path}[${index}]`, { ...toleration }));
}

function badToleration(path: string, { key, operator, value, effect, tolerationSeconds }: Readonly<Record<string, unknown>>): string[] {
  const isExists = operator === 'Exists';
  return [
    ...(isSaid(operator) ? notOneOf(`${path}.operator`, operator, tolerationOperators) : []),
    ...(isSaid(effect) ? notOneOf(`${path}.effect`, effect, effects) : []),
    ...(isSaid(key) || isExists ? [] : [`${path}.key is needed, unless operator is Exists: every taint is put up with then`]),
    ...(isExists && isSaid(value) ? [`${path}.value must be left out, as operator is Exists`] : []),
    ...(isSaid(tolerationSeconds) && effect !== 'NoExecute' ? [`${path}.effect must be NoExecute, as there are tolerationSeconds`] : []),
  ];
}

/** Requirements of nodes and labels that the API server would refuse when the manifests are applied. */
export function badAffinity(path: string, affinity: object = {}): string[] {
  return Object.entries(affinity).flatMap(([kind, rules]: [string, unknown]) =>
    badRequirementsIn(`${path}.${kind}`, rules, kind === 'nodeAffinity' ? nodeOperators : labelOperators),
  );
}

function badRequirementsIn(path: string, value: unknown, operators: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => badRequirementsIn(`${path}[${index}]`, one, operators));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = `${path}.${name}`;
    if (!Array.isArray(inner) || (name !== 'matchExpressions' && name !== 'matchFields')) return badRequirementsIn(here, inner, operators);
    const allowed = name === 'matchFields' ? fieldOperators : operators;
    return inner.flatMap((one, index) => badRequirement(`${here}[${index}]`, isObject(one) ? one : {}, allowed));
  });
}

function badRequirement(path: string, { operator, values }: Readonly<Record<string, unknown>>, operators: readonly string[]): string[] {
  const mistakes = notOneOf(`${path}.operator`, operator, operators);
  if (mistakes.length > 0) return mistakes;
  const isEmpty = !Array.isArray(values) || values.length === 0;
  if (operator !== 'Exists' && operator !== 'DoesNotExist') {
    return isEmpty ? [`${path}.values must not be empty, as operator is ${String(operator)}`] : [];
  }
  return isEmpty ? [] : [`${path}.values must be left out, as operator is ${operator}`];
}

function notOneOf(path: string, value: unknown, allowed: readonly string[]): string[] {
  return allowed.some((one) => one === value) ? [] : [`${path} must be one of ${allowed.join(', ')}`];
}

/** Kubernetes takes what is empty for absent. */
function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
