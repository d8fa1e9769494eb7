import type { Frozen, KubeObject } from '@elasti/operator-kit';
import type { ServiceRef } from '../directory';

/** On the private Service, and by Kubernetes' own doing on its EndpointSlices; its value is the public Service's name. */
export const privateServiceLabel = 'elasti.truefoundry.com/private-service-of';

export function publicServiceOf({ metadata }: Frozen<KubeObject>): ServiceRef | undefined {
  const service = metadata.labels?.[privateServiceLabel];
  return service ? { namespace: metadata.namespace ?? '', service } : undefined;
}
