import { dirname, delimiter } from 'node:path';
import { type PodAddresses, type PodEnvironment, type PodReports, type PodRuntime, type PodToRun } from '../kubelet';
import { AddressPool, AddressRange, type PodNetwork, PortPool } from '../network';
import { type PodLog } from '../pod-log';
import { type SimClock, systemClock } from '../sim-clock';
import { type ContainerSpec } from './container-spec';
import { ProcessGuardian } from './process-guardian';
import { type PodSandbox, ProcessPod } from './process-pod';

export interface ProcessRuntimeSettings {
  /** Default: `ports` on macOS, which has no loopback address but 127.0.0.1, and `addresses` elsewhere. */
  readonly network?: PodNetwork;
  /** Where pods get their addresses from with the network `addresses`. Default 127.64.0.0/16. */
  readonly podRange?: string;
  /** Hears every line that a pod writes. */
  readonly onOutput?: (pod: PodToRun, line: string) => void;
  /** Variables of every pod, under those of its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where containers without a workingDir run. Default: where this process does. */
  readonly cwd?: string;
  /** Default: the system's. */
  readonly clock?: SimClock;
}

/** The rest of this process's environment is none of its pods' business. */
const INHERITED = ['HOME', 'TMPDIR', 'LANG', 'TZ'];
const ADDRESS_REST_MS = 60_000;
const LOCALHOST = '127.0.0.1';

/**
 * Pods that are processes of this machine: the first container's command, with its environment, probes and hooks.
 *
 * Each pod is a process group with a loopback address or with ports of its own. Nothing is left of a pod that was stopped, and
 * nothing of any pod after close() or after this process, however it ends. Assumes that containers listen where they are told to.
 */
export class ProcessRuntime implements PodRuntime {
  readonly network: PodNetwork;
  private readonly pods = new Map<string, ProcessPod>();
  private readonly guardian = new ProcessGuardian();
  private readonly addresses: AddressPool;
  private readonly ports = new PortPool(process.pid * 97);
  private readonly clock: SimClock;

  /** @throws RangeError for a podRange that is none. */
  constructor(private readonly settings: ProcessRuntimeSettings = {}) {
    this.network = settings.network ?? (process.platform === 'darwin' ? 'ports' : 'addresses');
    this.clock = settings.clock ?? systemClock;
    const range = new AddressRange(settings.podRange ?? '127.64.0.0/16');
    // Two simulators of one machine seldom give the same address at the same time.
    this.addresses = new AddressPool(range, this.clock, { restMs: ADDRESS_REST_MS, start: (process.pid * 97) % range.size });
  }

  start(pod: PodToRun, reports: PodReports, environment: PodEnvironment): Promise<PodAddresses> {
    const running = this.pods.get(pod.uid) ?? this.prepare(pod);
    this.pods.set(pod.uid, running);
    return running.start(reports, environment);
  }

  async stop({ uid }: PodToRun, graceMs: number): Promise<void> {
    const pod = this.pods.get(uid);
    if (!pod) return;
    await pod.stop(graceMs);
    // Several may have waited for the one end.
    if (this.pods.delete(uid) && pod.sandbox) this.release(pod.sandbox);
  }

  portsOf(uid: string): ReadonlyMap<number, number> | undefined {
    return this.network === 'ports' ? this.pods.get(uid)?.sandbox?.ports : undefined;
  }

  logOf(uid: string): PodLog | undefined {
    return this.pods.get(uid)?.output;
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all([...this.pods.values()].map((pod) => pod.stop(graceMs)));
    this.pods.clear();
    await this.guardian.close();
  }

  private prepare(pod: PodToRun): ProcessPod {
    const path = [dirname(process.execPath), process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter);
    const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
    return new ProcessPod(pod, {
      guardian: this.guardian,
      clock: this.clock,
      env: { ...Object.fromEntries(inherited), PATH: path, ...this.settings.env },
      cwd: this.settings.cwd ?? process.cwd(),
      onOutput: this.settings.onOutput ?? (() => undefined),
      openSandbox: (container) => this.openSandbox(container),
    });
  }

  private async openSandbox({ ports }: ContainerSpec): Promise<PodSandbox> {
    if (this.network === 'addresses') return { address: this.addresses.take(), ports: new Map() };
    const mapped = new Map<number, number>();
    for (const { number } of ports) mapped.set(number, await this.ports.take());
    return { address: LOCALHOST, ports: mapped };
  }

  private release({ address, ports }: PodSandbox): void {
    if (this.network === 'addresses') this.addresses.giveBack(address);
    for (const port of ports.values()) this.ports.giveBack(port);
  }
}
