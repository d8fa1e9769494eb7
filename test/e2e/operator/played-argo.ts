import { setTimeout as pause } from 'node:timers/promises';
import { Deployment, type KubeClient, TooManyRequestsError } from '@elasti/operator-kit';
import { Rollout } from '../../fixtures/elasti-world/foreign-kinds';

/** Plays Argo's controller: every Rollout of the namespace gets a Deployment of as many pods, and is healthy. */
export class PlayedArgo {
  private readonly stopping = new AbortController();
  private readonly playing: Promise<void>;

  constructor(
    private readonly client: KubeClient,
    private readonly namespace: string,
  ) {
    this.playing = this.play();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.playing;
  }

  private async play(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      try {
        await this.watch(signal);
      } catch (error) {
        // The API server asks for patience with a kind that it has just heard of.
        if (!signal.aborted && !(error instanceof TooManyRequestsError)) throw error;
      }
      if (signal.aborted) return;
      await pause(200);
    }
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const { namespace } = this;
    for await (const event of this.client.watch(Rollout, { namespace, signal, resourceVersion: '0' })) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED') await this.follow(event.object);
    }
  }

  private async follow({ metadata, spec }: Rollout): Promise<void> {
    const { name = '' } = metadata;
    const pods = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: `argo-${name}`, namespace: this.namespace }, spec };
    await this.client.apply(Deployment, pods as Deployment, { fieldManager: 'argo', force: true });
    const status = { phase: 'Healthy', replicas: spec?.replicas ?? 1, selector: `app=${name}` };
    const ref = { namespace: this.namespace, name };
    await this.client.patch(Rollout, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  }
}
