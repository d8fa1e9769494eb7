import { at, isObject, listAt, objectAt, textAt } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import {
  ageColumn,
  nameColumn,
  integer,
  numberAt,
  orNone,
  plain,
  printLabels,
  printSelector,
  text,
  wide,
  workloadColumns,
} from './columns';
import type { Column } from './columns';
import { ageOf } from './human-duration';
import { podColumns } from './pods';

const [containers, images, selector] = workloadColumns();
const workload = [containers, images, selector].filter((column) => column !== undefined);

const deployment: readonly Column[] = [
  nameColumn,
  text('Ready', (object) => `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`),
  text('Up-to-date', (object) => numberAt(object, 'status', 'updatedReplicas')),
  text('Available', (object) => numberAt(object, 'status', 'availableReplicas')),
  ageColumn,
  ...workload,
];

const statefulSet: readonly Column[] = [
  nameColumn,
  text('Ready', (object) => `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`),
  ageColumn,
  ...workload.slice(0, 2),
];

const replicaSet: readonly Column[] = [
  nameColumn,
  integer('Desired', (object) => numberAt(object, 'spec', 'replicas')),
  integer('Current', (object) => numberAt(object, 'status', 'replicas')),
  integer('Ready', (object) => numberAt(object, 'status', 'readyReplicas')),
  ageColumn,
  ...workload,
];

const daemonSet: readonly Column[] = [
  nameColumn,
  integer('Desired', (object) => numberAt(object, 'status', 'desiredNumberScheduled')),
  integer('Current', (object) => numberAt(object, 'status', 'currentNumberScheduled')),
  integer('Ready', (object) => numberAt(object, 'status', 'numberReady')),
  integer('Up-to-date', (object) => numberAt(object, 'status', 'updatedNumberScheduled')),
  integer('Available', (object) => numberAt(object, 'status', 'numberAvailable')),
  text('Node Selector', (object) => printLabels(objectAt(object, 'spec', 'template', 'spec', 'nodeSelector'))),
  ageColumn,
  ...workload,
];

const service: readonly Column[] = [
  nameColumn,
  text('Type', (object) => textAt(object, 'spec', 'type')),
  text('Cluster-IP', (object) => orNone(textAt(object, 'spec', 'clusterIP'))),
  text('External-IP', externalIp),
  text('Port(s)', (object) => orNone(listAt(object, 'spec', 'ports').map(printServicePort).join(','))),
  ageColumn,
  wide(text('Selector', (object) => printLabels(objectAt(object, 'spec', 'selector')))),
];

const node: readonly Column[] = [
  nameColumn,
  text('Status', nodeStatus),
  text('Roles', nodeRoles),
  ageColumn,
  text('Version', (object) => textAt(object, 'status', 'nodeInfo', 'kubeletVersion')),
  wide(text('Internal-IP', (object) => nodeAddress(object, 'InternalIP'))),
  wide(text('External-IP', (object) => nodeAddress(object, 'ExternalIP'))),
  wide(text('OS-Image', (object) => textAt(object, 'status', 'nodeInfo', 'osImage') || '<unknown>')),
  wide(text('Kernel-Version', kernelVersion)),
  wide(text('Container-Runtime', (object) => textAt(object, 'status', 'nodeInfo', 'containerRuntimeVersion') || '<unknown>')),
];

const event: readonly Column[] = [
  text('Last Seen', (object, nowMs) => ageOf(lastSeen(object), nowMs)),
  text('Type', (object) => textAt(object, 'type')),
  text('Reason', (object) => textAt(object, 'reason')),
  text('Object', eventObject),
  wide(text('Subobject', (object) => textAt(regarding(object), 'fieldPath'))),
  wide(text('Source', eventSource)),
  text('Message', (object) => (textAt(object, 'message') || textAt(object, 'note')).trim()),
  wide(text('First Seen', (object, nowMs) => ageOf(firstSeen(object), nowMs))),
  wide(
    text('Count', (object) => numberAt(object, 'series', 'count') || numberAt(object, 'count') || numberAt(object, 'deprecatedCount') || 1),
  ),
  wide({ ...nameColumn }),
];

