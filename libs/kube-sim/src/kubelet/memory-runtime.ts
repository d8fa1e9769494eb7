import { type SimClock, systemClock } from '../sim-clock';
import { type PodAddresses, type PodReports, type PodRuntime, type PodToRun } from './pod-runtime';

export type PodFilter = (pod: PodToRun) => boolean;

export interface MemoryRuntimeSettings {
  /** How long after its start a pod is ready. Default 0: at once. */
  readonly readyAfterMs?: number;
  /** How long a pod takes to end after it was asked to; its grace period is the limit. Default 0. */
  readonly drainMs?: number;
  /** `dual` gives each pod an IPv6 address too. Default `IPv4`. */
  readonly addresses?: 'IPv4' | 'IPv6' | 'dual';
  /** Default: the system's. */
  readonly clock?: SimClock;
}

interface MemoryPod {
  readonly pod: PodToRun;
  readonly addresses: PodAddresses;
  reports?: PodReports;
  isWarm: boolean;
  readonly ends: Set<() => void>;
  cancelTimer: () => void;
}

const all: PodFilter = () => true;

/**
 * Pods that are nothing but an address, for tests: each gets its own, is ready after a while and ends when asked.
 *
 * Tests hold pods back, let them crash or make them slow to end; a hold counts for pods that run and for those to come,
 * until its answer is called. No timer is left after close().
 */
export class MemoryRuntime implements PodRuntime {
  private readonly pods = new Map<string, MemoryPod>();
  private readonly readinessHolds = new Set<PodFilter>();
  private readonly terminationHolds = new Set<PodFilter>();
  private readonly clock: SimClock;
  private given = 0;

  constructor(private readonly settings: MemoryRuntimeSettings = {}) {
    this.clock = settings.clock ?? systemClock;
  }

  start(pod: PodToRun, reports: PodReports): Promise<PodAddresses> {
    const known = this.pods.get(pod.uid);
    const running: MemoryPod = known ?? {
      pod,
      addresses: this.nextAddresses(),
      isWarm: false,
      ends: new Set(),
      cancelTimer: () => undefined,
    };
    running.reports = reports;
    running.isWarm = false;
    this.pods.set(pod.uid, running);
    const { readyAfterMs = 0 } = this.settings;
    if (readyAfterMs === 0) this.warm(running);
    else
      running.cancelTimer = this.clock.schedule(readyAfterMs, () => {
        this.warm(running);
      });
    return Promise.resolve(running.addresses);
  }

  stop({ uid }: PodToRun, graceMs: number): Promise<void> {
    const running = this.pods.get(uid);
    if (!running) return Promise.resolve();
    return new Promise((resolve) => {
      running.ends.add(resolve);
      const isHeld = [...this.terminationHolds].some((hold) => hold(running.pod));
      const delayMs = isHeld ? graceMs : Math.min(graceMs, this.settings.drainMs ?? 0);
      running.cancelTimer();
      if (delayMs === 0) this.end(running);
      else
        running.cancelTimer = this.clock.schedule(delayMs, () => {
          this.end(running);
        });
    });
  }

  close(): Promise<void> {
    for (const running of [...this.pods.values()]) this.end(running);
    return Promise.resolve();
  }

  /** The matching pods are not ready until the answer is called. */
  holdReadiness(which: PodFilter = all): () => void {
    return this.hold(this.readinessHolds, which, (running) => {
      this.reportReadiness(running);
    });
  }

  /** The matching pods do not end, save by the end of their grace period, until the answer is called. */
  holdTermination(which: PodFilter = all): () => void {
    return this.hold(this.terminationHolds, which, (running) => {
      const isHeld = [...this.terminationHolds].some((hold) => hold(running.pod));
      if (!isHeld && running.ends.size > 0) this.end(running);
    });
  }

  /** Ends the matching pods that run, as by an error of their own; what follows is their restart policy's. */
  crash(which: PodFilter = all, exitCode = 1): void {
    for (const running of this.matching(which)) {
      const { reports } = running;
      running.cancelTimer();
      running.isWarm = false;
      running.reports = undefined;
      reports?.exited(exitCode);
    }
  }

  private hold(holds: Set<PodFilter>, which: PodFilter, onChange: (running: MemoryPod) => void): () => void {
    // A filter may be given twice: each hold is its own.
    const own: PodFilter = (pod) => which(pod);
    holds.add(own);
    this.matching(own).forEach(onChange);
    return () => {
      if (holds.delete(own)) this.matching(own).forEach(onChange);
    };
  }

  private matching(which: PodFilter): MemoryPod[] {
    return [...this.pods.values()].filter(({ pod }) => which(pod));
  }

  private warm(running: MemoryPod): void {
    running.isWarm = true;
    this.reportReadiness(running);
  }

  private reportReadiness(running: MemoryPod): void {
    const isHeld = [...this.readinessHolds].some((hold) => hold(running.pod));
    running.reports?.readiness(running.isWarm && !isHeld ? 'ready' : 'not-ready');
  }

  private end(running: MemoryPod): void {
    running.cancelTimer();
    this.pods.delete(running.pod.uid);
    for (const resolve of running.ends) resolve();
  }

  private nextAddresses(): PodAddresses {
    const number = ++this.given;
    const four = `10.${128 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
    const six = `fd00:10:128::${number.toString(16)}`;
    switch (this.settings.addresses ?? 'IPv4') {
      case 'IPv4':
        return [four];
      case 'IPv6':
        return [six];
      case 'dual':
        return [four, six];
    }
  }
}
