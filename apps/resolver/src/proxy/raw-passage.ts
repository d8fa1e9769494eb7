import type { Timer } from '@elasti/operator-kit';

import type { PodLease, ServicePort } from '../exchange';
import { Link } from './link';
import type { LinkOwner } from './link';
import { PendingBytes } from './pending-bytes';
import type { ProxyContext } from './proxy-context';
import { HELD_BODY_BYTES } from './proxy-settings';
import { retryDelayMs } from './retry-delay';
import { Tunnel } from './tunnel';

const TLS_HANDSHAKE = 0x16;

/**
 * A connection that is not HTTP/1: held until a pod is there, then joined to it byte by byte.
 *
 * A pod that refuses the connection has seen nothing, so the next is tried until the gate gives up. `onOver` is called once.
 */
export class RawPassage implements LinkOwner {
  private readonly pending = new PendingBytes();
  private readonly hold = new AbortController();
  private readonly refusedBy = new Set<string>();
  private readonly beganMs: number;
  private refusals = 0;
  private lease: PodLease | undefined;
  private upstream: Link | undefined;
  private dialTimer: Timer | undefined;
  private tunnel: Tunnel | undefined;
  private ended = false;
  private over = false;

  constructor(
    private readonly client: Link,
    private readonly context: ProxyContext,
    private readonly target: ServicePort,
    private readonly onOver: () => void,
  ) {
    this.beganMs = context.clock.monotonic();
    client.owner = this;
    context.listener.began(target);
  }

  start(firstBytes: Buffer): void {
    this.onBytes(firstBytes, firstBytes.length);
    const lease = this.context.gate.tryEnter(this.target);
    if (lease) this.dial(lease);
    else this.enter();
  }

  close(): void {
    if (this.tunnel) {
      this.tunnel.close();
      return;
    }
    this.client.destroy();
    this.finish();
  }

  onBytes(bytes: Buffer, length: number): void {
    this.pending.add(bytes, 0, length);
    if (this.pending.length > HELD_BODY_BYTES / 2) this.client.pause();
  }

  onDrain(): void {
    // Nothing is written to the client before the tunnel.
  }

  /** A TLS client has nothing to gain from half a connection; other protocols may say all they have to say before they listen. */
  onEnd(): void {
    this.ended = true;
    if (this.pending.length === 0 || this.pending.firstByte === TLS_HANDSHAKE) this.close();
  }

  onClosed(): void {
    this.finish();
  }

  private enter(): void {
    const { gate, clock } = this.context;
    const waitedMs = clock.monotonic() - this.beganMs;
    gate.enter(this.target, { bytesHeld: this.pending.length, waitedMs, signal: this.hold.signal, not: this.refusedBy }).then(
      (lease) => this.onLease(lease),
      () => this.close(),
    );
  }

  private onLease(lease: PodLease): void {
    if (this.over) {
      lease.release('done');
      return;
    }
    if (!this.refusedBy.has(lease.podKey)) {
      this.dial(lease);
      return;
    }
    this.lease = lease;
    this.dialTimer = this.context.clock.after(retryDelayMs(this.refusals), () => this.dial(lease));
  }

  private dial(lease: PodLease): void {
    this.lease = lease;
    const { clock, settings, buffers } = this.context;
    const refused = (): void => this.onRefused(lease);
    this.dialTimer = clock.after(settings.connectTimeoutMs, refused);
    this.upstream = Link.dial(lease.address, lease.port, buffers, () => this.onConnected());
    this.upstream.owner = { onBytes: () => undefined, onDrain: () => undefined, onEnd: () => undefined, onClosed: refused };
  }

  private onRefused(lease: PodLease): void {
    this.dialTimer?.cancel();
    this.upstream?.destroy();
    this.upstream = undefined;
    this.lease = undefined;
    this.refusals++;
    this.refusedBy.add(lease.podKey);
    lease.release('refused');
    this.enter();
  }

  private onConnected(): void {
    const { upstream } = this;
    if (upstream === undefined || this.over) return;
    this.dialTimer?.cancel();
    const early = this.pending.take();
    this.tunnel = new Tunnel(this.client, upstream, () => this.finish());
    if (early && !upstream.writeBytes(early, 0, early.length)) this.client.pause();
    if (this.ended) upstream.end();
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    this.hold.abort();
    this.dialTimer?.cancel();
    if (!this.tunnel) this.upstream?.destroy();
    this.lease?.release('done');
    this.context.listener.ended(this.target, undefined);
    this.onOver();
  }
}
