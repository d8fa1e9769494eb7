import {
  type ObjectAccess,
  ControlLoop,
  PODS,
  PORTS_ANNOTATION,
  hasEnded,
  isTerminating,
  numberIn,
  specOf,
  statusOf,
} from '../controllers';
import { type SimClock } from '../sim-clock';
import { type JsonObject, type StoredObject, asObject, asString, sameJson } from '../store';
import { nodeAddress } from './node';
import { ContainerConfigError } from './container-env';
import { type PodEnvironments } from './pod-environments';
import { type PodAddresses, type PodReadiness, type PodReports, type PodRuntime, type PodToRun } from './pod-runtime';
import { type ContainerExit, type PodRunState, buildPodStatus } from './pod-status';

const FIRST_RESTART_DELAY_MS = 10_000;
const LONGEST_RESTART_DELAY_MS = 300_000;

/** One pod that was handed to the runtime. */
interface PodRun {
  readonly pod: PodToRun;
  readonly key: string;
  readonly hostAddress: string;
  readonly acceptedAtMs: number;
  state: PodRunState['state'];
  readiness: PodReadiness;
  addresses?: PodAddresses;
  startedAtMs: number;
  starts: number;
  lastExit?: ContainerExit;
  waitingFor?: PodRunState['waitingFor'];
  /** Set once the runtime was asked to end the pod. */
  graceMs?: number;
  cancelRestart: () => void;
}

/**
 * Runs the pods that are bound to its nodes by means of a PodRuntime, and reports how they are.
 *
 * A pod that is deleted keeps its readiness until it has ended; then it is gone. Pods are restarted as their policy
 * says, at once the first time and later ever more slowly. Assumes that pods of other nodes are someone else's.
 */
export class Kubelet {
  private readonly loop: ControlLoop;
  private readonly runs = new Map<string, PodRun>();
  private readonly hostAddresses: ReadonlyMap<string, string>;
  private readonly stopListening: () => void;
  private isStopped = false;

  constructor(
    private readonly access: ObjectAccess,
    private readonly runtime: PodRuntime,
    private readonly environments: PodEnvironments,
    nodeNames: readonly string[],
    private readonly clock: SimClock,
  ) {
    this.hostAddresses = new Map(nodeNames.map((name, index) => [name, nodeAddress(index)]));
    this.loop = new ControlLoop(clock, (key) => {
      this.reconcile(key);
    });
    this.stopListening = access.store.listen((storageId, { type, object }) => {
      if (storageId !== PODS || !this.hostAddresses.has(nodeOf(object))) return;
      if (type === 'DELETED') this.forget(object.uid);
      else this.loop.add(object.key);
    });
  }

  async stop(graceMs: number): Promise<void> {
    this.isStopped = true;
    this.stopListening();
    this.loop.stop();
    for (const run of this.runs.values()) run.cancelRestart();
    await this.runtime.close(graceMs);
  }

  private reconcile(key: string): void {
    const pod = this.access.get(PODS, key);
    if (!pod) return;
    const run = this.runs.get(pod.uid);
    if (isTerminating(pod)) this.terminate(pod, run);
    else if (run) this.report(pod, run);
    else if (!hasEnded(pod)) this.accept(pod);
  }

  private accept(pod: StoredObject): void {
    const nodeName = nodeOf(pod);
    const nowMs = this.clock.nowMs();
    const run: PodRun = {
      pod: { uid: pod.uid, namespace: pod.namespace, name: pod.name, labels: pod.labels, nodeName, spec: specOf(pod) },
      key: pod.key,
      hostAddress: this.hostAddresses.get(nodeName) ?? '',
      acceptedAtMs: nowMs,
      state: 'starting',
      readiness: 'not-ready',
      startedAtMs: nowMs,
      starts: 0,
      cancelRestart: () => undefined,
    };
    this.runs.set(pod.uid, run);
    this.start(run);
  }

