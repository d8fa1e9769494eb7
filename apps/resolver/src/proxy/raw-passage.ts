import type { Timer } from '@elasti/operator-kit';

import type { LeaseOutcome, PodLease, ServicePort } from '../exchange';
import type { Link, LinkOwner } from './link';
import { PendingBytes } from './pending-bytes';
import { PodSearch } from './pod-search';
import type { PodSeeker } from './pod-search';
import type { ProxyContext } from './proxy-context';
import { HELD_BODY_BYTES } from './proxy-settings';
import { decideRetry } from './retry-rules';
import { StartingPods } from './starting-pods';
import { Tunnel } from './tunnel';

const TLS_HANDSHAKE = 0x16;
/** What a client says before it gets an answer, in most protocols: a TLS hello fits. */
const FIRST_WORDS_BYTES = 4 * 1024;

/**
 * A connection that is not HTTP/1: held until a pod is there, then joined to it byte by byte.
 *
 * A pod that refuses the connection has seen nothing, so the next is tried until the gate gives up. So has one that takes it and leaves
 * before either side said a word: the next is tried as for a request that may be repeated. Whatever was sent counts as seen, be it a TLS
 * hello, and is never sent twice. `onOver` is called once.
 */
export class RawPassage implements LinkOwner, PodSeeker {
  private readonly pending = new PendingBytes();
  private search: PodSearch | undefined;
  private lease: PodLease | undefined;
  private upstream: Link | undefined;
  private dialTimer: Timer | undefined;
  /** A pod has taken the connection, and neither side has said a word since. */
  private silent = false;
  private lostBefore = 0;
  private startingPods: StartingPods | undefined;
  private tunnel: Tunnel | undefined;
  private ended = false;
  /** What it waits at the gate with; 0 while it does not wait. */
  private countedBytes = 0;
  private over = false;

  constructor(
    private readonly client: Link,
    private readonly context: ProxyContext,
    private readonly target: ServicePort,
    private readonly onOver: () => void,
  ) {
    client.owner = this;
    context.listener.began(target);
  }

  start(firstBytes: Buffer): void {
    this.onBytes(firstBytes, firstBytes.length);
    const lease = this.context.gate.tryEnter(this.target);
    if (lease) this.dial(lease);
    else this.lookForPod();
  }

  close(): void {
    if (this.tunnel) {
      this.tunnel.close();
      return;
    }
    this.client.destroy();
    this.finish();
  }

  /** One that is still held stays so. */
  endStream(): void {
    if (this.silent) this.join();
    this.tunnel?.end(this.context.settings.lingerMs);
  }

  onBytes(bytes: Buffer, length: number): void {
    if (this.silent) {
      this.join().client.onBytes(bytes, length);
      return;
    }
    this.pending.add(bytes, 0, length);
    if (this.pending.length > HELD_BODY_BYTES / 2) this.client.pause();
    if (this.countedBytes > 0 && this.pending.length > this.countedBytes) this.wait();
  }

  onDrain(): void {
    // Nothing is written to the client before the tunnel.
  }

  /** A TLS client has nothing to gain from half a connection; other protocols may say all they have to say before they listen. */
  onEnd(): void {
    if (this.silent) {
      this.join().client.onEnd();
      return;
    }
    this.ended = true;
    if (this.pending.length === 0 || this.pending.firstByte === TLS_HANDSHAKE) this.close();
  }

  onClosed(error: Error | undefined): void {
    if (this.silent) this.join().client.onClosed(error);
    else this.finish();
  }

  onLease(lease: PodLease): void {
    this.countedBytes = 0;
    this.dial(lease);
  }

  onNoPod(): void {
    this.close();
  }

  private lookForPod(refusedBy?: string): void {
    this.search ??= new PodSearch(this.context, this.target, this);
    if (refusedBy !== undefined) this.search.avoid(refusedBy);
    this.wait();
  }

  /** Counted is what may be kept, not what is there: it may grow at any time. */
  private wait(): void {
    this.countedBytes = this.pending.length > FIRST_WORDS_BYTES ? HELD_BODY_BYTES : FIRST_WORDS_BYTES;
    this.search?.wait(this.countedBytes);
  }

  private dial(lease: PodLease): void {
    this.lease = lease;
    const { clock, settings, links } = this.context;
    const refused = (): void => this.onRefused(lease);
    this.dialTimer = clock.after(settings.connectTimeoutMs, refused);
    this.upstream = links.dial(lease.address, lease.port, () => this.onConnected(lease));
    this.upstream.owner = { onBytes: () => undefined, onDrain: () => undefined, onEnd: () => undefined, onClosed: refused };
  }

  private onRefused(lease: PodLease): void {
    this.dialTimer?.cancel();
    this.leave(lease, 'refused');
  }

  private onConnected(lease: PodLease): void {
    const { upstream } = this;
    if (upstream === undefined || this.over) return;
    this.dialTimer?.cancel();
    this.search?.markSent();
    const early = this.pending.take();
    if (early === undefined) {
      this.awaitFirstWord(lease, upstream);
      return;
    }
    this.join();
    if (!upstream.writeBytes(early, 0, early.length)) this.client.pause();
    if (this.ended) this.client.owner.onEnd();
  }

  private awaitFirstWord(lease: PodLease, upstream: Link): void {
    this.silent = true;
    upstream.owner = {
      onBytes: (bytes, length) => this.join().upstream.onBytes(bytes, length),
      onDrain: () => undefined,
      onEnd: () => this.onLost(lease, (pod) => pod.onEnd()),
      onClosed: (error) => this.onLost(lease, (pod) => pod.onClosed(error)),
    };
  }

  /** Where no other pod is tried, the client gets to know what this one did: one that only ended its side may still listen. */
  private onLost(lease: PodLease, tell: (pod: LinkOwner) => void): void {
    const podIsStarting = (this.startingPods ??= new StartingPods()).forgives(lease);
    const unsaid = { connected: true, reused: false, sentWhole: false, replayable: true, method: '' };
    if (decideRetry({ ...unsaid, lostBefore: this.lostBefore, podIsStarting }) === 'give up') {
      tell(this.join().upstream);
      return;
    }
    if (!podIsStarting) this.lostBefore++;
    this.silent = false;
    this.leave(lease, 'broken');
  }

  private leave(lease: PodLease, outcome: LeaseOutcome): void {
    this.upstream?.destroy();
    this.upstream = undefined;
    this.lease = undefined;
    lease.release(outcome);
    this.lookForPod(lease.podKey);
  }

  /** From here on the tunnel owns both links. */
  private join(): { readonly client: LinkOwner; readonly upstream: LinkOwner } {
    const { client, upstream, lease, context } = this;
    if (upstream === undefined) throw new Error('there is no pod to join');
    this.silent = false;
    const { deadlines, settings } = context;
    const onFirstWord = () => lease?.answered?.();
    this.tunnel = new Tunnel(client, upstream, () => this.finish(), { deadlines, oneWayMs: settings.stalledClientMs, onFirstWord });
    return { client: client.owner, upstream: upstream.owner };
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    this.search?.stop();
    this.dialTimer?.cancel();
    if (!this.tunnel) this.upstream?.destroy();
    this.lease?.release(this.tunnel?.wasCutByPod ? 'broken' : 'done');
    this.context.listener.ended(this.target, undefined);
    this.onOver();
  }
}
