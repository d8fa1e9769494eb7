import { formatRef, type ObjectRef } from '@elasti/operator-kit';

/** What the idle loop found about one service in its last round. */
export interface IdleReport {
  /** `sleep`: everything agrees that it may sleep now; `stay`: it stays as it is. Waking is the loop's own affair. */
  readonly wants: 'sleep' | 'stay';
  /** Why, for people. */
  readonly reason: string;
  /** How long the resolvers must have seen nothing before the target is scaled down; 0 when no trigger asks for silence. */
  readonly silenceMs: number;
  /** `unknown`: none was asked. */
  readonly triggers: 'healthy' | 'unknown' | { readonly problem: string };
}

/** `before` is what was known until now, if anything. */
export type IdleListener = (ref: ObjectRef, report: IdleReport, before: IdleReport | undefined) => void;

/**
 * Where the idle loop leaves what it found and the reconciler reads it.
 *
 * Kept in memory on purpose: a new leader asks the triggers itself before it puts anything to sleep. A listener hears of every report that says something new.
 */
export class IdleReports {
  private readonly reports = new Map<string, IdleReport>();
  private readonly listeners: IdleListener[] = [];

  of(ref: ObjectRef): IdleReport | undefined {
    return this.reports.get(formatRef(ref));
  }

  put(ref: ObjectRef, report: IdleReport): void {
    const key = formatRef(ref);
    const before = this.reports.get(key);
    this.reports.set(key, report);
    if (JSON.stringify(before) !== JSON.stringify(report)) for (const listener of this.listeners) listener(ref, report, before);
  }

  /** Keeps no more than there are services. */
  forget(ref: ObjectRef): void {
    this.reports.delete(formatRef(ref));
  }

  onNews(listener: IdleListener): void {
    this.listeners.push(listener);
  }
}
