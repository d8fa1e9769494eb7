import type { KubeObject } from '@elasti/operator-kit';

/** Any image with Node.js; what ran in KubeElasti's pods matters to nobody here. */
const image = process.env.WEB_IMAGE ?? 'localhost/web:e2e';
const instance = { 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' };
/** As Helm labels what it installs, and unlike `kubectl apply` it leaves no trace of what it has applied. */
const helm = { ...instance, 'helm.sh/chart': 'elasti-0.1.30', 'app.kubernetes.io/managed-by': 'Helm' };

const names = { operator: 'elasti-operator-controller-manager', resolver: 'elasti-resolver' };
const selectors = {
  operator: { 'control-plane': 'controller-manager', ...instance },
  resolver: { app: 'elasti-resolver', ...instance },
};

/** What its resolver answers to everything, as nobody else does: such a request was KubeElasti's to hold. */
export const kubeElastisOwn = 418;

/** Listens wherever KubeElasti would. */
const program = (status: number, ...ports: number[]) => [
  'node',
  '-e',
  `for (const port of ${JSON.stringify(ports)}) require('node:http').createServer((_, response) => response.writeHead(${status}).end()).listen(port); process.on('SIGTERM', () => process.exit(0))`,
  // What follows is not for Node.js.
  '--',
];

/**
 * An installation of KubeElasti as its chart makes it with monitoring and autoscaling, which needs the CRD of ServiceMonitors: the names, selectors, containers and variables that ours is
 * applied over.
 */
export function kubeElastiManifests(namespace: string): KubeObject[] {
  const operator = {
    name: 'manager',
    command: program(200, 8013, 8081),
    args: ['--leader-elect', '--health-probe-bind-address=:8081', '--metrics-bind-address=0'],
    env: [...commonEnv(namespace), { name: 'POLLING_INTERVAL', value: '30s' }],
    ports: [{ containerPort: 8013, name: 'metrics', protocol: 'TCP' }],
    livenessProbe: { httpGet: { path: '/healthz', port: 8081 }, initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { httpGet: { path: '/readyz', port: 8081 }, periodSeconds: 10 },
    resources: { limits: { cpu: '200m', memory: '80Mi' }, requests: { cpu: '100m', memory: '40Mi' } },
  };
  const resolver = {
    name: 'proxy',
    command: program(kubeElastisOwn, 8012, 8013),
    env: [
      ...commonEnv(namespace),
      { name: 'REQ_TIMEOUT', value: '600' },
      { name: 'QUEUE_SIZE', value: '50000' },
      { name: 'HEADER_FOR_HOST', value: 'X-Envoy-Decorator-Operation' },
      { name: 'TRAFFIC_RE_ENABLE_DURATION', value: '5' },
    ],
    ports: [{ containerPort: 8013 }, { containerPort: 8012 }],
    resources: { limits: { cpu: '200m', memory: '80Mi' }, requests: { cpu: '100m', memory: '40Mi' } },
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...Object.values(names).map((name) => account(name, namespace)),
    ...roles(namespace),
    ...leaderElection(namespace),
    autoscaler(namespace),
    monitor(`${names.operator}-metrics-monitor`, namespace, 'custom-port', { 'control-plane': 'controller-manager' }),
    monitor(`${names.resolver}-metrics-monitor`, namespace, 'http-resolver', { 'app.kubernetes.io/name': 'elasti-resolver' }),
    deployment('operator', namespace, operator, { terminationGracePeriodSeconds: 10 }),
    deployment('resolver', namespace, resolver, { terminationGracePeriodSeconds: 1 }),
    service('elasti-operator-controller-service', namespace, 'operator', [{ port: 8013, targetPort: 8013 }]),
    service(`${names.operator}-metrics-service`, namespace, 'operator', [{ port: 8080, targetPort: 8080, name: 'http' }]),
    service('elasti-resolver-service', namespace, 'resolver', [
      { port: 8013, targetPort: 8013, name: 'http-resolver' },
      { port: 8012, targetPort: 8012, name: 'http-resolver-reverse-proxy' },
    ]),
  ];
}

/** Its CRD, as far as it matters that fields which it does not know are dropped. */
export function kubeElastiCrd(): KubeObject {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const text = { type: 'string' };
  const target = { type: 'object', required: ['apiVersion', 'kind', 'name'], properties: { apiVersion: text, kind: text, name: text } };
  const trigger = { type: 'object', required: ['type'], properties: { type: { ...text, enum: ['prometheus'] }, metadata: open } };
  const spec = {
    type: 'object',
    required: ['scaleTargetRef', 'service'],
    properties: {
      scaleTargetRef: target,
      service: text,
      minTargetReplicas: { type: 'integer', format: 'int32', minimum: 1 },
      cooldownPeriod: { type: 'integer', format: 'int32', minimum: 0, maximum: 604_800, default: 900 },
      triggers: { type: 'array', items: trigger },
    },
  };
  const time = { type: 'string', format: 'date-time' };
  const status = { type: 'object', properties: { mode: text, lastReconciledTime: time, lastScaledUpTime: time } };
  const object: KubeObject & { spec: object } = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'elastiservices.elasti.truefoundry.com', labels: helm },
    spec: {
      group: 'elasti.truefoundry.com',
      scope: 'Namespaced',
      names: { kind: 'ElastiService', listKind: 'ElastiServiceList', plural: 'elastiservices', singular: 'elastiservice' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  };
  return object;
}

function commonEnv(namespace: string): { name: string; value: string }[] {
  const values = {
    KUBERNETES_CLUSTER_DOMAIN: 'cluster.local',
    ELASTI_OPERATOR_NAMESPACE: namespace,
    ELASTI_OPERATOR_DEPLOYMENT_NAME: names.operator,
    ELASTI_OPERATOR_SERVICE_NAME: 'elasti-operator-controller-service',
    ELASTI_OPERATOR_PORT: '8013',
    ELASTI_RESOLVER_NAMESPACE: namespace,
    ELASTI_RESOLVER_DEPLOYMENT_NAME: names.resolver,
    ELASTI_RESOLVER_SERVICE_NAME: 'elasti-resolver-service',
    ELASTI_RESOLVER_PORT: '8013',
    ELASTI_RESOLVER_PROXY_PORT: '8012',
  };
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

function account(name: string, namespace: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels: helm } };
}

/** Under names of their own, so that ours stand beside them. */
function roles(namespace: string): KubeObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = (name: string) => ({ name, labels: helm });
  const subjects = [{ kind: 'ServiceAccount', name: names.operator, namespace }];
  const rules = [{ apiGroups: ['elasti.truefoundry.com'], resources: ['elastiservices'], verbs: ['get', 'list', 'watch', 'update'] }];
  const role = 'elasti-operator-manager-role';
  const made = [
    { apiVersion, kind: 'ClusterRole', metadata: metadata(role), rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: metadata('elasti-operator-manager-rolebinding'),
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      subjects,
    },
  ];
  return made;
}

