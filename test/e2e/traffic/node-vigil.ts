import { setTimeout as pause } from 'node:timers/promises';
import { type KubeClient, Node } from '@elasti/operator-kit';
import type { Caller } from '../resolver/caller';
import type { Span } from './ledger';

const lookEveryMs = 200;
/** When a node is back its kubelet has to say again of each pod that it is ready: it goes through them every ten seconds. */
const podsReadyAgainWithinMs = 10_000;

export interface Look {
  /** By the caller's clock. */
  readonly beganMs: number;
  readonly nodes: 'all ready' | 'some not ready' | 'not seen';
}

/** Sees from begin to end when Kubernetes gives up a node. Nobody can do so unseen: who cannot look, for want of an API server, cannot give up either. */
export class NodeVigil implements AsyncDisposable {
  private readonly looks: Look[] = [];
  private readonly over = new AbortController();
  private readonly watching: Promise<void>;

  private constructor(
    private readonly client: KubeClient,
    private readonly aheadMs: number,
  ) {
    this.watching = this.watch();
  }

  static async begin(client: KubeClient, caller: Caller): Promise<NodeVigil> {
    const callersMs = await caller.nowMs();
    // What the answer took to come only makes spans begin earlier.
    return new NodeVigil(client, callersMs - performance.now());
  }

  /** The spans in which a node and its pods were given up, by the caller's clock. */
  async end(): Promise<Span[]> {
    this.over.abort();
    await this.watching;
    return spansGivenUp(this.looks).map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + podsReadyAgainWithinMs }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  private async watch(): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      const beganMs = performance.now() + this.aheadMs;
      this.looks.push({ beganMs, nodes: await this.lookAtNodes() });
      await pause(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async lookAtNodes(): Promise<Look['nodes']> {
    try {
      const { items } = await this.client.list(Node);
      return items.every(isReady) ? 'all ready' : 'some not ready';
    } catch {
      return 'not seen';
    }
  }
}

/** From the look before the one that found a node not ready until the next that found all of them ready, or for ever. */
export function spansGivenUp(looks: readonly Look[]): Span[] {
  const spans: { fromMs: number; toMs: number }[] = [];
  for (const [position, { beganMs, nodes }] of looks.entries()) {
    const open = spans.at(-1)?.toMs === Infinity ? spans.at(-1) : undefined;
    if (nodes === 'some not ready' && !open) spans.push({ fromMs: looks[position - 1]?.beganMs ?? beganMs, toMs: Infinity });
    if (nodes === 'all ready' && open) open.toMs = beganMs;
  }
  return spans;
}

function isReady({ status }: Node): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');
}
