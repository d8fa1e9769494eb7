import { numberIn } from '../controllers';
import { type PodAddresses, type PodEnvironment, type PodReports, type PodToRun, variableName } from '../kubelet';
import { type ProbedContainer } from '../probes';
import { type SimClock } from '../sim-clock';
import { ContainerRun } from './container-run';
import { ContainerSpec } from './container-spec';
import { explainExit } from './exit-explanation';
import { PodOutput } from './pod-output';
import { type ProcessGuardian, type ProcessPlace } from './process-guardian';

/** Where a pod is: it keeps that through its restarts. */
export interface PodSandbox {
  readonly address: string;
  /** Container ports that are elsewhere than they are called. */
  readonly ports: ReadonlyMap<number, number>;
}

export interface ProcessPodParts {
  readonly guardian: ProcessGuardian;
  readonly clock: SimClock;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly onOutput: (pod: PodToRun, line: string) => void;
  readonly openSandbox: (container: ContainerSpec) => Promise<PodSandbox>;
}

/** One pod as a process: its first container, started as often as the kubelet asks. */
export class ProcessPod {
  readonly output: PodOutput;
  /** From its first start on. */
  sandbox?: PodSandbox;
  private run?: ContainerRun;
  private pending: Promise<unknown> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly pod: PodToRun,
    private readonly parts: ProcessPodParts,
  ) {
    this.output = new PodOutput(parts.clock);
  }

  async start(reports: PodReports, environment: PodEnvironment): Promise<PodAddresses> {
    const starting = this.startContainer(reports, environment);
    this.pending = starting.catch(() => undefined);
    return [(await starting).address];
  }

  /** Fulfilled when nothing of the pod is left. Called again, the shorter grace counts. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    await this.pending;
    this.run?.end(graceMs);
    await this.run?.ended;
  }

  private async startContainer(reports: PodReports, environment: PodEnvironment): Promise<PodSandbox> {
    const container = new ContainerSpec(this.pod);
    const sandbox = (this.sandbox ??= await this.parts.openSandbox(container));
    const place = await this.placeOf(container, sandbox, environment);
    this.checkNotStopping();
    const process = await this.parts.guardian.spawn(container.commandIn(place.env), place);
    this.output.begin();
    const run = new ContainerRun({
      process,
      container,
      probed: this.probed(container, sandbox, place),
      reports,
      clock: this.parts.clock,
      onLine: (line) => {
        this.output.add(line);
        this.parts.onOutput(this.pod, line);
      },
      graceMs: numberIn(this.pod.spec, 'terminationGracePeriodSeconds', 30) * 1000,
    });
    this.run = run;
    void run.ended.then((exitCode) => {
      this.output.end();
      if (this.run === run) this.run = undefined;
      if (!this.isStopping) reports.exited(exitCode, exitCode === 0 ? undefined : explainExit(this.output.lastWords, sandbox.address));
    });
    return sandbox;
  }

  private checkNotStopping(): void {
    if (this.isStopping) throw new Error('the pod is being ended');
  }

  private async placeOf(container: ContainerSpec, { address, ports }: PodSandbox, environment: PodEnvironment): Promise<ProcessPlace> {
    const portVariables = portVariablesOf(container, ports);
    const variables = { ...this.parts.env, HOSTNAME: this.pod.name, ...portVariables };
    const env = await environment({ addresses: [address], variables });
    // A pod that says its port for a real cluster must not listen there where the port is another.
    return { env: ports.size > 0 ? { ...env, ...portVariables } : env, cwd: container.workingDir || this.parts.cwd };
  }

  private probed(container: ContainerSpec, { address, ports }: PodSandbox, place: ProcessPlace): ProbedContainer {
    return {
      address,
      portOf: (port) => {
        const number = container.portNumber(port);
        return ports.get(number) ?? number;
      },
      run: (command, signal) => this.runBeside(command, place, signal),
    };
  }

  private async runBeside(command: readonly string[], place: ProcessPlace, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    const process = await this.parts.guardian.spawn(command, place);
    for (const stream of process.outputs) stream.resume();
    const kill = (): void => {
      process.kill();
    };
    signal.addEventListener('abort', kill);
    if (signal.aborted) kill();
    const exitCode = await process.ended;
    signal.removeEventListener('abort', kill);
    return exitCode;
  }
}

function portVariablesOf({ ports }: ContainerSpec, mapped: ReadonlyMap<number, number>): Record<string, string> {
  const realOf = (number: number): string => String(mapped.get(number) ?? number);
  const [first] = ports;
  const variables: Record<string, string> = first ? { PORT: realOf(first.number) } : {};
  for (const { name, number } of ports) {
    const real = realOf(number);
    variables[`PORT_${number}`] = real;
    if (name !== '') variables[`PORT_${variableName(name)}`] = real;
  }
  return variables;
}
