import { numberIn } from '../controllers';
import { type PodReadiness } from '../kubelet';
import { type SimClock } from '../sim-clock';
import { type JsonObject } from '../store';
import { type ProbedContainer, act } from './probe-action';
import { type ProbeVerdict } from './probe-tally';
import { type ProbePace, Prober, type ProbeTiming } from './prober';

export interface ProbeSpecs {
  readonly startup?: JsonObject;
  readonly readiness?: JsonObject;
  readonly liveness?: JsonObject;
}

export interface ProbeFindings {
  readiness(readiness: PodReadiness): void;
  /** The container should be ended and started anew. */
  dead(which: 'startup' | 'liveness'): void;
}

/**
 * The probes of one run of a container: the startup probe first, then readiness and liveness beside each other.
 *
 * A container without a readiness probe is ready once it has started. While it is being ended only readiness is looked at.
 */
export class ContainerProbes {
  private readonly running = new Map<'startup' | 'readiness' | 'liveness', Prober>();

  constructor(
    private readonly specs: ProbeSpecs,
    private readonly container: ProbedContainer,
    private readonly clock: SimClock,
    private readonly findings: ProbeFindings,
  ) {}

  start(): void {
    const { startup } = this.specs;
    if (!startup) {
      this.afterStartup();
      return;
    }
    this.run('startup', startup, 'eager', 'undecided', (verdict) => {
      this.stopOne('startup');
      if (verdict === 'passing') this.afterStartup();
      else this.findings.dead('startup');
    });
  }

  /** The container is being ended: from now on nobody wants it to be restarted. */
  onTermination(): void {
    this.stopOne('startup');
    this.stopOne('liveness');
  }

  stop(): void {
    for (const which of [...this.running.keys()]) this.stopOne(which);
  }

  private afterStartup(): void {
    const { readiness, liveness } = this.specs;
    if (readiness)
      this.run('readiness', readiness, 'eager', 'failing', (verdict) => {
        this.findings.readiness(verdict === 'passing' ? 'ready' : 'not-ready');
      });
    else this.findings.readiness('ready');
    if (liveness)
      this.run('liveness', liveness, 'steady', 'passing', (verdict) => {
        if (verdict !== 'failing') return;
        this.stopOne('liveness');
        this.findings.dead('liveness');
      });
  }

  private run(
    which: 'startup' | 'readiness' | 'liveness',
    spec: JsonObject,
    pace: ProbePace,
    initial: ProbeVerdict,
    onVerdict: (verdict: ProbeVerdict) => void,
  ): void {
    const check = async (signal: AbortSignal) => {
      await act(spec, this.container, signal);
      return 'passed' as const;
    };
    const prober = new Prober(timingOf(spec), pace, initial, check, this.clock, onVerdict);
    this.running.set(which, prober);
    prober.start();
  }

  private stopOne(which: 'startup' | 'readiness' | 'liveness'): void {
    this.running.get(which)?.stop();
    this.running.delete(which);
  }
}

function timingOf(spec: JsonObject): ProbeTiming {
  return {
    initialDelayMs: numberIn(spec, 'initialDelaySeconds') * 1000,
    periodMs: numberIn(spec, 'periodSeconds', 10) * 1000,
    timeoutMs: numberIn(spec, 'timeoutSeconds', 1) * 1000,
    successThreshold: numberIn(spec, 'successThreshold', 1),
    failureThreshold: numberIn(spec, 'failureThreshold', 3),
  };
}
