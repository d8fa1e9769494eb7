import { eventually } from '../../eventually';
import type { Address, Caller, OpenCall } from '../resolver/caller';

/** A request that was not answered with 200, in full. */
export interface LostRequest {
  readonly number: number;
  readonly method: string;
  /** When it was sent, by the caller's clock. */
  readonly atMs: number;
  readonly tookMs: number;
  /** Of an answer that had begun. */
  readonly status?: number;
  readonly error?: string;
  readonly connection?: 'new' | 'used before';
  /** On the same connection, this answer or the one before; nobody while it has had none. */
  readonly lastAnsweredBy?: 'resolver' | 'pod';
}

/** Every request that was sent is in it: answered or lost. */
export interface TrafficTally {
  readonly sent: number;
  readonly answered: number;
  readonly lost: readonly LostRequest[];
  /** Who answered. */
  readonly pods: readonly string[];
  readonly longestMs: number;
}

export interface TrafficOptions {
  readonly path?: string;
  readonly methods?: readonly string[];
  /** Begins so much later, whoever is away then. */
  readonly afterMs?: number;
  /** How long a request is waited for; default 90 s. */
  readonly deadlineMs?: number;
}

const kinds = ['new', 'kept'] as const;

/**
 * Open-loop traffic to one address: two flows at a fixed rate whatever comes back, one with a connection for each request, one on connections that
 * are kept. GET and POST in turn; nothing is sent twice.
 */
export class Traffic {
  static readonly everyMs = 50;
  static readonly perSecond = (kinds.length * 1000) / Traffic.everyMs;

  private constructor(private readonly flows: readonly OpenCall<TrafficTally>[]) {}

  static async begin(caller: Caller, address: Address, options: TrafficOptions = {}): Promise<Traffic> {
    const flow = (connections: (typeof kinds)[number]) =>
      caller.begin<TrafficTally>({ kind: 'flow', everyMs: Traffic.everyMs, connections, methods: ['GET', 'POST'], ...address, ...options });
    return new Traffic(await Promise.all(kinds.map(flow)));
  }

  /** So many in this time, and never more; as many of each method. */
  static sentAtMost(durationMs: number): number {
    const byEach = Math.floor(durationMs / Traffic.everyMs) + 1;
    return kinds.length * (byEach + (byEach % 2));
  }

  /** Waits until each flow has sent as much more as it does in this time: the clock of a test that must not sleep. */
  async goesOnFor(durationMs: number): Promise<void> {
    const before = await Promise.all(this.flows.map((flow) => sentBy(flow)));
    const more = durationMs / Traffic.everyMs;
    await eventually(
      `${more} more requests`,
      async () => {
        const now = await Promise.all(this.flows.map((flow) => sentBy(flow)));
        return now.every((sent, index) => sent >= (before[index] ?? 0) + more) ? true : undefined;
      },
      durationMs + 60_000,
    );
  }

  async pause(): Promise<void> {
    await Promise.all(this.flows.map((flow) => flow.order('pause')));
  }

  async resume(): Promise<void> {
    await Promise.all(this.flows.map((flow) => flow.order('resume')));
  }

  /** Nothing more is sent; all that was is waited for. */
  async stop(): Promise<TrafficTally> {
    return sumOf(await Promise.all(this.flows.map((flow) => flow.stop())));
  }
}

export function sumOf(tallies: readonly TrafficTally[]): TrafficTally {
  return {
    sent: tallies.reduce((sum, { sent }) => sum + sent, 0),
    answered: tallies.reduce((sum, { answered }) => sum + answered, 0),
    lost: tallies.flatMap(({ lost }) => lost),
    pods: [...new Set(tallies.flatMap(({ pods }) => pods))],
    longestMs: Math.max(0, ...tallies.map(({ longestMs }) => longestMs)),
  };
}

/** Flows say every tenth. */
async function sentBy(flow: OpenCall<TrafficTally>): Promise<number> {
  return Number((await flow.events()).at(-1) ?? 0);
}
