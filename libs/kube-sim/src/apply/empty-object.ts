import type { JsonObject } from '../schema';

const podTemplate: JsonObject = { metadata: {}, spec: { containers: null } };

/**
 * What a new object of a built-in kind holds before anything is set. The API server compares a create with this, so that the structs in it
 * are never owned themselves, only what is put into them. Custom resources start from nothing.
 */
export function emptyObject(kind: string, isBuiltin: boolean): JsonObject {
  return isBuiltin ? { metadata: {}, spec: emptySpecs.get(kind) ?? {}, status: emptyStatuses.get(kind) ?? {} } : { metadata: {} };
}

const emptySpecs: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['Pod', { containers: null }],
  ['Deployment', { selector: null, strategy: {}, template: podTemplate }],
  ['ReplicaSet', { selector: null, template: podTemplate }],
  ['StatefulSet', { selector: null, template: podTemplate, updateStrategy: {} }],
  ['DaemonSet', { selector: null, template: podTemplate, updateStrategy: {} }],
  ['Job', { template: podTemplate }],
  ['CronJob', { schedule: '', jobTemplate: { metadata: {}, spec: { template: podTemplate } } }],
  ['PersistentVolumeClaim', { resources: {} }],
  ['HorizontalPodAutoscaler', { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 }],
  ['CustomResourceDefinition', { group: '', names: { plural: '', kind: '' }, scope: '', versions: null }],
]);

const emptyStatuses: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['Service', { loadBalancer: {} }],
  ['Node', { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: {} }],
]);
