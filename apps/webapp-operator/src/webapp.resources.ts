import type { Deployment, Frozen, Service } from '@elasti/operator-kit';
import type { WebApp } from './webapp';

const labelsOf = (app: Frozen<WebApp>) => ({
  'app.kubernetes.io/name': app.metadata.name ?? '',
  'app.kubernetes.io/managed-by': 'webapp-operator',
});

export function buildDeployment(app: Frozen<WebApp>): Deployment {
  const labels = labelsOf(app);
  const { image, replicas, port } = app.spec;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: app.metadata.namespace, name: app.metadata.name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image, ports: [{ name: 'http', containerPort: port }] }] },
      },
    },
  };
}

export function buildService(app: Frozen<WebApp>): Service {
  const labels = labelsOf(app);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: app.metadata.namespace, name: app.metadata.name, labels },
    spec: { selector: labels, ports: [{ name: 'http', port: app.spec.port, targetPort: 'http' }] },
  };
}
