import { isDeepStrictEqual } from 'node:util';
import { k8s } from 'cdk8s-plus-28';
import type { PodSettings } from './pod.settings';

/** The fields of affinity and tolerations that cdk8s would drop without a word: those that its Kubernetes does not know. */
export function lostFields(path: string, { affinity, tolerations }: Pick<PodSettings, 'affinity' | 'tolerations'>): string[] {
  const lost = [
    ...differences(`${path}.affinity`, affinity, k8s.toJson_Affinity(affinity)),
    ...tolerations.flatMap((given, index) => differences(`${path}.tolerations[${index}]`, given, k8s.toJson_Toleration(given))),
  ];
  return lost.map((field) => `${field} is not known to Kubernetes 1.28, which these manifests are written for; leave it out`);
}

function differences(path: string, given: unknown, kept: unknown): string[] {
  if (isDeepStrictEqual(given, kept)) return [];
  if (Array.isArray(given) && Array.isArray(kept)) return given.flatMap((one, index) => differences(`${path}[${index}]`, one, kept[index]));
  if (!isObject(given) || !isObject(kept)) return [path];
  return Object.entries(given).flatMap(([name, inner]) => differences(`${path}.${name}`, inner, kept[name]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
