import type { KubeObject } from '@elasti/operator-kit';

const image = process.env.STUB_RESOLVER_IMAGE ?? 'localhost/stub-resolver:e2e';
const tokenFolder = '/var/run/secrets/elasti';

/** Where the resolver's pod has its token for the operator. */
export const tokenFile = `${tokenFolder}/token`;

/** The stub under the resolver's names: ServiceAccount, Deployment and Service. */
export function stubResolverManifests(namespace: string): KubeObject[] {
  const name = 'elasti-resolver';
  const labels = { app: name, 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' };
  const container = {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ containerPort: 8013 }],
    readinessProbe: { httpGet: { path: '/readyz', port: 8013 }, periodSeconds: 1 },
    volumeMounts: [{ name: 'token', mountPath: tokenFolder }],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
  const token = { audience: 'elasti-operator', path: 'token', expirationSeconds: 3600 };
  const podSpec = {
    serviceAccountName: name,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 2,
    securityContext: { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 },
    containers: [container],
    volumes: [{ name: 'token', projected: { sources: [{ serviceAccountToken: token }] } }],
  };
  const manifests = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'elasti-resolver-service', namespace },
      spec: {
        selector: labels,
        ports: [
          { name: 'http-resolver', port: 8013 },
          { name: 'http-resolver-reverse-proxy', port: 8012 },
        ],
      },
    },
  ];
  return manifests;
}
