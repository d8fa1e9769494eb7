import { ElastiService } from '@elasti/api';
import {
  ensure,
  type EnsureOutcome,
  type Frozen,
  type KubeReader,
  type KubeWriter,
  NotFoundError,
  refOf,
  Service,
  setControllerReference,
} from '@elasti/operator-kit';
import type { Informers } from '../../informer';
import { fieldManager, privateServiceLabel } from '../../names';
import { buildPrivateService } from '../resources/build-private-service';

/**
 * Keeps a private Service beside every public one, in step with its ports, selector and families.
 *
 * Idempotent, and writes nothing when the cluster already agrees. Only private Services of the given ElastiService are ever removed.
 */
export class ServiceOps {
  constructor(
    private readonly client: KubeReader & KubeWriter,
    private readonly informers: Pick<Informers, 'services'>,
  ) {}

  async follow(elastiService: Frozen<ElastiService>, service: Frozen<Service>, signal: AbortSignal): Promise<EnsureOutcome> {
    const desired = setControllerReference(elastiService, ElastiService, buildPrivateService(service));
    const cached = this.informers.services.get(refOf(desired));
    // What the public Service no longer says must go from the private one, too; a server-side apply takes it away, but only when there is one.
    const live = cached && hasNothingElse(cached, desired) ? cached : undefined;
    return ensure(this.client, Service, desired, { live, fieldManager, signal });
  }

  /** The Services that this ElastiService has a private one for. */
  followed({ metadata }: Frozen<ElastiService>): string[] {
    return this.privateServicesOf(metadata.uid).map(publicNameOf);
  }

  /** Removes the private Services of all but these public ones. */
  async keepOnly({ metadata }: Frozen<ElastiService>, services: readonly string[], signal: AbortSignal): Promise<void> {
    for (const service of this.privateServicesOf(metadata.uid)) {
      if (services.includes(publicNameOf(service))) continue;
      const { uid, resourceVersion } = service.metadata;
      const preconditions = { uid, resourceVersion };
      await this.client.delete(Service, refOf(service), { preconditions, signal }).catch((error: unknown) => {
        if (!(error instanceof NotFoundError)) throw error;
      });
    }
  }

  private privateServicesOf(uid: string | undefined): Frozen<Service>[] {
    return this.informers.services.getOwnedBy(uid ?? '').filter((service) => publicNameOf(service) !== '');
  }
}

function publicNameOf({ metadata }: Frozen<Service>): string {
  return metadata.labels?.[privateServiceLabel] ?? '';
}

function hasNothingElse({ spec: live }: Frozen<Service>, { spec: desired }: Service): boolean {
  const sameKeys = (a: object = {}, b: object = {}) => Object.keys(a).length === Object.keys(b).length;
  const protocolsOf = (ports: readonly { readonly port: number; readonly appProtocol?: string }[] = []) =>
    JSON.stringify(ports.map(({ port, appProtocol = '' }) => [port, appProtocol]).sort());
  return sameKeys(live?.selector, desired?.selector) && protocolsOf(live?.ports) === protocolsOf(desired?.ports);
}
