import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { ServiceDirectory } from '../directory';
import type { PrivateServices, ReadyPods } from '../endpoints';
import type { RouteTable } from '../routes';

/**
 * Everything the resolver knows of the cluster: four watches, whatever the number of services.
 *
 * What is known stays known when the API server goes away.
 */
export class Informers implements BeforeApplicationShutdown {
  constructor(
    private readonly directory: ServiceDirectory,
    private readonly services: PrivateServices,
    private readonly pods: ReadyPods,
    private readonly routes: RouteTable,
  ) {}

  /** Resolves when all that there was has been heard of; before, nobody can be told that a service is unknown. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all.map((room) => room.synced(signal)));
  }

  beforeApplicationShutdown(): void {
    for (const room of this.all) room.close();
  }

  private get all() {
    return [this.directory, this.services, this.pods, this.routes];
  }
}
