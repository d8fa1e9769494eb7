import { type AddressRange } from '../network';
import { type JsonObject, type ObjectStore, asArray, asObject, asString, without } from '../store';
import { type Target } from './api-request';
import { ClusterIps } from './cluster-ips';

/** What the server itself adds to new objects of certain built-in kinds. */
export class KindRules {
  private readonly clusterIps: ClusterIps;

  constructor(store: ObjectStore, clusterRange: AddressRange) {
    this.clusterIps = new ClusterIps(store, clusterRange);
  }

  prepareCreate({ type, version }: Target, object: JsonObject): JsonObject {
    const fresh = version.hasStatus ? { ...object, status: {} } : object;
    switch (`${type.group}/${type.kind}`) {
      case '/Namespace':
        return { ...fresh, spec: { ...asObject(object.spec), finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
      case '/Pod':
        return newPod(fresh);
      case '/Service':
        return this.clusterIps.assign({ ...fresh, status: { loadBalancer: {} } });
      case 'apiextensions.k8s.io/CustomResourceDefinition':
        return newDefinition(fresh);
      case 'batch/Job':
        return newJob(fresh);
      case 'apps/ReplicaSet':
        return { ...fresh, status: { replicas: 0 } };
      case 'apps/StatefulSet':
        return { ...fresh, status: { replicas: 0, availableReplicas: 0 } };
      default:
        return type.custom && version.hasStatus ? without(object, 'status') : fresh;
    }
  }

  prepareUpdate({ type, subresource }: Target, object: JsonObject, old: JsonObject): JsonObject {
    if (type.group === '' && type.kind === 'Service' && subresource === '') return this.clusterIps.assign(object, old);
    return object;
  }
}

const NODE_TOLERATIONS = ['not-ready', 'unreachable'].map((problem) => ({
  key: `node.kubernetes.io/${problem}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/** What the admission plugins of a usual cluster add to a pod, save the mounted token. */
function newPod(pod: JsonObject): JsonObject {
  const spec = asObject(pod.spec);
  const account = asString(spec.serviceAccountName) || asString(spec.serviceAccount) || 'default';
  const given = asArray(spec.tolerations).map(asObject);
  const tolerations = [...given, ...NODE_TOLERATIONS.filter(({ key }) => !given.some((toleration) => toleration.key === key))];
  return {
    ...pod,
    spec: {
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      ...spec,
      serviceAccountName: account,
      serviceAccount: account,
      tolerations,
    },
    status: { phase: 'Pending', qosClass: qosClass(spec) },
  };
}

function qosClass(spec: JsonObject): string {
  const containers = [...asArray(spec.containers), ...asArray(spec.initContainers)].map((container) =>
    asObject(asObject(container).resources),
  );
  const amounts = containers.map(({ requests, limits }) => ({ requests: asObject(requests), limits: asObject(limits) }));
  if (amounts.every(({ requests, limits }) => Object.keys({ ...requests, ...limits }).length === 0)) return 'BestEffort';
  const isGuaranteed = amounts.every(({ requests, limits }) =>
    ['cpu', 'memory'].every((resource) => limits[resource] !== undefined && (requests[resource] ?? limits[resource]) === limits[resource]),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** A job finds its pods by its own uid unless it was told how to. */
function newJob(job: JsonObject): JsonObject {
  const spec = asObject(job.spec);
  if (spec.manualSelector === true) return job;
  const metadata = asObject(job.metadata);
  const template = asObject(spec.template);
  const uid = asString(metadata.uid);
  const name = asString(metadata.name);
  const added = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const labels = { ...asObject(asObject(template.metadata).labels), ...added };
  return {
    ...job,
    metadata: { ...metadata, labels: metadata.labels ?? labels },
    spec: {
      ...spec,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { ...template, metadata: { ...asObject(template.metadata), labels } },
    },
  };
}

function newDefinition(definition: JsonObject): JsonObject {
  const stored = asArray(asObject(definition.spec).versions)
    .map(asObject)
    .filter((version) => version.storage === true);
  return {
    ...definition,
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: stored.map((version) => asString(version.name)) },
  };
}

/** Fields that events always carry, set or not. */
export function withEventFields(event: JsonObject): JsonObject {
  return {
    ...event,
    source: event.source ?? {},
    firstTimestamp: event.firstTimestamp ?? null,
    lastTimestamp: event.lastTimestamp ?? null,
    eventTime: event.eventTime ?? null,
    reportingComponent: event.reportingComponent ?? '',
    reportingInstance: event.reportingInstance ?? '',
  };
}
