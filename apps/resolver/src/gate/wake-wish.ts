import type { ServiceRef } from '../directory';
import type { WakeDemand, Waker } from '../wake';

/** How long a nudge asks for a wake; whoever nudges is expected to come back sooner. */
const nudgeMs = 30_000;
const NEVER = Number.NEGATIVE_INFINITY;

/** What is held for a Service, now. */
interface Crowd extends ServiceRef {
  readonly held: number;
}

/**
 * Whether a Service is to be woken: while somebody waits or has nudged of late, and no pod is ready.
 *
 * The waker hears of each change once.
 */
export class WakeWish implements WakeDemand {
  readonly namespace: string;
  readonly service: string;
  /** When the operator accepted the present wish, or the last one. */
  acceptedAtMs: number | undefined;
  private wanted = false;
  private nudgedUntilMs = NEVER;

  constructor(
    private readonly crowd: Crowd,
    private readonly waker: Waker,
    private readonly nowMs: () => number,
  ) {
    this.namespace = crowd.namespace;
    this.service = crowd.service;
  }

  get held(): number {
    return this.crowd.held;
  }

  get isNudged(): boolean {
    return this.nudgedUntilMs > NEVER;
  }

  wakeAccepted(): void {
    this.acceptedAtMs ??= this.nowMs();
  }

  nudge(nowMs: number): void {
    this.nudgedUntilMs = nowMs + nudgeMs;
    this.update(0);
  }

  /** Ends a nudge that nobody has repeated. */
  tick(nowMs: number): void {
    if (nowMs >= this.nudgedUntilMs) this.nudgedUntilMs = NEVER;
  }

  update(readyPods: number): void {
    if (readyPods > 0) this.nudgedUntilMs = NEVER;
    const wanted = readyPods === 0 && (this.held > 0 || this.isNudged);
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    if (!wanted) {
      this.waker.satisfied(this);
      return;
    }
    this.acceptedAtMs = undefined;
    this.waker.want(this);
  }

  close(): void {
    this.nudgedUntilMs = NEVER;
    if (this.wanted) this.waker.satisfied(this);
    this.wanted = false;
  }
}