/** Of one namespace, where the lease is. */
function leaderElection(namespace: string): KubeObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = (name: string) => ({ name, namespace, labels: helm });
  const role = 'elasti-operator-leader-election-role';
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch'];
  const made = [
    { apiVersion, kind: 'Role', metadata: metadata(role), rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }] },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: metadata('elasti-operator-leader-election-rolebinding'),
      roleRef: { apiGroup, kind: 'Role', name: role },
      subjects: [{ kind: 'ServiceAccount', name: names.operator, namespace }],
    },
  ];
  return made;
}

/** Of the Deployment that is ours from then on. */
function autoscaler(namespace: string): KubeObject {
  const target = { type: 'Utilization', averageUtilization: 70 };
  const object: KubeObject & { spec: object } = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: names.resolver, namespace, labels: helm },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: names.resolver },
      minReplicas: 1,
      maxReplicas: 4,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  };
  return object;
}

function monitor(name: string, namespace: string, port: string, matchLabels: Record<string, string>): KubeObject {
  const object: KubeObject & { spec: object } = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name, namespace, labels: helm },
    spec: { endpoints: [{ path: '/metrics', port, scheme: 'http' }], selector: { matchLabels } },
  };
  return object;
}

function deployment(of: keyof typeof names, namespace: string, container: object, podSpec: object): KubeObject {
  const securityContext = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
  const spec = {
    ...podSpec,
    serviceAccountName: names[of],
    securityContext: { runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{ ...container, image, imagePullPolicy: 'IfNotPresent', securityContext }],
  };
  const labels = selectors[of];
  const annotations = { 'prometheus.io/path': '/metrics', 'prometheus.io/port': '8013', 'prometheus.io/scrape': 'true' };
  const object: KubeObject & { spec: object } = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: names[of], namespace, labels: helm },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels, annotations }, spec } },
  };
  return object;
}

function service(name: string, namespace: string, of: keyof typeof selectors, ports: object[]): KubeObject {
  const object: KubeObject & { spec: object } = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: helm },
    spec: { type: 'ClusterIP', selector: selectors[of], ports },
  };
  return object;
}
