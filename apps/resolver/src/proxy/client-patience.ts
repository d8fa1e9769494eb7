import type { Deadlines, Expiring } from './deadlines';
import type { ProxySettings } from './proxy-settings';

/** Who is told that a client took too long. */
export interface PatienceOwner {
  onPatienceOver(): void;
}

/**
 * How long a client may take for what it owes at the moment; there is always a limit.
 *
 * A limit may run out just as somebody comes to owe something, so a stall takes two in a row in which nothing moved: no read or write
 * has to set one anew.
 */
export class ClientPatience implements Expiring {
  expiresAtTick: number;
  private stalled = false;
  private leaving = false;

  constructor(
    private readonly deadlines: Deadlines,
    private readonly settings: ProxySettings,
    private readonly owner: PatienceOwner,
  ) {
    this.expiresAtTick = deadlines.after(settings.idleClientMs);
    deadlines.watch(this);
  }

  onExpired(): void {
    this.owner.onPatienceOver();
  }

  until(tick: number): void {
    this.expiresAtTick = tick;
  }

  forHead(): void {
    this.expiresAtTick = this.deadlines.after(this.settings.headTimeoutMs);
  }

  forExchange(): void {
    this.stalled = false;
    this.expiresAtTick = this.deadlines.after(this.settings.stalledClientMs);
  }

  /** The client is idle only once it has taken the answer before: until then it is judged as one that reads. */
  forRequest(link: { readonly isCongested: boolean }): void {
    this.after(link, this.leaving ? this.settings.drainIdleMs : this.settings.idleClientMs);
  }

  /** For a client that is to read our last answer. */
  forGoodbye(link: { readonly isCongested: boolean }): void {
    this.after(link, this.settings.idleClientMs);
  }

  forLinger(): void {
    this.expiresAtTick = this.deadlines.after(this.settings.lingerMs);
  }

  /** From now on a client without a request is waited for only a moment: one may be on its way, and closing would lose it. */
  leaveSoon(client: 'idle' | 'busy'): void {
    this.leaving = true;
    if (client === 'idle') this.expiresAtTick = Math.min(this.expiresAtTick, this.deadlines.after(this.settings.drainIdleMs));
  }

  /** A byte came, or one was taken. */
  onMoved(): void {
    this.stalled = false;
  }

  /** A limit ran out while somebody owes something or not; true when it is the second in a row. */
  isSpent(owes: boolean): boolean {
    if (owes && this.stalled) return true;
    this.stalled = owes;
    this.expiresAtTick = this.deadlines.after(this.settings.stalledClientMs);
    return false;
  }

  end(): void {
    this.deadlines.unwatch(this);
  }

  private after(link: { readonly isCongested: boolean }, delayMs: number): void {
    this.stalled = false;
    this.expiresAtTick = this.deadlines.after(link.isCongested ? this.settings.stalledClientMs : delayMs);
  }
}