  private start(run: PodRun): void {
    const attempt = ++run.starts;
    run.state = 'starting';
    const isCurrent = (): boolean => !this.isStopped && run.starts === attempt && run.state !== 'ended';
    const reports: PodReports = {
      readiness: (readiness) => {
        if (!isCurrent() || run.readiness === readiness) return;
        run.readiness = readiness;
        this.loop.add(run.key);
      },
      exited: (exitCode, message) => {
        if (isCurrent()) this.afterExit(run, { exitCode, message, atMs: this.clock.nowMs() });
      },
    };
    this.runtime.start(run.pod, reports, this.environments.of(run.pod, run.hostAddress)).then(
      (addresses) => {
        run.addresses = addresses;
        if (!isCurrent() || run.state !== 'starting') return;
        run.state = 'running';
        run.startedAtMs = this.clock.nowMs();
        run.waitingFor = undefined;
        this.loop.add(run.key);
      },
      (error: unknown) => {
        if (!isCurrent()) return;
        const message = error instanceof Error ? error.message : String(error);
        const reason = error instanceof ContainerConfigError ? 'CreateContainerConfigError' : 'CreateContainerError';
        this.startLater(run, { reason, message });
      },
    );
  }

  private afterExit(run: PodRun, exit: ContainerExit): void {
    run.readiness = 'not-ready';
    run.lastExit = exit;
    const policy = asString(run.pod.spec.restartPolicy) || 'Always';
    if (run.graceMs !== undefined || policy === 'Never' || (policy === 'OnFailure' && exit.exitCode === 0)) {
      run.state = 'ended';
      this.loop.add(run.key);
      return;
    }
    this.startLater(run, { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' });
  }

  private startLater(run: PodRun, waitingFor: PodRunState['waitingFor']): void {
    run.state = 'waiting';
    run.waitingFor = waitingFor;
    run.cancelRestart = this.clock.schedule(restartDelayMs(run.starts), () => {
      if (run.graceMs === undefined && run.state === 'waiting') this.start(run);
    });
    this.loop.add(run.key);
  }

  private terminate(pod: StoredObject, run: PodRun | undefined): void {
    if (!run || run.state === 'ended') {
      if (run && !hasEnded(pod)) this.report(pod, run);
      this.access.delete(PODS, pod, 0);
      return;
    }
    this.report(pod, run);
    const graceMs = numberIn(pod.metadata, 'deletionGracePeriodSeconds') * 1000;
    if (run.graceMs !== undefined && run.graceMs <= graceMs) return;
    run.graceMs = graceMs;
    run.cancelRestart();
    void this.runtime.stop(run.pod, graceMs).then(() => {
      run.lastExit = { exitCode: 0, atMs: this.clock.nowMs() };
      run.state = 'ended';
      run.readiness = 'not-ready';
      this.loop.add(run.key);
    });
  }

  private report(pod: StoredObject, run: PodRun): void {
    const restarts = Math.max(0, run.starts - 1);
    const status = buildPodStatus(pod, { ...run, restarts }, this.clock.nowMs());
    const metadata = this.metadataFor(pod);
    if (!sameJson(status, statusOf(pod)) || metadata !== pod.metadata) this.access.replaceStatus(PODS, pod, status, metadata);
  }

  /** With the pod's port map, by which its endpoints are found. */
  private metadataFor(pod: StoredObject): JsonObject {
    const ports = this.runtime.portsOf?.(pod.uid);
    if (!ports) return pod.metadata;
    const text = JSON.stringify(Object.fromEntries(ports));
    const annotations = asObject(pod.metadata.annotations);
    if (annotations[PORTS_ANNOTATION] === text) return pod.metadata;
    return { ...pod.metadata, annotations: { ...annotations, [PORTS_ANNOTATION]: text } };
  }

  /** The pod object is gone without waiting for the pod: by force, or because it has ended. */
  private forget(uid: string): void {
    const run = this.runs.get(uid);
    if (!run) return;
    this.runs.delete(uid);
    run.cancelRestart();
    // Also when it has ended: the runtime may keep its address and its output until then.
    void this.runtime.stop(run.pod, 0);
  }
}

const nodeOf = (pod: StoredObject): string => asString(specOf(pod).nodeName);

const restartDelayMs = (starts: number): number =>
  starts <= 1 ? 0 : Math.min(LONGEST_RESTART_DELAY_MS, FIRST_RESTART_DELAY_MS * 2 ** (starts - 2));
