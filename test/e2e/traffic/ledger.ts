import type { LostRequest, TrafficTally } from './traffic';

/** A loss that apps/resolver/README.md, or Kubernetes itself, names. */
export interface Rule {
  readonly name: string;
  covers(lost: LostRequest): boolean;
}

/** By the caller's clock. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The same rule, for what was sent in these spans only. */
export function within(spans: readonly Span[], { name, covers }: Rule): Rule {
  const isWithin = (atMs: number) => spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs);
  return { name, covers: (lost) => isWithin(lost.atMs) && covers(lost) };
}

export const rules = {
  /** A request that may not be sent twice, whose pod took the connection and closed it. */
  postSentInFull: {
    name: '502 for a POST sent in full to a pod that died',
    covers: ({ method, status }: LostRequest) => method === 'POST' && status === 502,
  },
  answerBegun: {
    name: 'cut off: the answer had begun when its pod died',
    covers: ({ status, error }: LostRequest) => status === 200 && error !== undefined,
  },
  /** The client talks to the pod itself, and the pod ends before the data plane has heard of it. Who was behind a connection that never was, nobody can tell. */
  exitAtOnce: {
    name: 'no resolver in between: the pod exits at SIGTERM, as in any rolling restart',
    covers: ({ status, error, lastAnsweredBy }: LostRequest) =>
      lastAnsweredBy !== 'resolver' &&
      (status === undefined || status === 200) &&
      /^(ECONNRESET|ECONNREFUSED|EHOSTUNREACH|no connection)$/.test(error ?? ''),
  },
  /** Nobody tells the client of a kept connection that the pod at its other end is about to exit. */
  keptConnectionCut: {
    name: 'no resolver in between: the pod exits while it answers on a kept connection',
    covers: ({ connection, error, lastAnsweredBy }: LostRequest) =>
      connection === 'used before' && error === 'ECONNRESET' && lastAnsweredBy === 'pod',
  },
  /** Whoever watches the nodes may hear of their leases too late after an outage. Then no pod of them is in any Service, be it a target's or a resolver. */
  nodeGivenUp: {
    name: 'Kubernetes gave up the node for a moment, and with it all pods',
    covers: ({ status, error }: LostRequest) => status === undefined && /^(ECONNREFUSED|EHOSTUNREACH|no connection)$/.test(error ?? ''),
  },
} satisfies Record<string, Rule>;

interface Entry {
  readonly name: string;
  readonly tally: TrafficTally;
  readonly excused: ReadonlyMap<string, number>;
}

/** What became of every request of every case, and by which rule a loss is excused. */
export class Ledger {
  private readonly entries: Entry[] = [];
  private readonly remarks: string[] = [];

  /** Gives back what was lost and no rule excuses, and what goes beyond the number that may be excused. */
  enter(name: string, tally: TrafficTally, excuses: readonly Rule[] = [], atMost = Infinity): LostRequest[] {
    const excused = new Map<string, number>();
    let left = atMost;
    const inexcusable = tally.lost.filter((lost) => {
      const rule = excuses.find(({ covers }) => covers(lost));
      if (!rule || left === 0) return true;
      left -= 1;
      excused.set(rule.name, (excused.get(rule.name) ?? 0) + 1);
      return false;
    });
    this.entries.push({ name, tally, excused });
    return inexcusable;
  }

  /** A line below the table. */
  remark(line: string): void {
    this.remarks.push(line);
  }

  table(): string {
    const rows = this.entries.map(({ name, tally, excused }) => [
      name,
      String(tally.sent),
      String(tally.answered),
      String(tally.lost.length),
      `${(tally.longestMs / 1000).toFixed(1)} s`,
      Array.from(excused, ([rule, count]) => `${count}: ${rule}`).join('; '),
    ]);
    const head = ['case', 'sent', 'answered', 'lost', 'longest', 'excused'];
    const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
    const line = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
    return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), ...this.remarks, ''].join('\n');
  }
}
