import { type ResourceType, type ScalePaths } from './resource-type';

interface BuiltinRow {
  readonly plural: string;
  readonly kind: string;
  readonly namespaced?: false;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly hasStatus?: true;
  readonly scale?: true;
  readonly hasGeneration?: true;
  readonly generationFollows?: 'everything';
  readonly deprecationWarning?: string;
  readonly fields?: readonly string[];
  readonly updateWithoutVersion?: 'refused';
  readonly updateOfMissing?: 'creates';
  readonly deleteAnswer?: 'object';
  readonly defaultPropagation?: 'Orphan';
  readonly storageId?: string;
}

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const NAMESPACE_VERBS = ALL_VERBS.filter((verb) => verb !== 'deletecollection');

const WORKLOAD_SCALE: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

const workload = { categories: ['all'], hasStatus: true, hasGeneration: true } as const;

const EVENT_FIELDS = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
];

const EVENTS_GROUP_FIELDS = EVENT_FIELDS.filter((field) => field !== 'source').map((field) =>
  field.replace('involvedObject', 'regarding').replace('reportingComponent', 'reportingController'),
);

const CORE: readonly BuiltinRow[] = [
  {
    plural: 'namespaces',
    kind: 'Namespace',
    namespaced: false,
    shortNames: ['ns'],
    hasStatus: true,
    fields: ['status.phase', 'name'],
    deleteAnswer: 'object',
  },
  { plural: 'nodes', kind: 'Node', namespaced: false, shortNames: ['no'], hasStatus: true, fields: ['spec.unschedulable'] },
  {
    plural: 'pods',
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
    hasStatus: true,
    hasGeneration: true,
    deleteAnswer: 'object',
    fields: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ],
  },
  {
    plural: 'services',
    kind: 'Service',
    shortNames: ['svc'],
    categories: ['all'],
    hasStatus: true,
    deleteAnswer: 'object',
    updateOfMissing: 'creates',
    fields: ['spec.clusterIP', 'spec.type'],
  },
  { plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] },
  { plural: 'secrets', kind: 'Secret', fields: ['type'] },
  { plural: 'serviceaccounts', kind: 'ServiceAccount', shortNames: ['sa'], deleteAnswer: 'object' },
  {
    plural: 'endpoints',
    kind: 'Endpoints',
    shortNames: ['ep'],
    updateOfMissing: 'creates',
    deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  },
  { plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', shortNames: ['pvc'], hasStatus: true, deleteAnswer: 'object' },
  { plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false, shortNames: ['pv'], hasStatus: true, deleteAnswer: 'object' },
  { plural: 'resourcequotas', kind: 'ResourceQuota', shortNames: ['quota'], hasStatus: true, deleteAnswer: 'object' },
  { plural: 'limitranges', kind: 'LimitRange', shortNames: ['limits'], updateOfMissing: 'creates' },
  { plural: 'events', kind: 'Event', shortNames: ['ev'], fields: EVENT_FIELDS, updateOfMissing: 'creates', storageId: 'events' },
];

const APPS: readonly BuiltinRow[] = [
  { plural: 'deployments', kind: 'Deployment', shortNames: ['deploy'], ...workload, scale: true },
  { plural: 'statefulsets', kind: 'StatefulSet', shortNames: ['sts'], ...workload, scale: true },
  { plural: 'replicasets', kind: 'ReplicaSet', shortNames: ['rs'], ...workload, scale: true, fields: ['status.replicas'] },
  { plural: 'daemonsets', kind: 'DaemonSet', shortNames: ['ds'], ...workload },
  { plural: 'controllerrevisions', kind: 'ControllerRevision' },
];

const RBAC: readonly BuiltinRow[] = [
  { plural: 'clusterroles', kind: 'ClusterRole', namespaced: false, updateOfMissing: 'creates' },
  { plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false, updateOfMissing: 'creates' },
  { plural: 'roles', kind: 'Role', updateOfMissing: 'creates' },
  { plural: 'rolebindings', kind: 'RoleBinding', updateOfMissing: 'creates' },
];

