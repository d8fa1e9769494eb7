import type { Clock, Logger, Timer } from '@elasti/operator-kit';
import type { ServicePort } from '../exchange';
import { type RouteIdentity, sameTarget } from './route-claim';
import type { RouteTable } from './route-table';

/** A port that accepts connections. */
export interface OpenPort {
  /** Accepts no more; what is open stays so. */
  close(): void;
}

/** Opens a port. `identityOf` says whom a new connection is for, now, and who speaks first on it; `undefined`: for nobody, close it. */
export type PortOpener = (resolverPort: number, identityOf: () => RouteIdentity | undefined) => Promise<OpenPort>;

export interface RouteListenersOptions {
  /** How long a port is served after its route went: data planes and kept connections lag behind. Default 10 min. */
  readonly lingerMs?: number;
  /** Default 64. */
  readonly maxOpening?: number;
  /** How long the start may take when ports neither open nor fail. Default 1 min. */
  readonly startTimeoutMs?: number;
}

interface Listener {
  readonly resolverPort: number;
  identity: RouteIdentity | undefined;
  state: 'closed' | 'opening' | 'open';
  failures: number;
  port?: OpenPort;
  /** Until it is tried again, or closed for good. */
  timer?: Timer;
  wanted: boolean;
}

const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/**
 * A listening port for every route.
 *
 * Opens as routes come, a bounded number at once; one that cannot be opened is said once and tried until it can. Closes a while after a route went, and at once when
 * two Services claim the port. Closing never touches connections that are open.
 *
 * The start is over, for good, once every route that was there has been tried: a port that cannot be had keeps its own Service away and no other.
 */
export class RouteListeners {
  private readonly listeners = new Map<number, Listener>();
  private readonly toOpen = new Set<Listener>();
  private readonly notYet = new Set<Listener>();
  private readonly options: Required<RouteListenersOptions>;
  /** Of those that were there at the start. */
  private readonly untried = new Set<Listener>();
  private startEndsAtMs = Number.POSITIVE_INFINITY;
  private opening = 0;
  private stopWatching: (() => void) | undefined;

  constructor(
    private readonly table: Pick<RouteTable, 'ports' | 'stateOf' | 'watch'>,
    private readonly open: PortOpener,
    private readonly dependencies: { readonly clock: Clock; readonly logger: Logger },
    options: RouteListenersOptions = {},
  ) {
    this.options = { lingerMs: 600_000, maxOpening: 64, startTimeoutMs: 60_000, ...options };
  }

  /** To be called once, when the routes are known. */
  start(): void {
    this.startEndsAtMs = this.dependencies.clock.monotonic() + this.options.startTimeoutMs;
    this.stopWatching = this.table.watch((resolverPort) => this.update(resolverPort));
    for (const resolverPort of this.table.ports()) this.update(resolverPort);
    for (const listener of this.notYet) this.untried.add(listener);
  }

  /** Every route that was there at the start listens or could not; once true, it stays so. */
  get hasStarted(): boolean {
    if (this.startEndsAtMs === Number.POSITIVE_INFINITY) return false;
    return this.untried.size === 0 || this.dependencies.clock.monotonic() >= this.startEndsAtMs;
  }

  /** Routes that should listen and do not. */
  get notListening(): number {
    return this.notYet.size;
  }

  /** Whether connections to this port are accepted, and for this target. */
  isListening(resolverPort: number, target: ServicePort): boolean {
    const listener = this.listeners.get(resolverPort);
    return listener?.state === 'open' && listener.identity !== undefined && sameTarget(listener.identity.target, target);
  }

  stop(): void {
    this.stopWatching?.();
    for (const listener of this.listeners.values()) this.close(listener);
  }

  private update(resolverPort: number): void {
    const route = this.table.stateOf(resolverPort);
    const known = this.listeners.get(resolverPort);
    if (route.is === 'routed') this.want(known ?? this.create(resolverPort), route);
    else if (known) this.unwant(known, route.is === 'disputed' ? 0 : this.options.lingerMs);
  }

  private create(resolverPort: number): Listener {
    const listener: Listener = { resolverPort, identity: undefined, state: 'closed', failures: 0, wanted: true };
    this.listeners.set(resolverPort, listener);
    return listener;
  }

  private want(listener: Listener, { target, speaksFirst }: RouteIdentity): void {
    listener.identity = { target, ...(speaksFirst && { speaksFirst }) };
    listener.wanted = true;
    if (listener.state === 'open') return listener.timer?.cancel();
    this.notYet.add(listener);
    if (listener.state === 'opening' || listener.failures > 0) return;
    this.toOpen.add(listener);
    this.openNext();
  }

  private unwant(listener: Listener, lingerMs: number): void {
    listener.wanted = false;
    this.notYet.delete(listener);
    if (listener.state !== 'open' || lingerMs === 0) return this.close(listener);
    listener.timer?.cancel();
    listener.timer = this.dependencies.clock.after(lingerMs, () => this.close(listener));
  }

  private close(listener: Listener): void {
    listener.timer?.cancel();
    listener.identity = undefined;
    listener.wanted = false;
    listener.port?.close();
    listener.port = undefined;
    this.toOpen.delete(listener);
    this.notYet.delete(listener);
    this.untried.delete(listener);
    if (this.listeners.get(listener.resolverPort) === listener) this.listeners.delete(listener.resolverPort);
  }

  private openNext(): void {
    for (const listener of this.toOpen) {
      if (this.opening >= this.options.maxOpening) return;
      this.toOpen.delete(listener);
      void this.tryToOpen(listener);
    }
  }

  private async tryToOpen(listener: Listener): Promise<void> {
    this.opening++;
    listener.state = 'opening';
    try {
      const port = await this.open(listener.resolverPort, () => listener.identity);
      this.opened(listener, port);
    } catch (error) {
      this.failed(listener, error);
    } finally {
      this.untried.delete(listener);
      this.opening--;
      this.openNext();
    }
  }

  private opened(listener: Listener, port: OpenPort): void {
    // Its route went while it was being opened.
    if (!listener.wanted) return port.close();
    if (listener.failures > 0) this.dependencies.logger.info('route port is open at last', { resolverPort: listener.resolverPort });
    listener.failures = 0;
    listener.state = 'open';
    listener.port = port;
    this.notYet.delete(listener);
  }

  private failed(listener: Listener, error: unknown): void {
    listener.state = 'closed';
    if (!listener.wanted) return;
    const { clock, logger } = this.dependencies;
    if (listener.failures === 0) logger.error('route port cannot be opened', { resolverPort: listener.resolverPort, error });
    const delayMs = Math.min(longestRetryMs, firstRetryMs * 2 ** listener.failures++);
    listener.timer = clock.after(delayMs, () => {
      this.toOpen.add(listener);
      this.openNext();
    });
  }
}
