import { type RequestPredicate, type SimRequest } from './sim-request';

/** Counts the requests a server has got, by verb and resource, so that a test can tell how often it was asked. */
export class RequestCounters {
  private readonly counts = new Map<string, number>();
  private readonly recent: SimRequest[] = [];

  constructor(private readonly mostRecent = 1_000) {}

  count(request: SimRequest): void {
    const key = keyOf(request.verb, request.resource);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.recent.push(request);
    if (this.recent.length > this.mostRecent) this.recent.shift();
  }

  /** How many requests of this verb came for this resource, such as `list` and `pods`. */
  of(verb: SimRequest['verb'], resource: string): number {
    return this.counts.get(keyOf(verb, resource)) ?? 0;
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The latest requests that match, oldest first; at most the last thousand are remembered. */
  matching(when: RequestPredicate): SimRequest[] {
    return this.recent.filter(when);
  }

  reset(): void {
    this.counts.clear();
    this.recent.length = 0;
  }
}

const keyOf = (verb: string, resource: string): string => `${verb} ${resource}`;
