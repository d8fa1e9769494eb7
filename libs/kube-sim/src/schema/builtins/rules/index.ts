import type { LoopbackEndpoints } from '../../../network';
import { textAt } from '../../json';
import type { JsonObject } from '../../json';
import { dnsLabel, labelWithoutDots, dnsSubdomain, pathSegment, validateObjectMeta } from '../../validation';
import type { FieldError, NameRule } from '../../validation';
import {
  validateAutoscaler,
  validateClaim,
  validateConfigMap,
  validateDisruptionBudget,
  validateEvent,
  validateLease,
  validateRole,
  validateSecret,
} from './config';
import { validatePod } from './pods';
import { roleRefIsFixed, validateEndpointSlice, validateService } from './services';
import { validateWorkload } from './workloads';

type Rule = (object: JsonObject, old: JsonObject | undefined, loopbackEndpoints: LoopbackEndpoints) => FieldError[];

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['Pod', validatePod],
  ['Service', validateService],
  ['EndpointSlice', validateEndpointSlice],
  ['Deployment', validateWorkload],
  ['ReplicaSet', validateWorkload],
  ['StatefulSet', validateWorkload],
  ['DaemonSet', validateWorkload],
  ['ConfigMap', validateConfigMap],
  ['Secret', validateSecret],
  ['Lease', validateLease],
  ['Event', validateEvent],
  ['HorizontalPodAutoscaler', validateAutoscaler],
  ['PodDisruptionBudget', validateDisruptionBudget],
  ['PersistentVolumeClaim', validateClaim],
  ['Role', validateRole],
  ['ClusterRole', validateRole],
  ['RoleBinding', roleRefIsFixed],
  ['ClusterRoleBinding', roleRefIsFixed],
]);

const nameRules: ReadonlyMap<string, NameRule> = new Map<string, NameRule>([
  ['Namespace', labelWithoutDots],
  ['Service', dnsLabel],
  ['Role', pathSegment],
  ['ClusterRole', pathSegment],
  ['RoleBinding', pathSegment],
  ['ClusterRoleBinding', pathSegment],
]);

/**
 * What the API server would refuse (422) about a built-in object that has its defaults; with the stored object given, also what may not
 * change. Covers metadata of all kinds and the specs of the common ones, not every rule of every kind.
 */
export function validateBuiltin(object: JsonObject, old?: JsonObject, loopbackEndpoints: LoopbackEndpoints = 'refused'): FieldError[] {
  const kind = textAt(object, 'kind');
  const nameRule = nameRules.get(kind) ?? dnsSubdomain;
  return [...validateObjectMeta(object, nameRule, old), ...(rules.get(kind)?.(object, old, loopbackEndpoints) ?? [])];
}