const GROUPS: readonly { group: string; version: string; rows: readonly BuiltinRow[] }[] = [
  { group: '', version: 'v1', rows: CORE },
  { group: 'apps', version: 'v1', rows: APPS },
  {
    group: 'events.k8s.io',
    version: 'v1',
    rows: [
      { plural: 'events', kind: 'Event', shortNames: ['ev'], fields: EVENTS_GROUP_FIELDS, updateOfMissing: 'creates', storageId: 'events' },
    ],
  },
  {
    group: 'autoscaling',
    version: 'v2',
    rows: [
      { plural: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', shortNames: ['hpa'], categories: ['all'], hasStatus: true },
    ],
  },
  {
    group: 'batch',
    version: 'v1',
    rows: [
      { plural: 'jobs', kind: 'Job', ...workload, defaultPropagation: 'Orphan', fields: ['status.successful'] },
      { plural: 'cronjobs', kind: 'CronJob', shortNames: ['cj'], ...workload },
    ],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    rows: [
      { plural: 'networkpolicies', kind: 'NetworkPolicy', shortNames: ['netpol'], hasGeneration: true },
      { plural: 'ingresses', kind: 'Ingress', shortNames: ['ing'], hasStatus: true, hasGeneration: true },
      { plural: 'ingressclasses', kind: 'IngressClass', namespaced: false, hasGeneration: true },
    ],
  },
  {
    group: 'policy',
    version: 'v1',
    rows: [
      {
        plural: 'poddisruptionbudgets',
        kind: 'PodDisruptionBudget',
        shortNames: ['pdb'],
        hasStatus: true,
        hasGeneration: true,
        updateWithoutVersion: 'refused',
      },
    ],
  },
  { group: 'rbac.authorization.k8s.io', version: 'v1', rows: RBAC },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    rows: [
      {
        plural: 'mutatingwebhookconfigurations',
        kind: 'MutatingWebhookConfiguration',
        namespaced: false,
        categories: ['api-extensions'],
        hasGeneration: true,
      },
      {
        plural: 'validatingwebhookconfigurations',
        kind: 'ValidatingWebhookConfiguration',
        namespaced: false,
        categories: ['api-extensions'],
        hasGeneration: true,
      },
    ],
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    rows: [
      {
        plural: 'customresourcedefinitions',
        kind: 'CustomResourceDefinition',
        namespaced: false,
        shortNames: ['crd', 'crds'],
        categories: ['api-extensions'],
        hasStatus: true,
        hasGeneration: true,
        updateWithoutVersion: 'refused',
      },
    ],
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    rows: [{ plural: 'leases', kind: 'Lease', updateOfMissing: 'creates', updateWithoutVersion: 'refused' }],
  },
  {
    group: 'discovery.k8s.io',
    version: 'v1',
    rows: [{ plural: 'endpointslices', kind: 'EndpointSlice', hasGeneration: true, generationFollows: 'everything' }],
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1',
    rows: [{ plural: 'priorityclasses', kind: 'PriorityClass', namespaced: false, shortNames: ['pc'], hasGeneration: true }],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    rows: [{ plural: 'storageclasses', kind: 'StorageClass', namespaced: false, shortNames: ['sc'] }],
  },
];

/** Every resource the server has without a CustomResourceDefinition. */
export function builtinResources(): ResourceType[] {
  return GROUPS.flatMap(({ group, version, rows }) => rows.map((row) => toResourceType(group, version, row)));
}

function toResourceType(group: string, version: string, row: BuiltinRow): ResourceType {
  return {
    group,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    kind: row.kind,
    listKind: `${row.kind}List`,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    namespaced: row.namespaced ?? true,
    storageId: row.storageId ?? `${group}/${row.plural}`,
    storageVersion: version,
    versions: [
      { name: version, hasStatus: row.hasStatus ?? false, scale: row.scale && WORKLOAD_SCALE, deprecationWarning: row.deprecationWarning },
    ],
    custom: false,
    verbs: row.kind === 'Namespace' ? NAMESPACE_VERBS : ALL_VERBS,
    hasGeneration: row.hasGeneration ?? false,
    generationFollows: row.generationFollows ?? 'spec',
    fieldSelectors: row.fields ?? [],
    updateWithoutVersion: row.updateWithoutVersion ?? 'allowed',
    updateOfMissing: row.updateOfMissing ?? 'not-found',
    deleteAnswer: row.deleteAnswer ?? 'status',
    defaultPropagation: row.defaultPropagation ?? 'Background',
    statusMetadata: group === 'apps' ? 'without-labels' : 'writable',
  };
}
