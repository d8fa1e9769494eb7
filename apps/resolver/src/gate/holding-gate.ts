import type { Timer } from '@elasti/operator-kit';
import { type ServiceRef, ServiceMap } from '../directory';
import { type Gate, GateError, type Held, type Holder, type PodLease, type ServicePort, type Ticket } from '../exchange';
import type { GateConfig } from './gate.config';
import type { GateDependencies } from './gate-dependencies';
import { HeldTotals } from './held-totals';
import { type GateHost, ServiceGate } from './service-gate';
import { nobodySpeaks } from './waiting-room';

/** How late a deadline or a growing limit may be noticed: one timer for all that is held instead of one for each. */
const tickMs = 100;

/** What a Service has seen of late. */
export interface SeenActivity extends ServiceRef {
  /** Exchanges that are open, held ones included; ports that never wake are not counted. */
  readonly open: number;
  readonly held: number;
  /** By the monotonic clock; absent when there was none. */
  readonly lastRequestMs: number | undefined;
}

/**
 * Lets requests through to the ready pods with the least to do, and holds them while there is none.
 *
 * Everything held is bounded, for each Service and in all. A held request costs a few hundred bytes and no timer of its own. Services that no ElastiService
 * speaks for are unknown, so nothing here grows with what clients ask for; one whose ElastiService has gone is served as long as ready pods of it are known.
 */
export class HoldingGate implements Gate {
  private readonly gates = new ServiceMap<ServiceGate>();
  private readonly holding = new Set<ServiceGate>();
  private readonly totals = new HeldTotals();
  private readonly host: GateHost;
  private timer: Timer | undefined;

  constructor(
    config: GateConfig,
    private readonly dependencies: GateDependencies,
  ) {
    this.host = {
      config,
      dependencies,
      totals: this.totals,
      holding: (gate) => this.startTicking(gate),
      idle: (gate) => this.forgetIfGone(gate),
    };
  }

  /** Requests held for all Services. */
  get held(): number {
    return this.totals.requests;
  }

  tryEnter(target: ServicePort): PodLease | undefined {
    return (this.gates.get(target) ?? this.find(target))?.tryEnter(target.port);
  }

  hold(target: ServicePort, held: Held, holder: Holder): Ticket | undefined {
    const gate = this.find(target);
    if (gate) return gate.hold(target.port, held, holder);
    this.dependencies.observer?.refused?.(target, 'unknown');
    holder.refused(new GateError('unknown', target, nobodySpeaks));
    return undefined;
  }

  /**
   * Asks for a wake as a held request would, for a bounded time, and counts as activity; nothing is held.
   *
   * `false` when there is nothing to wake: a pod is ready, the port wakes nothing, or nobody knows it.
   */
  nudge(target: ServicePort): boolean {
    return this.find(target)?.nudge(target.port) ?? false;
  }

  /** Of one Service; nothing was seen of one that is not known. */
  activityOf(ref: ServiceRef): SeenActivity | undefined {
    return this.gates.get(ref);
  }

  /** Of all Services with something to tell. */
  activity(): SeenActivity[] {
    return [...this.gates.values()].filter(({ open, lastRequestMs }) => open > 0 || lastRequestMs !== undefined);
  }

  /** Stops listening and ticking. Whatever is held stays so: end it before. */
  close(): void {
    this.timer?.cancel();
    this.timer = undefined;
    for (const gate of this.gates.values()) gate.close();
  }

  private find(ref: ServiceRef): ServiceGate | undefined {
    const found = this.gates.get(ref);
    const { directory, pods } = this.dependencies;
    if (found || (!directory.find(ref) && pods.of(ref).length === 0)) return found;
    const gate = new ServiceGate(ref, this.host);
    this.gates.set(ref, gate);
    return gate;
  }

  private forgetIfGone(gate: ServiceGate): void {
    if (!gate.isForgettable || this.gates.get(gate) !== gate) return;
    this.gates.delete(gate);
    gate.close();
  }

  private startTicking(gate: ServiceGate): void {
    this.holding.add(gate);
    this.timer ??= this.dependencies.clock.after(tickMs, () => this.tick());
  }

  private tick(): void {
    this.timer = undefined;
    const nowMs = this.dependencies.clock.monotonic();
    for (const gate of this.holding) {
      gate.tick(nowMs);
      if (!gate.isWaiting) this.holding.delete(gate);
    }
    if (this.holding.size > 0) this.timer = this.dependencies.clock.after(tickMs, () => this.tick());
  }
}