const endpointSlice: readonly Column[] = [
  nameColumn,
  text('AddressType', (object) => textAt(object, 'addressType')),
  text('Ports', (object) =>
    shortened(
      listAt(object, 'ports').map((port) => String(numberAt(port, 'port') || '*')),
      '<unset>',
    ),
  ),
  text('Endpoints', (object) =>
    shortened(
      listAt(object, 'endpoints').flatMap((endpoint) => listAt(endpoint, 'addresses').map(plain)),
      '<unset>',
    ),
  ),
  ageColumn,
];

const bindingSubjects = (object: JsonObject, kind: string): string =>
  listAt(object, 'subjects')
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => [textAt(subject, 'namespace'), textAt(subject, 'name')].filter((part) => part !== '').join('/'))
    .join(', ');

const roleBinding: readonly Column[] = [
  nameColumn,
  text('Role', (object) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`),
  ageColumn,
  wide(text('Users', (object) => bindingSubjects(object, 'User'))),
  wide(text('Groups', (object) => bindingSubjects(object, 'Group'))),
  wide(text('ServiceAccounts', (object) => bindingSubjects(object, 'ServiceAccount'))),
];

const autoscaler: readonly Column[] = [
  nameColumn,
  text('Reference', (object) => `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`),
  text('Targets', () => '<unknown>'),
  text('MinPods', (object) => plain(at(object, 'spec', 'minReplicas') ?? '<unset>')),
  text('MaxPods', (object) => numberAt(object, 'spec', 'maxReplicas')),
  text('Replicas', (object) => numberAt(object, 'status', 'currentReplicas')),
  ageColumn,
];

const disruptionBudget: readonly Column[] = [
  nameColumn,
  text('Min Available', (object) => plain(at(object, 'spec', 'minAvailable') ?? 'N/A')),
  text('Max Unavailable', (object) => plain(at(object, 'spec', 'maxUnavailable') ?? 'N/A')),
  integer('Allowed Disruptions', (object) => numberAt(object, 'status', 'disruptionsAllowed')),
  ageColumn,
];

const countOf =
  (...keys: string[]) =>
  (object: JsonObject): number =>
    keys.reduce((sum, key) => sum + Object.keys(objectAt(object, key) ?? {}).length, 0);

const webhooks: readonly Column[] = [nameColumn, integer('Webhooks', (object) => listAt(object, 'webhooks').length), ageColumn];

/** The columns of the kinds that the server has a printer for, by `group/Kind`. */
export const kindColumns: ReadonlyMap<string, readonly Column[]> = new Map<string, readonly Column[]>([
  ['/Pod', podColumns],
  ['/Service', service],
  ['/Node', node],
  ['/Namespace', [nameColumn, text('Status', (object) => textAt(object, 'status', 'phase')), ageColumn]],
  ['/ConfigMap', [nameColumn, text('Data', countOf('data', 'binaryData')), ageColumn]],
  ['/Secret', [nameColumn, text('Type', (object) => textAt(object, 'type')), text('Data', countOf('data')), ageColumn]],
  ['/ServiceAccount', [nameColumn, ageColumn]],
  ['/Endpoints', [nameColumn, text('Endpoints', printEndpoints), ageColumn]],
  ['/Event', event],
  ['events.k8s.io/Event', event],
  ['apps/Deployment', deployment],
  ['apps/StatefulSet', statefulSet],
  ['apps/ReplicaSet', replicaSet],
  ['apps/DaemonSet', daemonSet],
  ['coordination.k8s.io/Lease', [nameColumn, text('Holder', (object) => textAt(object, 'spec', 'holderIdentity')), ageColumn]],
  ['discovery.k8s.io/EndpointSlice', endpointSlice],
  [
    'networking.k8s.io/NetworkPolicy',
    [nameColumn, text('Pod-Selector', (object) => printSelector(objectAt(object, 'spec', 'podSelector'))), ageColumn],
  ],
  ['autoscaling/HorizontalPodAutoscaler', autoscaler],
  ['policy/PodDisruptionBudget', disruptionBudget],
  ['rbac.authorization.k8s.io/RoleBinding', roleBinding],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', roleBinding],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', webhooks],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', webhooks],
]);

function externalIp(object: JsonObject): string {
  const ips = listAt(object, 'spec', 'externalIPs').map(plain);
  switch (textAt(object, 'spec', 'type')) {
    case 'ExternalName':
      return textAt(object, 'spec', 'externalName');
    case 'LoadBalancer': {
      const given = listAt(object, 'status', 'loadBalancer', 'ingress').map((one) => textAt(one, 'ip') || textAt(one, 'hostname'));
      return [...given, ...ips].join(',') || '<pending>';
    }
    default:
      return orNone(ips.join(','));
  }
}

function printServicePort(port: JsonValue): string {
  const nodePort = numberAt(port, 'nodePort');
  return `${numberAt(port, 'port')}${nodePort === 0 ? '' : `:${nodePort}`}/${textAt(port, 'protocol')}`;
}

function nodeStatus(object: JsonObject): string {
  const ready = listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
  const status = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(object, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function kernelVersion(object: JsonObject): string {
  const version = textAt(object, 'status', 'nodeInfo', 'kernelVersion');
  const architecture = textAt(object, 'status', 'nodeInfo', 'architecture');
  return version === '' ? '<unknown>' : `${version} (${architecture})`;
}

function nodeRoles(object: JsonObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const labels = Object.keys(objectAt(object, 'metadata', 'labels') ?? {});
  const roles = labels.filter((label) => label.startsWith(prefix)).map((label) => label.slice(prefix.length));
  return orNone(roles.sort().join(','));
}

function nodeAddress(object: JsonObject, type: string): string {
  const found = listAt(object, 'status', 'addresses').find((address) => textAt(address, 'type') === type);
  return orNone(textAt(found, 'address'));
}

function regarding(object: JsonObject): JsonObject {
  return objectAt(object, 'involvedObject') ?? objectAt(object, 'regarding') ?? {};
}

function eventObject(object: JsonObject): string {
  const target = regarding(object);
  const kind = textAt(target, 'kind').toLowerCase();
  const name = textAt(target, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function eventSource(object: JsonObject): string {
  const source = objectAt(object, 'source') ?? objectAt(object, 'deprecatedSource') ?? {};
  const component = textAt(source, 'component') || textAt(object, 'reportingComponent') || textAt(object, 'reportingController');
  const host = textAt(source, 'host') || textAt(object, 'reportingInstance');
  return [component, host].filter((part) => part !== '').join(', ');
}

function lastSeen(object: JsonObject): string {
  return (
    textAt(object, 'series', 'lastObservedTime') ||
    textAt(object, 'lastTimestamp') ||
    textAt(object, 'deprecatedLastTimestamp') ||
    firstSeen(object)
  );
}

function firstSeen(object: JsonObject): string {
  return textAt(object, 'firstTimestamp') || textAt(object, 'deprecatedFirstTimestamp') || textAt(object, 'eventTime');
}

function printEndpoints(object: JsonObject): string {
  const addresses = listAt(object, 'subsets')
    .filter(isObject)
    .flatMap((subset) =>
      listAt(subset, 'addresses').flatMap((address) =>
        listAt(subset, 'ports').map((port) => `${textAt(address, 'ip')}:${numberAt(port, 'port')}`),
      ),
    );
  return listAt(object, 'subsets').length === 0 ? '<none>' : shortened(addresses, '');
}

/** Three are shown, the rest is counted. */
function shortened(values: readonly string[], nothing: string): string {
  if (values.length === 0) return nothing;
  return values.length > 3 ? `${values.slice(0, 3).join(',')} + ${values.length - 3} more...` : values.join(',');
}
