import type { LeaseOutcome, PodLease, WaitedFor } from '../exchange';
import type { Place } from './lane';
import type { PodLoad } from './pod-load';

export type LeaseKind = 'activity' | 'not activity';

export interface LeaseOwner {
  /** How many more of those who were held may be under way there. */
  roomAt(load: PodLoad): number;
  /** It serves more or fewer than before, or as many. */
  carried(lease: Lease, change: 'fewer' | 'no fewer'): void;
  ended(lease: Lease, outcome: LeaseOutcome): void;
}

/**
 * A place at a pod, counted there once for each exchange that it serves.
 *
 * What was held and came with it is let go as the pod has room; from then on it serves as many as come. A second `release` does nothing, so
 * that no count can go below what is open.
 */
export class Lease implements PodLease {
  readonly address: string;
  readonly port: number;
  readonly podKey: string;
  readonly load: PodLoad;
  onRoom: (() => void) | undefined = undefined;
  private exchanges = 1;
  private state: 'letting go' | 'held back' | 'serving' | 'released';

  constructor(
    private readonly owner: LeaseOwner,
    { address, port, load }: Place,
    readonly kind: LeaseKind,
    readonly waitedFor: WaitedFor | undefined,
  ) {
    this.address = address;
    this.port = port;
    this.podKey = load.podKey;
    this.load = load;
    this.state = waitedFor ? 'letting go' : 'serving';
  }

  /** Whether some who came with it wait until the pod has room. */
  get isHeldBack(): boolean {
    return this.state === 'held back';
  }

  carry(wanted: number): number {
    if (this.state === 'released') return wanted;
    const before = this.exchanges;
    const given = this.state === 'serving' ? wanted : Math.min(wanted, before + this.owner.roomAt(this.load));
    this.state = given < wanted ? 'held back' : 'serving';
    this.count(given);
    this.owner.carried(this, given < before ? 'fewer' : 'no fewer');
    return given;
  }

  release(outcome: LeaseOutcome): void {
    if (this.state === 'released') return;
    this.state = 'released';
    this.count(1);
    this.owner.ended(this, outcome);
  }

  private count(exchanges: number): void {
    if (exchanges === this.exchanges) return;
    this.load.recount(this.exchanges, exchanges);
    this.exchanges = exchanges;
  }
}
