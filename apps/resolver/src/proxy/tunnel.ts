import type { Deadlines, Expiring } from './deadlines';
import type { Link, LinkOwner } from './link';

/**
 * Joins two links until both are gone: bytes, pressure, half-closes and resets pass through.
 *
 * `onOver` is called once, also after `close`.
 */
export class Tunnel {
  private openEnds = 2;
  private goodbye: { readonly deadlines: Deadlines; readonly limit: Expiring } | undefined;

  constructor(
    private readonly client: Link,
    private readonly upstream: Link,
    private readonly onOver: () => void,
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
  end(deadlines: Deadlines, lingerMs: number): void {
    if (this.goodbye || this.openEnds <= 0) return;
    const limit = { expiresAtTick: deadlines.after(lingerMs), onExpired: () => this.close() };
    this.goodbye = { deadlines, limit };
    deadlines.watch(limit);
    for (const link of [this.client, this.upstream]) {
      link.end();
      link.resume();
    }
  }

  /** Nothing more can be said to either side. */
  get isEnding(): boolean {
    return this.goodbye !== undefined;
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

  private leave(): void {
    this.goodbye?.deadlines.unwatch(this.goodbye.limit);
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
    if (!this.tunnel.isEnding && !this.other.writeBytes(bytes, 0, length)) this.own.pause();
  }

  onDrain(): void {
    this.other.resume();
  }

  /** One direction may end long before the other. */
  onEnd(): void {
    this.other.end();
  }

  onClosed(error: Error | undefined): void {
    if (error === undefined) {
      this.tunnel.endClosed();
      return;
    }
    this.other.reset();
    this.tunnel.finish();
  }
}
