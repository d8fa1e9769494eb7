import type { GateError, PodLease } from '../exchange';
import type { Holder, Ticket } from './waiter';

/** A wait as a promise that a signal ends. */
export class PromisedEntry implements Holder {
  readonly promise: Promise<PodLease>;
  private readonly resolve: (lease: PodLease) => void;
  private readonly reject: (error: Error) => void;
  private ticket: Ticket | undefined;

  constructor(private readonly signal: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<PodLease>();
    this.promise = promise;
    this.resolve = resolve;
    this.reject = reject;
  }

  follow(ticket: Ticket | undefined): void {
    if (!ticket) return;
    this.ticket = ticket;
    this.signal.addEventListener('abort', this, { once: true });
  }

  handleEvent(): void {
    this.ticket?.leave();
    this.reject(this.signal.reason as Error);
  }

  entered(lease: PodLease): void {
    this.stopListening();
    this.resolve(lease);
  }

  refused(error: GateError): void {
    this.stopListening();
    this.reject(error);
  }

  private stopListening(): void {
    if (this.ticket) this.signal.removeEventListener('abort', this);
  }
}
