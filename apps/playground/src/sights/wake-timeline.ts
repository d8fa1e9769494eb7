import type { WakePhase, WakeSight } from './service-sight';

/**
 * Puts together how long each phase of a service's last wake took, from what is seen of it as it happens.
 *
 * `asked` is from the first request held to the target being scaled, which only the resolver knows: it is there once the resolver has told how long the whole wake took,
 * and missing where nobody was waiting. `started` is until the pod's process runs, `ready` until its probe says so.
 */
export class WakeTimeline {
  private wanted: number | undefined;
  private scaledAtMs: number | undefined;
  private runningAtMs: number | undefined;
  private readyAtMs: number | undefined;
  private wholeMs: number | undefined;
  private readyAtTime = 0;
  private hasToldAll = true;

  /** @param nowMs monotonic */
  scaledTo(wanted: number, nowMs: number): void {
    const before = this.wanted;
    this.wanted = wanted;
    if (before !== 0 || wanted === 0) return;
    this.scaledAtMs = nowMs;
    this.runningAtMs = this.readyAtMs = this.wholeMs = undefined;
    this.hasToldAll = false;
  }

  podRuns(nowMs: number): void {
    if (this.scaledAtMs !== undefined) this.runningAtMs ??= nowMs;
  }

  /** @param time by the wall clock */
  podIsReady(nowMs: number, time: number): void {
    if (this.scaledAtMs === undefined || this.readyAtMs !== undefined) return;
    this.runningAtMs ??= nowMs;
    this.readyAtMs = nowMs;
    this.readyAtTime = time;
  }

  /** What the resolver says of a wake of this service that it has seen to its end. */
  resolverSaw(wholeMs: number): void {
    if (this.scaledAtMs !== undefined) this.wholeMs = wholeMs;
  }

  /** Undefined until a pod was ready. */
  get lastWake(): WakeSight | undefined {
    const { scaledAtMs, runningAtMs, readyAtMs, wholeMs } = this;
    if (scaledAtMs === undefined || runningAtMs === undefined || readyAtMs === undefined) return undefined;
    const seenMs = readyAtMs - scaledAtMs;
    const asked: WakePhase[] = wholeMs === undefined ? [] : [{ name: 'asked', durationMs: Math.max(0, wholeMs - seenMs) }];
    const phases: WakePhase[] = [
      ...asked,
      { name: 'started', durationMs: runningAtMs - scaledAtMs },
      { name: 'ready', durationMs: readyAtMs - runningAtMs },
    ];
    return { atMs: this.readyAtTime, phases };
  }

  /** The last wake, once: when all that there is to know of it is known. */
  takeFinished(): WakeSight | undefined {
    if (this.hasToldAll || this.wholeMs === undefined) return undefined;
    const { lastWake } = this;
    this.hasToldAll = lastWake !== undefined;
    return lastWake;
  }
}
