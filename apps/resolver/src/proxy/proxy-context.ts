import type { Clock, Logger } from '@elasti/operator-kit';

import type { ExchangeListener, ExchangePolicy, Gate, ProtocolSniffer, ServicePort } from '../exchange';
import type { PartialHeads } from '../http1';
import type { Deadlines } from './deadlines';
import type { Link } from './link';
import type { Links } from './links';
import type { ProxySettings } from './proxy-settings';
import type { UpstreamPools } from './upstream-pools';

/** A connection that was taken over, as the forwarder sees it. */
export interface TakenConnection {
  /** Begins with the bytes that were read before, preface and all. */
  start(firstBytes: Buffer): void;
  /** Ends it at once. */
  destroy(): void;
  /** Lets it go as soon as what it carries is over. */
  closeIfIdle(): void;
  /** Ends what has no end of its own. */
  endStream(): void;
  /** The pod has left: what comes next should go elsewhere. */
  leavePod(podKey: string): void;
}

/** Takes over connections that begin with the HTTP/2 preface; without one they pass to one pod as raw bytes. */
export interface H2Taker {
  /**
   * The taker owns the link from here on: it sets the owner and closes it, and calls `onGone` once when it has. `target` is undefined
   * where the port names no service.
   */
  take(link: Link, target: ServicePort | undefined, context: ProxyContext, onGone: (gone: TakenConnection) => void): TakenConnection;
}

/** What every connection of one proxy shares. */
export interface ProxyContext {
  readonly gate: Gate;
  readonly policy: ExchangePolicy;
  readonly listener: ExchangeListener;
  readonly sniffer: ProtocolSniffer;
  readonly h2: H2Taker | undefined;
  readonly pools: UpstreamPools;
  readonly partialHeads: PartialHeads;
  readonly deadlines: Deadlines;
  readonly links: Links;
  readonly settings: ProxySettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** True once the process is about to end: clients are told to go at the end of their exchange. */
  readonly isDraining: () => boolean;
}
