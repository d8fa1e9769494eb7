import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { KubeClient } from '../client';
import { ControllerManager } from '../manager';
import { type FailureListener, type OperatorKitModuleOptions, optionsToken } from './operator-kit.options';

/**
 * Ties the manager's life to the application's.
 *
 * Starts once every module is initialised, so controllers are to be built before: in constructors, factories or onModuleInit. Stops while
 * the application's HTTP server still answers, because its probes and cached reads outlive the controllers; the client is closed last of all.
 */
@Injectable()
export class ManagerLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly stop = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly manager: ControllerManager,
    private readonly client: KubeClient,
    @Inject(optionsToken) private readonly options: OperatorKitModuleOptions,
  ) {}

  /** Does not wait for caches or an election: until then the application answers that it is not ready. */
  onApplicationBootstrap(): void {
    const { onFailure = endProcess } = this.options;
    this.running = this.manager.start(this.stop.signal).catch((error: unknown) => {
      this.manager.logger.error('the manager stopped with an error', { error });
      onFailure(error);
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  async onApplicationShutdown(): Promise<void> {
    if (!(this.options.client instanceof KubeClient)) await this.client.close();
  }
}

const endProcess: FailureListener = () => {
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
};
