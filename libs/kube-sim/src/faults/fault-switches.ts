import { type RequestPredicate, type SimRequest } from '../sim-request';

/** What is done to a request instead of, or before, answering it. */
export type FaultEffect =
  | { readonly kind: 'latency'; readonly delayMs: number }
  | { readonly kind: 'too-many-requests'; readonly retryAfterSeconds: number }
  | { readonly kind: 'server-error'; readonly code: 500 | 502 | 503 | 504 }
  /** 410: a list is refused, a watch gets an ERROR event. */
  | { readonly kind: 'expired' }
  /** The connection is cut without an answer. */
  | { readonly kind: 'cut' };

export interface FaultRule {
  readonly effect: FaultEffect;
  /** Which requests are hit; by default all. */
  readonly when?: RequestPredicate;
  /** How many requests are hit before the rule ends; by default all until it is removed. */
  readonly times?: number;
}

/** One watch that is open now. */
export interface OpenWatch {
  readonly request: SimRequest;
  bookmark(): void;
  stall(): void;
  resume(): void;
  end(): void;
  drop(): void;
  failWith(code: number, reason: string, message: string): void;
}

/** The parts of a running server that faults take hold of. */
export interface FaultTargets {
  openWatches(): readonly OpenWatch[];
  stopListening(): Promise<void>;
  startListening(): Promise<void>;
}

/**
 * Switches that make a running server misbehave, from the process that embeds it.
 *
 * Guarantees that the stored objects are untouched by any of them: when the switches are off again the server goes on
 * from where it was.
 */
export class FaultSwitches {
  private rules: { readonly rule: FaultRule; left: number }[] = [];

  constructor(private readonly targets: FaultTargets) {}

  /**
   * Adds a rule; the answer removes it. Of several that match, latencies add up and then the first other one decides.
   * @throws RangeError when `times` is no whole number from one.
   */
  inject(rule: FaultRule): () => void {
    if (rule.times !== undefined && !(Number.isInteger(rule.times) && rule.times > 0))
      throw new RangeError(`times is ${rule.times}: give a whole number from 1, or leave it out to hit every request`);
    const entry = { rule, left: rule.times ?? Infinity };
    this.rules.push(entry);
    return () => {
      this.rules = this.rules.filter((other) => other !== entry);
    };
  }

  /** Removes every rule and lets stalled watches go on. */
  clear(): void {
    this.rules = [];
    this.resumeWatches();
  }

  /** The effects that hit this request, which uses up one turn of each. */
  take(request: SimRequest): FaultEffect[] {
    const latencies: FaultEffect[] = [];
    let decision: FaultEffect | undefined;
    for (const entry of [...this.rules]) {
      const { effect, when } = entry.rule;
      const decides = effect.kind !== 'latency';
      if ((decides && decision) || (when && !when(request))) continue;
      if (decides) decision = effect;
      else latencies.push(effect);
      entry.left--;
      if (entry.left <= 0) this.rules = this.rules.filter((other) => other !== entry);
    }
    return decision ? [...latencies, decision] : latencies;
  }

  /** Cuts the connections of open watches. */
  dropWatches(when?: RequestPredicate): void {
    for (const watch of this.watches(when)) watch.drop();
  }

  /** Ends open watches in peace, as a server does when their time is over. */
  endWatches(when?: RequestPredicate): void {
    for (const watch of this.watches(when)) watch.end();
  }

  /** Open watches stay connected and fall silent; what they miss is held back. */
  stallWatches(when?: RequestPredicate): void {
    for (const watch of this.watches(when)) watch.stall();
  }

  resumeWatches(when?: RequestPredicate): void {
    for (const watch of this.watches(when)) watch.resume();
  }

  /** Sends an ERROR event on open watches and ends them. */
  failWatches(error: { code: number; reason: string; message: string }, when?: RequestPredicate): void {
    for (const watch of this.watches(when)) watch.failWith(error.code, error.reason, error.message);
  }

  /** Sends a bookmark now on every open watch that wants them. */
  sendBookmarks(when?: RequestPredicate): void {
    for (const watch of this.watches(when)) watch.bookmark();
  }

  /** Cuts all connections and refuses new ones; the state is kept. */
  refuseConnections(): Promise<void> {
    return this.targets.stopListening();
  }

  /** Listens again on the same port. */
  acceptConnections(): Promise<void> {
    return this.targets.startListening();
  }

  private watches(when: RequestPredicate = () => true): OpenWatch[] {
    return this.targets.openWatches().filter(({ request }) => when(request));
  }
}
