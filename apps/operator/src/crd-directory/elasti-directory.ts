import type { ElastiService } from '@elasti/api';
import type { Frozen, KubeObject } from '@elasti/operator-kit';
import { formatTarget, type Informers } from '../informer';

/**
 * Which ElastiService speaks for a Service, and which share a target.
 *
 * Answers from the watch on every replica, leader or not. Of two on one Service the older speaks; one that is being deleted does until it is gone.
 */
export class ElastiDirectory {
  constructor(private readonly informers: Pick<Informers, 'elastiServices'>) {}

  /** Before that, who is not found here may speak all the same. */
  get isFilled(): boolean {
    return this.informers.elastiServices.hasSynced;
  }

  /** The one that speaks for this Service, by `spec.service` or `spec.additionalServices`. */
  forService(namespace: string, service: string): Frozen<ElastiService> | undefined {
    return this.allOfService(namespace, service)[0];
  }

  /** Whether this one speaks for its main Service. */
  speaks({ metadata, spec }: Frozen<ElastiService>): boolean {
    return this.forService(metadata.namespace ?? '', spec.service)?.metadata.uid === metadata.uid;
  }

  /** All that name this Service, the one that speaks for it first. */
  allOfService(namespace: string, service: string): Frozen<ElastiService>[] {
    return this.informers.elastiServices.byIndex('byService', `${namespace}/${service}`).sort(byAge);
  }

  /** All that scale this one's target, itself included, oldest first. */
  onTargetOf({ metadata, spec }: Frozen<ElastiService>): Frozen<ElastiService>[] {
    return this.informers.elastiServices.byIndex('byTarget', formatTarget(metadata.namespace ?? '', spec.scaleTargetRef)).sort(byAge);
  }

  /** All that scale this workload. */
  onTarget({ apiVersion, kind, metadata }: Frozen<KubeObject>): Frozen<ElastiService>[] {
    const { namespace = '', name = '' } = metadata;
    return this.informers.elastiServices.byIndex('byTarget', formatTarget(namespace, { apiVersion, kind, name }));
  }

  list(): Frozen<ElastiService>[] {
    return this.informers.elastiServices.list();
  }
}

/** The name decides between two of the same second, so that every replica sees the same one. */
function byAge({ metadata: a }: Frozen<ElastiService>, { metadata: b }: Frozen<ElastiService>): number {
  const ages = (a.creationTimestamp ?? '').localeCompare(b.creationTimestamp ?? '');
  return ages === 0 ? (a.name ?? '').localeCompare(b.name ?? '') : ages;
}
