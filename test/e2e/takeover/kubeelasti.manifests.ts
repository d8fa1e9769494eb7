import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@elasti/operator-kit';

/** Any image with Node.js. */
const image = process.env.WEB_IMAGE ?? 'localhost/web:e2e';
const instance = { 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' };
/** As Helm labels what it installs, and unlike `kubectl apply` it leaves no trace of what it has applied. */
const helm = { ...instance, 'helm.sh/chart': 'elasti-0.1.30', 'app.kubernetes.io/managed-by': 'Helm' };

const names = { operator: 'elasti-operator-controller-manager', resolver: 'elasti-resolver' };
/** Where KubeElasti has the DSNs; here they are empty, so that nothing is sent. */
const sentrySecret = 'elasti-secrets';
const selectors = {
  operator: { 'control-plane': 'controller-manager', ...instance },
  resolver: { app: 'elasti-resolver', ...instance },
};

/** Whom an answer is from that KubeElasti's resolver has held: it hands on no trailers, in which the pod says its name. */
export const heldByKubeElasti = 'nobody';

/** Is well, and wakes nobody: a sleeping service with a running KubeElasti would not be asleep for long. */
const operatorProgram = [
  'node',
  '-e',
  `for (const port of [8013, 8081]) require('node:http').createServer(({ method }, response) => response.writeHead(method === 'POST' ? 503 : 200).end()).listen(port); process.on('SIGTERM', () => process.exit(0))`,
  // What follows is not for Node.js.
  '--',
];
const resolverProgram = ['node', '--input-type=module', '-e', readFileSync(join(__dirname, 'kubeelasti-resolver.mjs'), 'utf8')];

/**
 * An installation of KubeElasti as its chart makes it with monitoring and autoscaling, which needs the CRD of ServiceMonitors: the names, selectors, containers and variables that ours is
 * applied over.
 */
export function kubeElastiManifests(namespace: string): KubeObject[] {
  const operator = {
    name: 'manager',
    command: operatorProgram,
    args: ['--leader-elect', '--health-probe-bind-address=:8081', '--metrics-bind-address=0'],
    env: [
      ...commonEnv(namespace),
      ...valuesOf({
        POLLING_INTERVAL: '30s',
        PROMETHEUS_TRIGGER_SERVER_ADDRESS: 'http://prometheus.invalid:9090',
        PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER: 'Bearer in-plain-text',
        WATCH_NAMESPACES: '',
      }),
      sentryDsn('operatorSentryDsn'),
    ],
    ports: [{ containerPort: 8013, name: 'metrics', protocol: 'TCP' }],
    livenessProbe: { httpGet: { path: '/healthz', port: 8081 }, initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { httpGet: { path: '/readyz', port: 8081 }, periodSeconds: 10 },
    resources: { limits: { cpu: '200m', memory: '80Mi' }, requests: { cpu: '100m', memory: '40Mi' } },
  };
  const resolver = {
    name: 'proxy',
    command: resolverProgram,
    env: [
      ...commonEnv(namespace),
      ...valuesOf({
        REQ_TIMEOUT: '600',
        QUEUE_SIZE: '50000',
        MAX_QUEUE_CONCURRENCY: '100',
        OPERATOR_RETRY_DURATION: '10',
        HEADER_FOR_HOST: 'X-Envoy-Decorator-Operation',
        ENABLE_H2C: 'false',
        MAX_IDLE_PROXY_CONNS: '100',
        MAX_IDLE_PROXY_CONNS_PER_HOST: '500',
        QUEUE_RETRY_DURATION: '3',
        INITIAL_CAPACITY: '500',
        TRAFFIC_RE_ENABLE_DURATION: '5',
      }),
      sentryDsn('resolverSentryDsn'),
    ],
    ports: [{ containerPort: 8013 }, { containerPort: 8012 }],
    // More memory than KubeElasti gives its own: Node.js needs it.
    resources: { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '100m', memory: '40Mi' } },
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    secret(sentrySecret, namespace, { operatorSentryDsn: '', resolverSentryDsn: '' }),
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

function valuesOf(values: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

function sentryDsn(key: string): object {
  return { name: 'SENTRY_DSN', valueFrom: { secretKeyRef: { name: sentrySecret, key } } };
}

/** One that somebody has made, so it has no labels of Helm. */
export function secret(name: string, namespace: string, stringData: Readonly<Record<string, string>>): KubeObject {
  const object: KubeObject & { stringData: object } = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData };
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
    SENTRY_ENVIRONMENT: '',
  };
  return valuesOf(values);
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
