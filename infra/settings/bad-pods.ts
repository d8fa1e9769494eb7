import { operatorLabels, resolverLabels } from '../charts/names';
import { badAffinity, badTolerations } from './bad-scheduling';
import { lostFields } from './lost-fields';
import type { PodSettings } from './pod.settings';
import { fixedVariables } from './variables';

/** Of both programs: a pod with the labels of the other one would be found by its Services, policies and budget. */
const selected = { ...operatorLabels, ...resolverLabels };

/** What the pods of a program cannot have, as the rest of the manifests or the API server would not agree. */
export function badPods(program: string, pods: PodSettings, variables: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(pods.env);
  return [
    ...lostFields(program, pods),
    ...badTolerations(`${program}.tolerations`, pods.tolerations),
    ...badAffinity(`${program}.affinity`, pods.affinity),
    ...names
      .filter((name) => !/^[A-Za-z_]\w*$/.test(name))
      .map((name) => `${program}.env.${name} is no name of a variable: use letters, digits and _`),
    ...names
      .filter((name) => Object.hasOwn(variables, name))
      .map((name) => `${program}.env.${name} is set by ${variables[name]}; use that`),
    ...names
      .filter((name) => Object.hasOwn(fixedVariables, name))
      .map((name) => `${program}.env.${name} must stay ${fixedVariables[name]}, which these manifests are written for; leave it out`),
    ...Object.keys(pods.podLabels)
      .filter((label) => Object.hasOwn(selected, label))
      .map((label) => `${program}.podLabels.${label} is what Deployments, Services and policies of Elasti select by; use another label`),
  ];
}
