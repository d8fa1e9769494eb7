import { ElastiService } from '@elasti/api';
import {
  EndpointSlice,
  ensure,
  type EnsureOutcome,
  type Frozen,
  type KubeReader,
  type KubeWriter,
  NotFoundError,
  type ObjectRef,
  refOf,
  type Service,
  setControllerReference,
} from '@elasti/operator-kit';
import type { Informers } from '../../informer';
import { fieldManager, sliceRoleLabel } from '../../names';
import type { ResolverPod } from '../../resolvers';
import type { Route } from '../../routes';
import { buildResolverSlices, familiesOf, type SliceRole } from '../resources/build-resolver-slices';
import { proxySliceName } from '../resources/child-names';

/** Whom the slices of a Service are to name. */
export interface Publication {
  readonly role: SliceRole;
  readonly routes: readonly Route[];
  readonly members: readonly ResolverPod[];
  readonly certainty: 'as seen' | 'certain';
}

/**
 * Writes and removes the slices that name resolvers in a Service.
 *
 * Idempotent, and writes nothing when the cluster already agrees. Callers hold the ElastiService's work-queue key, so calls for one Service never overlap.
 */
export class EndpointSliceOps {
  constructor(
    private readonly client: KubeReader & KubeWriter,
    private readonly informers: Pick<Informers, 'ownSlices'>,
  ) {}

  /** The slices of this role that the ElastiService has in the Service. */
  published({ metadata }: Frozen<ElastiService>, service: string, role: SliceRole): Frozen<EndpointSlice>[] {
    return this.informers.ownSlices
      .getOwnedBy(metadata.uid ?? '')
      .filter((slice) => serviceOf(slice) === service && slice.metadata.labels?.[sliceRoleLabel] === role);
  }

  hasAny({ metadata }: Frozen<ElastiService>): boolean {
    return this.informers.ownSlices.getOwnedBy(metadata.uid ?? '').length > 0;
  }

  /** Of all who are named in slices of ours, ready or not. */
  addresses({ metadata }: Frozen<ElastiService>): string[] {
    const slices = this.informers.ownSlices.getOwnedBy(metadata.uid ?? '');
    // An API server says null of a slice that names nobody.
    return slices.flatMap(({ endpoints }) => endpoints?.flatMap(({ addresses }) => addresses) ?? []);
  }

  /** Whether the Service's traffic may go to a resolver that is ready for it. */
  hasReadyResolver(elastiService: Frozen<ElastiService>, service: string): boolean {
    return this.published(elastiService, service, 'proxy').some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready));
  }

  /**
   * An empty slice is not begun; one that is there says who is left, be it nobody. What the watch shows is written again only to be `certain`: it may have
   * gone since.
   */
  async publish(
    elastiService: Frozen<ElastiService>,
    service: Frozen<Service>,
    { role, routes, members, certainty }: Publication,
    signal: AbortSignal,
  ): Promise<EnsureOutcome> {
    const outcomes: EnsureOutcome[] = [];
    for (const slice of buildResolverSlices(service, role, routes, members)) {
      const live = this.informers.ownSlices.get(refOf(slice));
      if (!live && slice.endpoints?.length === 0) continue;
      const desired = setControllerReference(elastiService, ElastiService, slice);
      const seen = certainty === 'as seen' ? live : undefined;
      outcomes.push(await ensure(this.client, EndpointSlice, desired, { live: seen, fieldManager, signal }));
    }
    return outcomes.includes('applied') ? 'applied' : 'unchanged';
  }

  async withdraw(elastiService: Frozen<ElastiService>, service: string, role: SliceRole, signal: AbortSignal): Promise<void> {
    for (const slice of this.published(elastiService, service, role)) await this.remove(slice, signal);
  }

  /** Removes the proxy slices that no label of ours is on, which no watch shows: KubeElasti's, of a target that woke before we led. */
  async withdrawUnmarked(service: Frozen<Service>, signal: AbortSignal): Promise<void> {
    const { namespace, name = '' } = service.metadata;
    for (const family of familiesOf(service)) {
      const ref = { namespace, name: proxySliceName(name, family) };
      if (!this.informers.ownSlices.get(ref)) await this.delete(ref, {}, signal);
    }
  }

  /** Removes the slices of all but these Services. */
  async keepOnly({ metadata }: Frozen<ElastiService>, services: readonly string[], signal: AbortSignal): Promise<void> {
    const left = this.informers.ownSlices.getOwnedBy(metadata.uid ?? '').filter((slice) => !services.includes(serviceOf(slice)));
    for (const slice of left) await this.remove(slice, signal);
  }

  private async remove(slice: Frozen<EndpointSlice>, signal: AbortSignal): Promise<void> {
    // Somebody else may have taken it over since.
    const { uid, resourceVersion } = slice.metadata;
    await this.delete(refOf(slice), { uid, resourceVersion }, signal);
  }

  private async delete(ref: ObjectRef, preconditions: { uid?: string; resourceVersion?: string }, signal: AbortSignal): Promise<void> {
    await this.client.delete(EndpointSlice, ref, { preconditions, signal }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
    });
  }
}

function serviceOf({ metadata }: Frozen<EndpointSlice>): string {
  return metadata.labels?.['kubernetes.io/service-name'] ?? '';
}
