import { numberIn } from '../controllers';
import { type PodReports } from '../kubelet';
import { ContainerProbes, type ProbedContainer, act } from '../probes';
import { type SimClock } from '../sim-clock';
import { asObject } from '../store';
import { type ContainerSpec } from './container-spec';
import { type GuardedProcess } from './guarded-process';
import { OutputLines } from './output-lines';

export interface ContainerRunParts {
  readonly process: GuardedProcess;
  readonly container: ContainerSpec;
  /** The container as its probes and hooks reach it. */
  readonly probed: ProbedContainer;
  readonly reports: PodReports;
  readonly clock: SimClock;
  readonly onLine: (line: string) => void;
  /** How long the container has when a probe ends it. */
  readonly graceMs: number;
}

/**
 * One life of a container: its process, from the start to the end, its probes and its way to end.
 *
 * Asked to end, it runs the preStop hook, then gets its signal, and is killed with its group when the grace is over; asked again,
 * the shorter grace counts. No timer is left after its end.
 */
export class ContainerRun {
  /** Fulfilled with the exit code when nothing of it is left. */
  readonly ended: Promise<number>;
  private readonly probes: ContainerProbes;
  private readonly hook = new AbortController();
  private killAtMs?: number;
  private cancelKill: () => void = () => undefined;

  constructor(private readonly parts: ContainerRunParts) {
    const { process, container, probed, reports, clock } = parts;
    for (const stream of process.outputs) {
      const lines = new OutputLines(parts.onLine);
      stream.on('data', (chunk: Buffer) => {
        lines.write(chunk);
      });
      stream.on('close', () => {
        lines.end();
      });
      stream.on('error', () => undefined);
    }
    const specs = {
      startup: container.probe('startupProbe'),
      readiness: container.probe('readinessProbe'),
      liveness: container.probe('livenessProbe'),
    };
    this.probes = new ContainerProbes(specs, probed, clock, {
      readiness: (readiness) => {
        reports.readiness(readiness);
      },
      dead: (which) => {
        parts.onLine(`kube-sim: the ${which} probe failed too often: the container is ended and started again`);
        this.end(graceOf(specs[which], parts.graceMs));
      },
    });
    this.ended = process.ended.then((exitCode) => {
      this.probes.stop();
      this.cancelKill();
      this.hook.abort();
      return exitCode;
    });
    this.probes.start();
  }

  /** Does not wait for the end. */
  end(graceMs: number): void {
    const { clock, process } = this.parts;
    const killAtMs = clock.nowMs() + graceMs;
    if (this.killAtMs !== undefined && this.killAtMs <= killAtMs) return;
    const isFirst = this.killAtMs === undefined;
    this.killAtMs = killAtMs;
    this.cancelKill();
    if (graceMs <= 0) {
      process.kill();
      return;
    }
    this.cancelKill = clock.schedule(graceMs, () => {
      process.kill();
    });
    if (isFirst) void this.askToEnd();
  }

  private async askToEnd(): Promise<void> {
    this.probes.onTermination();
    const { container, process } = this.parts;
    await this.runHook().catch((error: unknown) => {
      if (!this.hook.signal.aborted) this.parts.onLine(`kube-sim: the preStop hook failed: ${String(error)}`);
    });
    if (!this.hook.signal.aborted) process.terminate(container.stopSignal);
  }

  private async runHook(): Promise<void> {
    const { container, probed, clock } = this.parts;
    const { preStop } = container;
    if (preStop.sleep === undefined) {
      await act(preStop, probed, this.hook.signal);
      return;
    }
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(numberIn(asObject(preStop.sleep), 'seconds') * 1000, resolve);
      this.hook.signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
  }
}

const graceOf = (probe: object | undefined, otherwiseMs: number): number =>
  numberIn({ ...probe }, 'terminationGracePeriodSeconds', otherwiseMs / 1000) * 1000;
