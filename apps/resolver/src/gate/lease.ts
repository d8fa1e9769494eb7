import type { LeaseOutcome, PodLease, WaitedFor } from '../exchange';
import type { Place } from './lane';
import type { PodLoad } from './pod-load';

export type LeaseKind = 'activity' | 'not activity';

export interface LeaseOwner {
  readonly requestTimeoutMs: number;
  nowMs(): number;
  touched(kind: LeaseKind, room: 'as before' | 'freed'): void;
  ended(load: PodLoad, kind: LeaseKind, outcome: LeaseOutcome): void;
}

/** Counts at its pod as many exchanges as were let go with it, or as `touch` said last. A second `release` does nothing, so that no count can go below what is open. */
export class Lease implements PodLease {
  readonly address: string;
  readonly port: number;
  readonly podKey: string;
  private readonly load: PodLoad;
  private released = false;

  constructor(
    private readonly owner: LeaseOwner,
    { address, port, load }: Place,
    private readonly kind: LeaseKind,
    readonly waitedFor: WaitedFor | undefined,
    private exchanges = 1,
  ) {
    this.address = address;
    this.port = port;
    this.podKey = load.podKey;
    this.load = load;
    load.open += exchanges;
  }

  get startingSinceMs(): number | undefined {
    return this.load.isStarting(this.owner.nowMs()) ? this.load.readySinceMs : undefined;
  }

  get requestTimeoutMs(): number {
    return this.owner.requestTimeoutMs;
  }

  answered(): void {
    this.load.hasAnswered = true;
  }

  touch(open: number): void {
    if (this.released) return;
    const before = this.exchanges;
    this.exchanges = open;
    this.load.open += this.exchanges - before;
    this.owner.touched(this.kind, this.exchanges < before ? 'freed' : 'as before');
  }

  release(outcome: LeaseOutcome): void {
    if (this.released) return;
    this.released = true;
    this.load.open -= this.exchanges;
    this.owner.ended(this.load, this.kind, outcome);
  }
}
