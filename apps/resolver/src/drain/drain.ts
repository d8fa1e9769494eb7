import { type Clock, type Logger, sleep } from '@elasti/operator-kit';
import type { OnModuleDestroy } from '@nestjs/common';
import type { HoldingGate } from '../gate';
import type { Forwarder } from '../proxy';
import type { DrainConfig } from '../resolver.config';
import type { TrafficPorts } from '../traffic';
import type { HttpWakeCall, OperatorWaker } from '../wake';
import type { OwnMentions, SliceReader } from './own-mentions';

export interface DrainDependencies {
  readonly ports: Pick<TrafficPorts, 'close' | 'isSharedListening'>;
  readonly forwarder: Pick<Forwarder, 'tellToGo' | 'drain' | 'endStreams' | 'stop' | 'openConnections'>;
  readonly gate: Pick<HoldingGate, 'held' | 'close'>;
  readonly waker: Pick<OperatorWaker, 'stop'>;
  readonly call: Pick<HttpWakeCall, 'close'>;
  /** Absent: this pod does not know its own address. */
  readonly mentions?: Pick<OwnMentions, 'gone'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** For a pod that cannot look itself up: the kubelet, the operator and the data plane have all heard of it by then. */
const blindMs = 15_000;
/** How often connections are counted while the last of them end. */
const countMs = 100;
/** How long tunnels and streams of events go on after the ports have closed: their clients come back elsewhere, but not all in one moment. */
const streamsMs = 30_000;

/**
 * The end of a resolver, in which nothing is lost that came before it or still comes.
 *
 * Traffic is taken until no slice names this pod as ready and data planes have had time to hear of it; then the ports close, clients are told to go,
 * and what is held or under way is served, all within the grace. WebSockets, other tunnels and streams of events, which have no end of their own, are
 * ended half a minute after the ports, or after half of a grace that is shorter. Nothing is left open after it.
 */
export class Drain implements OnModuleDestroy {
  private state: 'serving' | 'draining' | 'over' = 'serving';
  private readonly cut = new AbortController();

  constructor(
    private readonly config: DrainConfig,
    private readonly dependencies: DrainDependencies,
  ) {}

  get isDraining(): boolean {
    return this.state !== 'serving';
  }

  /** Ends it without waiting for anybody any more. */
  endNow(): void {
    this.cut.abort(new Error('the drain was cut short'));
  }

  async onModuleDestroy(): Promise<void> {
    const { forwarder, gate, clock, logger } = this.dependencies;
    this.state = 'draining';
    logger.info('draining', { held: gate.held, connections: forwarder.openConnections });
    const grace = clock.after(this.config.graceMs, () => this.endNow());
    try {
      await this.serveTheRest(this.cut.signal);
    } catch (error) {
      if (!this.cut.signal.aborted) throw error;
    } finally {
      grace.cancel();
      await this.endAll();
    }
  }

  private async serveTheRest(signal: AbortSignal): Promise<void> {
    const { ports, forwarder, clock } = this.dependencies;
    forwarder.tellToGo();
    // A resolver that never listened was never sent anything.
    if (ports.isSharedListening) await this.untilNobodyComes(signal);
    await ports.close();
    forwarder.drain();
    const everyMs = Math.min(streamsMs, this.config.graceMs / 2);
    let endStreamsAtMs = clock.monotonic() + everyMs;
    while (forwarder.openConnections > 0) {
      await sleep(clock, countMs, signal);
      if (clock.monotonic() < endStreamsAtMs) continue;
      // Once more later: what is held may become a stream by then.
      forwarder.endStreams();
      endStreamsAtMs += everyMs;
    }
  }

  private async untilNobodyComes(signal: AbortSignal): Promise<void> {
    const { mentions, clock, logger } = this.dependencies;
    if (mentions) {
      const reader = await mentions.gone(signal);
      await sleep(clock, this.settleMsFor(reader), signal);
    } else {
      await sleep(clock, blindMs + this.config.settleMs, signal);
    }
    logger.info('no slice names this pod any more, its ports close');
  }

  private settleMsFor(reader: SliceReader): number {
    const { settleMs, loadBalancerSettleMs } = this.config;
    return reader === 'load balancer' ? Math.max(settleMs, loadBalancerSettleMs) : settleMs;
  }

  private async endAll(): Promise<void> {
    const { ports, forwarder, gate, waker, call, logger } = this.dependencies;
    const left = { held: gate.held, connections: forwarder.openConnections };
    await ports.close();
    forwarder.stop();
    waker.stop();
    gate.close();
    await call.close();
    this.state = 'over';
    if (left.connections > 0) logger.warn('connections were cut off at the end of the grace', left);
    else logger.info('drained');
  }
}
