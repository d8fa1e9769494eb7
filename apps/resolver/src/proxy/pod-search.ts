import { GateError } from '../exchange';
import type { HoldMoments, PodLease, ServicePort } from '../exchange';
import type { PlainAnswer } from '../http1';
import type { ProxyContext } from './proxy-context';

/** Who looks for a pod. */
export interface PodSeeker {
  onLease(lease: PodLease): void;
  /** There is none to be had; the answer says why. */
  onNoPod(answer: PlainAnswer): void;
}

/** One for all: an abort without a reason makes an error with its stack, which cost more than all the rest of a hold. */
const GIVEN_UP = Object.freeze(new Error('the wait was given up'));

/**
 * How an exchange gets a pod that it cannot have at once: by waiting at the gate, again after each pod that refused it.
 *
 * When to try a pod again is for the gate to say. The seeker hears nothing after `stop`, and a lease that comes too late is given back.
 * Only exchanges that wait have one of these.
 */
export class PodSearch {
  private waiting: AbortController | undefined;
  private readonly heldAtMs: number;
  private refusedBy: Set<string> | undefined;
  private leasedAtMs = 0;
  private lease: PodLease | undefined;
  private sent: HoldMoments | undefined;

  constructor(
    private readonly context: ProxyContext,
    private readonly target: ServicePort,
    private readonly seeker: PodSeeker,
  ) {
    this.heldAtMs = context.clock.monotonic();
  }

  /** What was waited for, once the first byte has gone to a pod. */
  get moments(): HoldMoments | undefined {
    return this.sent;
  }

  /** While it waits already: counts it anew. It keeps its turn and its deadline, but may find the queue full by now. */
  wait(bytesHeld: number): void {
    const { clock, gate } = this.context;
    this.waiting?.abort(GIVEN_UP);
    const { signal } = (this.waiting = new AbortController());
    const waitedMs = clock.monotonic() - this.heldAtMs;
    gate.enter(this.target, { bytesHeld, waitedMs, signal, not: this.refusedBy }).then(
      (lease) => this.onLease(lease, signal),
      (error: unknown) => this.onError(error, signal),
    );
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
    listener.sentAfterHold?.(this.target, this.sent);
  }

  stop(): void {
    this.waiting?.abort(GIVEN_UP);
    this.waiting = undefined;
  }

  private onLease(lease: PodLease, { aborted }: AbortSignal): void {
    if (aborted) {
      lease.release('done');
      return;
    }
    this.waiting = undefined;
    this.lease = lease;
    this.leasedAtMs = this.context.clock.monotonic();
    this.seeker.onLease(lease);
  }

  private onError(error: unknown, { aborted }: AbortSignal): void {
    if (aborted) return;
    this.waiting = undefined;
    this.seeker.onNoPod(this.answerTo(error));
  }

  private answerTo(error: unknown): PlainAnswer {
    const { namespace, service, port } = this.target;
    const name = `${namespace}/${service}:${port}`;
    if (error instanceof GateError) {
      const { status, reason, detail, retryAfterSeconds } = error;
      return { status, text: `${name}: ${reason}: ${detail}`, retryAfterSeconds };
    }
    this.context.logger.error('the gate failed', { namespace, service, error });
    return { status: 502, text: `${name}: no pod could be chosen` };
  }
}
