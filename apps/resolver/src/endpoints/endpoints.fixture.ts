import type { EndpointSlice, Service } from '@elasti/operator-kit';
import { privateServiceLabel } from './names';

type Port = NonNullable<NonNullable<Service['spec']>['ports']>[number];

export interface PodDraft {
  readonly pod: string;
  readonly address: string;
  readonly ready?: boolean;
  readonly terminating?: boolean;
}

export interface SliceDraft {
  readonly name?: string;
  readonly namespace?: string;
  readonly service?: string;
  readonly addressType?: string;
  readonly ports?: EndpointSlice['ports'];
}

export function aSlice(
  pods: readonly PodDraft[],
  { name = 'web-1', namespace = 'shop', service = 'web', ...rest }: SliceDraft = {},
): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { [privateServiceLabel]: service } },
    addressType: rest.addressType ?? 'IPv4',
    ports: rest.ports ?? [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: pods.map(({ pod, address, ready, terminating }) => ({
      addresses: [address],
      conditions: { ready, terminating },
      targetRef: { kind: 'Pod', name: pod, uid: `uid-${pod}` },
    })),
  };
}

export function aPrivateService({
  namespace = 'shop',
  service = 'web',
  ports = [{ name: 'http', port: 80, protocol: 'TCP' }],
  ...spec
}: { namespace?: string; service?: string; ports?: Port[] } & Partial<NonNullable<Service['spec']>> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `elasti-${service}-pvt-0123456789`, namespace, labels: { [privateServiceLabel]: service } },
    spec: { clusterIP: '10.96.0.10', ports, ...spec },
  };
}
