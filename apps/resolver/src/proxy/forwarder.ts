import type { Socket } from 'node:net';
import type { Clock, Logger } from '@elasti/operator-kit';

import type { ExchangeListener, ExchangePolicy, Gate, ServicePort } from '../exchange';
import { PartialHeads } from '../http1';
import { ClientConnection } from './client-connection';
import type { HandOver } from './client-connection';
import { Deadlines } from './deadlines';
import type { Link } from './link';
import { Links } from './links';
import { ProtocolByFirstBytes } from './protocol-by-first-bytes';
import type { H2Taker, ProxyContext } from './proxy-context';
import type { ProxySettings } from './proxy-settings';
import { RawPassage } from './raw-passage';
import { UpstreamPools } from './upstream-pools';

/** What a forwarder is made of. */
export interface ForwarderParts {
  readonly gate: Gate;
  readonly policy: ExchangePolicy;
  readonly listener: ExchangeListener;
  readonly settings: ProxySettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly h2?: H2Taker;
  /** By default those that this Node does best. */
  readonly links?: Links;
}

/** Something open that can be ended at once. */
interface Open {
  destroy(): void;
  closeIfIdle(): void;
  leavePod?(podKey: string): void;
  /** Ends what has no end of its own. */
  endStream?(): void;
}

/**
 * The hot path: takes connections and forwards what comes on them, as the gate and the policy say.
 *
 * `drain` lets every exchange end, tells its client to go, and closes what stays idle; tunnels and streams of events, which would go on for
 * ever, end by `endStreams`. `stop` ends all at once and leaves no socket and no timer behind.
 */
export class Forwarder {
  readonly pools: UpstreamPools;
  private readonly context: ProxyContext;
  private readonly open = new Set<Open>();
  private state: 'serving' | 'telling to go' | 'draining' = 'serving';

  constructor(parts: ForwarderParts) {
    const deadlines = new Deadlines(parts.clock, parts.settings.tickMs);
    const links = parts.links ?? new Links(parts.clock);
    this.pools = new UpstreamPools({ clock: parts.clock, deadlines, links, settings: parts.settings });
    this.context = {
      ...parts,
      h2: parts.h2,
      sniffer: new ProtocolByFirstBytes(),
      pools: this.pools,
      partialHeads: new PartialHeads(),
      deadlines,
      links,
      isDraining: () => this.state !== 'serving',
    };
  }

  /** `target` is undefined where the port names no service. */
  accept(source: object | Socket, target: ServicePort | undefined): void {
    const link = this.context.links.accept(source);
    const connection = new ClientConnection(link, this.context, target, this.handOver, (gone) => this.open.delete(gone));
    this.open.add(connection);
    if (this.state === 'draining') connection.closeIfIdle();
  }

  /** For ports whose servers speak first: nothing is looked at, and a pod is asked for at once. */
  acceptRaw(source: object | Socket, target: ServicePort): void {
    this.passRaw(this.context.links.accept(source), target, Buffer.alloc(0));
  }

  /** For connections that nobody is there for. */
  refuse(source: object | Socket): void {
    this.context.links.accept(source).destroy();
  }

  get openConnections(): number {
    return this.open.size;
  }

  /** Connections to pods, kept ones and those of tunnels included. */
  get openUpstreams(): number {
    return this.context.links.openDialled;
  }

  /** The pod has left: no new exchange uses a connection to it, and what is under way goes on. */
  closePod(podKey: string): void {
    this.pools.closePod(podKey);
    for (const one of [...this.open]) one.leavePod?.(podKey);
  }

  /** Every answer from now on tells its client to go; nothing is closed yet. */
  tellToGo(): void {
    this.state = 'telling to go';
  }

  /** What is on its way is still taken: a connection without a request is closed a few seconds later. */
  drain(): void {
    this.state = 'draining';
    for (const one of [...this.open]) one.closeIfIdle();
  }

  /** Ends what goes on for as long as both sides like: WebSockets and other tunnels, raw connections, streams of events. */
  endStreams(): void {
    for (const one of [...this.open]) one.endStream?.();
  }

  stop(): void {
    this.state = 'draining';
    for (const one of [...this.open]) one.destroy();
    this.pools.closeAll();
  }

  private readonly handOver: HandOver = (protocol, connection, firstBytes) => {
    const link = connection.giveUpLink();
    if (protocol === 'h2' && this.context.h2) this.passH2(this.context.h2, link, connection.target, firstBytes);
    else if (connection.target) this.passRaw(link, connection.target, firstBytes);
    else link.destroy();
  };

  private passH2(h2: H2Taker, link: Link, target: ServicePort | undefined, firstBytes: Buffer): void {
    const taken = h2.take(link, target, this.context, (gone) => this.open.delete(gone));
    this.open.add(taken);
    taken.start(firstBytes);
  }

  private passRaw(link: Link, target: ServicePort, firstBytes: Buffer): void {
    const open: Open = { destroy: () => passage.close(), closeIfIdle: () => undefined, endStream: () => passage.endStream() };
    const passage = new RawPassage(link, this.context, target, () => this.open.delete(open));
    this.open.add(open);
    passage.start(firstBytes);
  }
}
