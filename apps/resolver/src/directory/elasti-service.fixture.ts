import type { ElastiService, ElastiServiceSpec, ElastiServiceStatus } from '@elasti/api';

export interface ElastiServiceDraft extends Partial<ElastiServiceSpec> {
  readonly name?: string;
  readonly namespace?: string;
  readonly createdAt?: string;
  readonly status?: ElastiServiceStatus;
}

export function anElastiService({ name = 'web', namespace = 'shop', createdAt, status, ...spec }: ElastiServiceDraft = {}): ElastiService {
  return {
    apiVersion: 'elasti.truefoundry.com/v1alpha1',
    kind: 'ElastiService',
    metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: createdAt ?? '2030-01-01T00:00:00Z' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, service: 'web', ...spec },
    ...(status && { status }),
  };
}
