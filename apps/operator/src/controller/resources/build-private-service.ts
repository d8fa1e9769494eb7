import type { Frozen, Service } from '@elasti/operator-kit';
import { privateServiceLabel } from '../../names';
import { privateServiceName } from './child-names';

type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number];

/**
 * The Service through which the pods are known while the public one leads to the resolvers.
 *
 * It has the public one's selector, ports and families, and nothing else of it: a copied type, label or annotation could order a second load balancer.
 */
export function buildPrivateService(service: Frozen<Service>): Service {
  const { namespace, name = '' } = service.metadata;
  const { selector, ports = [], ipFamilies, ipFamilyPolicy } = service.spec ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace,
      name: privateServiceName(name),
      labels: { [privateServiceLabel]: name, 'app.kubernetes.io/managed-by': 'elasti' },
    },
    spec: {
      type: 'ClusterIP',
      selector: { ...selector },
      ports: ports.map(withoutNodePort),
      ...(ipFamilies && { ipFamilies: [...ipFamilies] }),
      ...(ipFamilyPolicy && { ipFamilyPolicy }),
    },
  };
}

function withoutNodePort({ nodePort, ...port }: Frozen<ServicePort>): ServicePort {
  return { ...port };
}
