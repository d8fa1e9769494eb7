import { type Clock, type Logger, sleep } from '@elasti/operator-kit';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ServicePort } from '../exchange';
import type { Informers } from '../informer';
import { type Forwarder, ForwardingListener, type ListenAt } from '../proxy';
import type { RouteListeners } from '../routes';

export interface TrafficPortsDependencies {
  readonly forwarder: Forwarder;
  readonly routes: Pick<RouteListeners, 'start' | 'stop' | 'hasStarted' | 'isListening'>;
  readonly informers: Pick<Informers, 'synced'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where requests come that name their Service themselves. */
  readonly shared: ListenAt;
}

/** Between two attempts to open the shared port. */
const retryMs = 1_000;

/**
 * The ports that traffic comes in by: one for each route, and the shared one.
 *
 * None opens before everything that there is in the cluster is known, so that nobody is told of a service that there is none.
 * Closing ends nothing that is open.
 */
export class TrafficPorts implements OnApplicationBootstrap {
  private readonly closing = new AbortController();
  private shared: ForwardingListener | undefined;
  private opened: Promise<void> | undefined;

  constructor(private readonly dependencies: TrafficPortsDependencies) {}

  onApplicationBootstrap(): void {
    this.opened = this.open();
  }

  /** Every route that was there at the start listens or could not, and the shared port listens. A route that cannot is told by rehearsals. */
  get haveOpened(): boolean {
    return this.isSharedListening && this.dependencies.routes.hasStarted;
  }

  /** Whether connections to this port are accepted for this target; Services without a port of their own come by the shared one. */
  isListening(resolverPort: number, target: ServicePort): boolean {
    const { shared, routes } = this.dependencies;
    return resolverPort === shared.port ? this.isSharedListening : routes.isListening(resolverPort, target);
  }

  get isSharedListening(): boolean {
    return this.shared !== undefined && !this.closing.signal.aborted;
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.dependencies.routes.stop();
    await this.opened;
    await this.shared?.close();
  }

  private async open(): Promise<void> {
    const { informers, routes } = this.dependencies;
    const { signal } = this.closing;
    // Rejects only when there is nothing left to open for: closing, or the watches have ended.
    await informers.synced(signal).then(
      () => routes.start(),
      () => this.closing.abort(),
    );
    for (let attempt = 1; !signal.aborted && !this.shared; attempt++) await this.tryToOpenShared(attempt, signal);
  }

  private async tryToOpenShared(attempt: number, signal: AbortSignal): Promise<void> {
    const { forwarder, shared, clock, logger } = this.dependencies;
    try {
      this.shared = await ForwardingListener.open(forwarder, shared, { target: undefined });
    } catch (error) {
      if (attempt === 1) logger.error('shared port cannot be opened', { port: shared.port, error });
      await sleep(clock, retryMs, signal).catch(() => undefined);
    }
  }
}
