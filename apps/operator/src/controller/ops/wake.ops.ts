import { cooldownSOf, ElastiService, minTargetReplicasOf } from '@elasti/api';
import {
  type Clock,
  type Frozen,
  formatRef,
  type KubeClient,
  type KubeObject,
  type ObjectEvents,
  refOf,
  retryOnConflict,
  type Scale,
  untilAborted,
  withTimeout,
} from '@elasti/operator-kit';
import { formatTargetName } from '../../informer';
import type { OperatorMetrics } from '../../metrics';
import { fieldManager } from '../../names';
import { WakeRush } from '../wake-rush';
import { Waker, type WakeOutcome, WakeTimeoutError } from '../waker';
import type { KedaOps } from './keda.ops';
import type { TargetOps } from './target.ops';

export interface WakeDependencies {
  readonly client: Pick<KubeClient, 'patch'>;
  readonly target: Pick<TargetOps, 'expectBelow' | 'read' | 'scale'>;
  readonly keda: Pick<KedaOps, 'unpause'>;
  readonly clock: Clock;
  readonly metrics: OperatorMetrics;
  readonly eventsFor: (object: Frozen<KubeObject>) => ObjectEvents;
}

/** Whoever waits is answered by then; the resolver calls again for as long as it holds a request. */
const wakeTimeoutMs = 15_000;

/**
 * Wakes targets, on any replica.
 *
 * The stamp comes before the scale is written or found to suffice, and a sleep reads the stamp after it wrote the scale: whichever of the two
 * is second sees the other, so a target that somebody asked for is never left asleep. That a target is awake is the API server's word, never a cache's; that it
 * sleeps may be a cache's, for the API server takes a scale only over the version that the cache has seen.
 */
export class WakeOps extends Waker {
  /** The last wake of each service under way, and the one that further calls may still join. Never more than there are services. */
  private readonly underWay = new Map<string, Promise<WakeOutcome>>();
  private readonly joinable = new Map<string, Promise<WakeOutcome>>();
  private readonly rush: WakeRush;

  constructor(private readonly dependencies: WakeDependencies) {
    super();
    this.rush = new WakeRush(dependencies.clock);
  }

  override async wake(elastiService: Frozen<ElastiService>, why: string, signal: AbortSignal): Promise<WakeOutcome> {
    if (elastiService.spec.mode === 'DryRun') return 'refused';
    const key = formatRef(refOf(elastiService));
    return untilAborted(this.joinable.get(key) ?? this.begin(key, elastiService, why), signal);
  }

  override get isRushed(): boolean {
    return this.rush.isOn;
  }

  override async stampBusy(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<void> {
    const body = { status: { lastScaledUpTime: new Date(this.dependencies.clock.now()).toISOString() } };
    const options = { subresource: 'status', signal, fieldManager, answer: 'unread' } as const;
    await this.dependencies.client.patch(ElastiService, refOf(elastiService), { type: 'merge', body }, options);
  }

  /**
   * Calls share a wake until it looks at the scale: what comes later may follow a sleep that it did not see, and gets a wake of its own, after this one.
   * Not under the signal of the first caller, since others wait for it, too.
   */
  private begin(key: string, elastiService: Frozen<ElastiService>, why: string): Promise<WakeOutcome> {
    const { clock } = this.dependencies;
    const reason = () => new WakeTimeoutError(`the wake was not accepted within ${wakeTimeoutMs / 1000} s`);
    const before = this.underWay.get(key)?.catch(() => undefined) ?? Promise.resolve();
    const wake = before.then(() =>
      withTimeout({ clock, timeoutMs: wakeTimeoutMs, reason }, (signal) =>
        this.perform(elastiService, why, () => leave(this.joinable), signal),
      ),
    );
    const leave = (wakes: Map<string, Promise<WakeOutcome>>) => {
      if (wakes.get(key) === ended) wakes.delete(key);
    };
    const ended = wake.finally(() => {
      leave(this.joinable);
      leave(this.underWay);
      this.rush.note(this.underWay.size);
    });
    this.underWay.set(key, ended);
    this.joinable.set(key, ended);
    this.rush.note(this.underWay.size);
    return ended;
  }

  private async perform(elastiService: Frozen<ElastiService>, why: string, onLook: () => void, signal: AbortSignal): Promise<WakeOutcome> {
    const { target, clock, keda, metrics, eventsFor } = this.dependencies;
    const { namespace = '' } = elastiService.metadata;
    const { service } = elastiService.spec;
    try {
      const replicas = minTargetReplicasOf(elastiService.spec);
      // A failure says nothing yet: the look after the stamp will say it.
      const expected = target.expectBelow(elastiService, replicas, signal).catch(() => undefined);
      await this.stampBusy(elastiService, signal);
      await keda.unpause(elastiService, replicas, clock.now() + cooldownSOf(elastiService.spec) * 1000, signal);
      onLook();
      const outcome = await this.scaleUp(elastiService, replicas, await expected, signal);
      if (outcome === 'scaled') {
        const event = { type: 'Normal', reason: 'SuccessToScale', action: 'Wake', note: `scaled up to ${replicas}: ${why}` } as const;
        this.rush.afterwards(() => eventsFor(elastiService).emit(event));
        metrics.scaled(namespace, service, 'scale-up', 'success', formatTargetName(elastiService));
      }
      return outcome;
    } catch (error) {
      const note = `could not be woken: ${messageOf(error)}`;
      eventsFor(elastiService).emit({ type: 'Warning', reason: 'FailedToScale', action: 'Wake', note });
      metrics.scaled(namespace, service, 'scale-up', 'error', formatTargetName(elastiService));
      throw error;
    }
  }

  private async scaleUp(
    elastiService: Frozen<ElastiService>,
    replicas: number,
    expected: Scale | undefined,
    signal: AbortSignal,
  ): Promise<WakeOutcome> {
    const { target } = this.dependencies;
    let first = expected;
    let outcome: WakeOutcome = 'already awake';
    await retryOnConflict(
      () => {
        const read = first ? Promise.resolve(first) : target.read(elastiService, signal);
        first = undefined;
        return read;
      },
      (read) => ((read.spec.replicas ?? 0) < replicas ? read : undefined),
      async (read) => {
        await target.scale(elastiService, read, replicas, signal);
        outcome = 'scaled';
        return read;
      },
    );
    return outcome;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
