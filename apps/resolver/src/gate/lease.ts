import type { LeaseOutcome, PodLease, WaitedFor } from '../exchange';
import type { Place } from './lane';
import type { PodLoad } from './pod-load';

export type LeaseKind = 'activity' | 'not activity';

export interface LeaseOwner {
  touched(kind: LeaseKind): void;
  ended(load: PodLoad, kind: LeaseKind, outcome: LeaseOutcome): void;
}

/** A second `release` does nothing, so that no count can go below what is open. */
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
  ) {
    this.address = address;
    this.port = port;
    this.podKey = load.podKey;
    this.load = load;
  }

  touch(): void {
    if (!this.released) this.owner.touched(this.kind);
  }

  release(outcome: LeaseOutcome): void {
    if (this.released) return;
    this.released = true;
    this.owner.ended(this.load, this.kind, outcome);
  }
}
