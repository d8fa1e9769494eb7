import type { ElastiService } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import type { Rehearsals } from '../../resolvers';
import type { Waker } from '../waker';
import type { EndpointSliceOps } from './endpoint-slice.ops';
import type { RouteOps } from './route.ops';
import type { Scene } from './scene.ops';
import type { ServiceOps } from './service.ops';

/** `restored`: nothing of ours is left in the way; `waiting`: the target is on its way back, and until then the resolvers stay. */
export type RestoreOutcome = 'restored' | 'waiting';

/** Gives a Service and its target back as they were before Elasti: first the pods, then everything of ours goes. */
export class RestoreOps {
  constructor(
    private readonly slices: EndpointSliceOps,
    private readonly services: ServiceOps,
    private readonly routes: RouteOps,
    private readonly rehearsals: Pick<Rehearsals, 'forget'>,
    private readonly waker: Waker,
    private readonly directory: ElastiDirectory,
  ) {}

  /** Wakes the target; `waiting` until its pods have been ready for the grace. Where no resolver stands in for them there is nothing to wait for. */
  async wake(
    elastiService: Frozen<ElastiService>,
    { target, services, readyForMs }: Scene,
    graceMs: number,
    signal: AbortSignal,
  ): Promise<RestoreOutcome> {
    if ('problem' in target || target.workload.metadata.deletionTimestamp) return 'restored';
    // A dry run that began while it slept must still give the target back.
    const active: Frozen<ElastiService> = { ...elastiService, spec: { ...elastiService.spec, mode: 'Active' } };
    if (target.replicas === 0) await this.waker.wake(active, 'it is given back', signal);
    const isProxied = services.some(({ metadata }) => this.slices.published(elastiService, metadata.name ?? '', 'proxy').length > 0);
    return !isProxied || (target.replicas > 0 && (readyForMs ?? -1) >= graceMs) ? 'restored' : 'waiting';
  }

  /** Removes what belongs to Services that the ElastiService no longer has, or to all of them. */
  async keepOnly(elastiService: Frozen<ElastiService>, services: readonly string[], signal: AbortSignal): Promise<void> {
    const { namespace = '', uid } = elastiService.metadata;
    const routed = (elastiService.status?.routes ?? []).map(({ service }) => service);
    const gone = [...new Set([...this.services.followed(elastiService), ...routed])].filter((service) => !services.includes(service));
    await this.slices.keepOnly(elastiService, services, signal);
    const isOthers = (service: string) => {
      const speaker = this.directory.forService(namespace, service);
      return speaker !== undefined && speaker.metadata.uid !== uid;
    };
    for (const service of gone.filter((name) => !isOthers(name))) {
      await this.routes.release(namespace, service, signal);
      this.rehearsals.forget(namespace, service);
    }
    // Last, because it is what the others are found by.
    await this.services.keepOnly(elastiService, services, signal);
  }
}
