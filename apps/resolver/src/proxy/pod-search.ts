import type { GateError, Holder, HoldMoments, PodLease, ServicePort, Ticket } from '../exchange';
import type { PlainAnswer } from '../http1';
import type { ProxyContext } from './proxy-context';

/** Who looks for a pod. */
export interface PodSeeker {
  /** How many exchanges go to the pod with this one, itself included; 1 when it does not say. */
  readonly exchanges?: number | undefined;
  onLease(lease: PodLease): void;
  /** There is none to be had; the answer says why. */
  onNoPod(answer: PlainAnswer): void;
}

/**
 * How an exchange gets a pod that it cannot have at once: by waiting at the gate, again after each pod that refused it.
 *
 * When to try a pod again is for the gate to say. The seeker hears nothing after `stop`, and a lease that comes too late is given back.
 * Only exchanges that wait have one of these.
 */
export class PodSearch implements Holder {
  private state: 'at rest' | 'asking' | 'waiting' = 'at rest';
  private ticket: Ticket | undefined;
  private asked = 0;
  private refusedBy: Set<string> | undefined;
  private leasedAtMs = 0;
  private lease: PodLease | undefined;
  /** Whether it stood in the queue and was let go, so that it was counted before. */
  private wasLetGo = false;
  private sent: HoldMoments | undefined;
  private hasToldSent = false;

  constructor(
    private readonly context: ProxyContext,
    private readonly target: ServicePort,
    private readonly seeker: PodSeeker,
    /** Since when the exchange waits, if it did so before it came to the gate. */
    readonly heldAtMs = context.clock.monotonic(),
  ) {}

  get exchanges(): number | undefined {
    return this.seeker.exchanges;
  }

  /** What was waited for, once the first byte has gone to the pod that was found last. */
  get moments(): HoldMoments | undefined {
    return this.sent;
  }

  /** While it waits already: counts it anew. It keeps its turn and its deadline, but may find no room for more bytes. */
  wait(bytesHeld: number): void {
    const { clock, gate } = this.context;
    this.stop();
    this.sent = undefined;
    this.state = 'asking';
    this.asked++;
    const waitedMs = clock.monotonic() - this.heldAtMs;
    this.ticket = gate.hold(this.target, { bytesHeld, waitedMs, not: this.refusedBy, wasLetGo: this.wasLetGo }, this);
    this.state = 'waiting';
  }

  entered(lease: PodLease): void {
    if (this.state === 'asking') this.afterAsking(() => this.take(lease), lease);
    else this.take(lease);
  }

  refused(error: GateError): void {
    if (this.state === 'asking') this.afterAsking(() => this.giveUp(error));
    else this.giveUp(error);
  }

  /** This pod refused or lost the exchange; another is better. */
  avoid(podKey: string): void {
    (this.refusedBy ??= new Set()).add(podKey);
  }

  /** A byte goes to the pod that was found. */
  markSent(): void {
    if (this.sent !== undefined) return;
    const { clock, listener } = this.context;
    this.sent = { ...this.lease?.waitedFor, heldAtMs: this.heldAtMs, leasedAtMs: this.leasedAtMs, sentAtMs: clock.monotonic() };
    if (!this.hasToldSent) listener.sentAfterHold?.(this.target, this.sent);
    this.hasToldSent = true;
  }

  /** It goes to a pod that another was let go to, and leaves the queue as if it had been let go itself. */
  goAlong(): void {
    if (this.ticket !== undefined) this.wasLetGo = true;
    this.stop();
  }

  stop(): void {
    this.ticket?.leave();
    this.ticket = undefined;
    this.state = 'at rest';
  }

  /** The seeker is told later, for it has not yet put away what it asks for; by then it may have stopped. */
  private afterAsking(tell: () => void, lease?: PodLease): void {
    const { asked } = this;
    process.nextTick(() => {
      if (this.asked === asked && this.state === 'waiting') tell();
      else lease?.release('unused');
    });
  }

  private take(lease: PodLease): void {
    this.state = 'at rest';
    this.ticket = undefined;
    this.lease = lease;
    if (lease.waitedFor !== undefined) this.wasLetGo = true;
    this.leasedAtMs = this.context.clock.monotonic();
    this.seeker.onLease(lease);
  }

  private giveUp(error: GateError): void {
    this.state = 'at rest';
    this.ticket = undefined;
    const { status, reason, detail, retryAfterSeconds } = error;
    const { namespace, service, port } = this.target;
    const text = `${namespace}/${service}:${port}: ${reason}: ${detail}`;
    this.seeker.onNoPod({ status, text, retryAfterSeconds, ...(reason === 'unknown' && { persistence: 'close' }) });
  }
}
