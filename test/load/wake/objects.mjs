// What the bench puts on the cluster: a target at zero replicas, and a pod that wakes it and measures.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const image = process.env.ECHO_IMAGE ?? 'localhost/echo:e2e';
const target = 'target';
const programs = join(import.meta.dirname, 'pod');

export const measurer = 'measurer';

export function buildObjects(namespace, wakes) {
  const inNamespace = (kind, apiVersion, name, rest) => ({
    apiVersion,
    kind,
    metadata: { name, namespace, labels: { app: name } },
    ...rest,
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    inNamespace('Deployment', 'apps/v1', target, { spec: deploymentSpec() }),
    inNamespace('Service', 'v1', target, { spec: serviceSpec() }),
    inNamespace('ElastiService', 'elasti.truefoundry.com/v1alpha1', target, {
      spec: { service: target, cooldownPeriod: 3600, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target } },
    }),
    inNamespace('ServiceAccount', 'v1', measurer, {}),
    inNamespace('Role', 'rbac.authorization.k8s.io/v1', measurer, { rules: rules() }),
    inNamespace('RoleBinding', 'rbac.authorization.k8s.io/v1', measurer, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: measurer },
      subjects: [{ kind: 'ServiceAccount', name: measurer, namespace }],
    }),
    inNamespace('ConfigMap', 'v1', measurer, { data: programFiles() }),
    inNamespace('Pod', 'v1', measurer, { spec: measurerSpec(wakes) }),
  ];
}

function deploymentSpec() {
  const labels = { app: target };
  const container = {
    name: 'echo',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', '/app/main.mjs'],
    readinessProbe: { httpGet: { path: '/ready', port: 9000 }, periodSeconds: 1 },
  };
  const podSpec = { containers: [container], terminationGracePeriodSeconds: 1 };
  return { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
}

function serviceSpec() {
  const ports = [
    { name: 'http', port: 80, targetPort: 8080 },
    // Wakes nobody, by its name.
    { name: 'metrics', port: 9100, targetPort: 8081 },
  ];
  return { selector: { app: target }, ports };
}

function rules() {
  const reading = (apiGroup, resource) => ({ apiGroups: [apiGroup], resources: [resource], verbs: ['list', 'watch'] });
  return [
    reading('', 'pods'),
    reading('apps', 'deployments'),
    reading('discovery.k8s.io', 'endpointslices'),
    reading('elasti.truefoundry.com', 'elastiservices'),
    { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['patch'] },
  ];
}

function programFiles() {
  return Object.fromEntries(readdirSync(programs).map((file) => [file, readFileSync(join(programs, file), 'utf8')]));
}

function measurerSpec(wakes) {
  const variables = { TARGET: target, WAKES: String(wakes), SLICES: `elasti.truefoundry.com/private-service-of=${target}` };
  const container = {
    name: measurer,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', '/bench/main.mjs'],
    env: Object.entries(variables).map(([name, value]) => ({ name, value })),
    volumeMounts: [{ name: 'programs', mountPath: '/bench' }],
  };
  const volumes = [{ name: 'programs', configMap: { name: measurer } }];
  return { serviceAccountName: measurer, restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container], volumes };
}
