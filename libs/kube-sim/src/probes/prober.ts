import { type SimClock } from '../sim-clock';
import { type ProbeOutcome, type ProbeThresholds, ProbeTally, type ProbeVerdict } from './probe-tally';

export interface ProbeTiming extends ProbeThresholds {
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
}

/** One look at a container; it must end soon after the signal does. */
export type ProbeCheck = (signal: AbortSignal) => Promise<ProbeOutcome>;

/**
 * `eager`: until it has passed once, a container is looked at more often than its period says, so that one that starts fast is
 * used at once; looks between the periods count only when they pass. `steady`: by the period alone.
 */
export type ProbePace = 'eager' | 'steady';

const SHORTEST_PAUSE_MS = 10;

/** Looks at a container again and again and tells each change of the verdict. No timer and no look is left after stop(). */
export class Prober {
  private readonly tally: ProbeTally;
  private readonly abort = new AbortController();
  private cancelTimer: () => void = () => undefined;
  private startedAtMs = 0;
  private failureCountedAtMs?: number;
  private hasPassed = false;

  constructor(
    private readonly timing: ProbeTiming,
    private readonly pace: ProbePace,
    initial: ProbeVerdict,
    private readonly check: ProbeCheck,
    private readonly clock: SimClock,
    private readonly onVerdict: (verdict: ProbeVerdict) => void,
  ) {
    this.tally = new ProbeTally(timing, initial);
  }

  start(): void {
    this.startedAtMs = this.clock.nowMs();
    this.lookAfter(this.timing.initialDelayMs);
  }

  stop(): void {
    this.cancelTimer();
    this.abort.abort();
  }

  private lookAfter(delayMs: number): void {
    if (this.abort.signal.aborted) return;
    this.cancelTimer = this.clock.schedule(delayMs, () => {
      void this.look();
    });
  }

  private async look(): Promise<void> {
    const beganAtMs = this.clock.nowMs();
    const outcome = await this.outcome();
    if (this.abort.signal.aborted) return;
    this.count(outcome, beganAtMs);
    this.lookAfter(Math.max(0, beganAtMs + this.pauseMs(beganAtMs) - this.clock.nowMs()));
  }

  private async outcome(): Promise<ProbeOutcome> {
    const timeout = new AbortController();
    const cancel = this.clock.schedule(this.timing.timeoutMs, () => {
      timeout.abort();
    });
    try {
      return await this.check(AbortSignal.any([this.abort.signal, timeout.signal]));
    } catch {
      return 'failed';
    } finally {
      cancel();
    }
  }

  private count(outcome: ProbeOutcome, atMs: number): void {
    if (outcome === 'failed' && this.isEarly(atMs)) return;
    if (outcome === 'passed') this.hasPassed = true;
    else this.failureCountedAtMs = atMs;
    const before = this.tally.verdict;
    const after = this.tally.add(outcome);
    if (after !== before) this.onVerdict(after);
  }

  /** A look between two periods. */
  private isEarly(atMs: number): boolean {
    return this.failureCountedAtMs !== undefined && atMs - this.failureCountedAtMs < this.timing.periodMs;
  }

  /** While eager, a tenth of the time that the container has taken so far. */
  private pauseMs(nowMs: number): number {
    if (this.pace === 'steady' || this.hasPassed) return this.timing.periodMs;
    return Math.min(this.timing.periodMs, Math.max(SHORTEST_PAUSE_MS, (nowMs - this.startedAtMs) / 10));
  }
}
