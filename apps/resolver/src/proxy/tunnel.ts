import { NEVER } from './deadlines';
import type { Deadlines, Expiring } from './deadlines';
import type { Link, LinkOwner } from './link';

export interface TunnelOptions {
  readonly deadlines: Deadlines;
  /** How long a tunnel of which one direction has ended may go without a byte in the other. */
  readonly oneWayMs: number;
  /** The pod has said its first word here. */
  readonly onFirstWord?: () => void;
}

/**
 * Joins two links until both are gone: bytes, pressure, half-closes and resets pass through.
 *
 * One that closes can only be heard to end: whether it still listens shows when it is told something. So once a direction has ended, the
 * other has a limit, which every byte renews; a pod that neither speaks nor leaves would keep its place for ever. `onOver` is called once,
 * also after `close`.
 */
export class Tunnel implements Expiring {
  expiresAtTick = NEVER;
  private state: 'both ways' | 'one way' | 'goodbye' = 'both ways';
  private openEnds = 2;
  private firstGone: Link | undefined;
  private podSpoke = false;

  constructor(
    private readonly client: Link,
    private readonly upstream: Link,
    private readonly onOver: () => void,
    private readonly options: TunnelOptions,
  ) {
    client.owner = new TunnelEnd(client, upstream, this);
    upstream.owner = new TunnelEnd(upstream, client, this);
    client.resume();
    upstream.resume();
  }

  close(): void {
    this.client.destroy();
    this.upstream.destroy();
    this.finish();
  }

  /** Says goodbye to both sides, behind what was said to them before. Whoever has not gone after the linger is cut off. */
  end(lingerMs: number): void {
    if (this.state === 'goodbye' || this.openEnds <= 0) return;
    this.state = 'goodbye';
    this.watch(lingerMs);
    for (const link of [this.client, this.upstream]) {
      link.end();
      link.resume();
    }
  }

  /** The pod ended it, unasked, and has said nothing here. */
  get wasCutByPod(): boolean {
    return this.firstGone === this.upstream && !this.podSpoke;
  }

  /** What was not taken in time may be a part of something: it must not look like its proper end. */
  onExpired(): void {
    if (this.state === 'goodbye') {
      this.close();
      return;
    }
    this.client.reset();
    this.upstream.reset();
    this.finish();
  }

  /** Whether what was read is to be passed on: after a goodbye nothing more can be said to either side. */
  takesFrom(link: Link): boolean {
    if (this.state !== 'both ways') this.onMoved();
    if (!this.podSpoke && link === this.upstream) this.onFirstWord();
    return this.state !== 'goodbye';
  }

  /** A byte came, or one was taken. */
  onMoved(): void {
    const { deadlines, oneWayMs } = this.options;
    if (this.state === 'one way') this.expiresAtTick = deadlines.after(oneWayMs);
  }

  onGone(link: Link): void {
    if (this.state !== 'both ways') return;
    this.state = 'one way';
    this.firstGone = link;
    this.watch(this.options.oneWayMs);
  }

  endClosed(): void {
    this.openEnds--;
    if (this.openEnds === 0) this.leave();
  }

  finish(): void {
    if (this.openEnds <= 0) return;
    this.openEnds = 0;
    this.leave();
  }

  private onFirstWord(): void {
    this.podSpoke = true;
    this.options.onFirstWord?.();
  }

  private watch(delayMs: number): void {
    const { deadlines } = this.options;
    this.expiresAtTick = deadlines.after(delayMs);
    deadlines.watch(this);
  }

  private leave(): void {
    this.options.deadlines.unwatch(this);
    this.onOver();
  }
}

/** One end of a tunnel: what it reads goes out at the other. */
class TunnelEnd implements LinkOwner {
  constructor(
    private readonly own: Link,
    private readonly other: Link,
    private readonly tunnel: Tunnel,
  ) {}

  onBytes(bytes: Buffer, length: number): void {
    if (this.tunnel.takesFrom(this.own) && !this.other.writeBytes(bytes, 0, length)) this.own.pause();
  }

  onDrain(): void {
    this.tunnel.onMoved();
    this.other.resume();
  }

  /** One direction may end long before the other. */
  onEnd(): void {
    this.tunnel.onGone(this.own);
    this.other.end();
  }

  onClosed(error: Error | undefined): void {
    if (error === undefined) {
      this.tunnel.endClosed();
      return;
    }
    this.tunnel.onGone(this.own);
    this.other.reset();
    this.tunnel.finish();
  }
}
