import { isoSeconds } from '../sim-clock';
import { type JsonObject, type StoredObject, asArray, asObject, asString, without } from '../store';
import { conditionOf, numberIn, specOf, statusOf } from '../controllers';
import { type PodAddresses, type PodReadiness } from './pod-runtime';

export interface ContainerExit {
  readonly exitCode: number;
  /** Its last words, if it failed. */
  readonly message?: string;
  readonly atMs: number;
}

/** What a kubelet knows of a pod that it runs. */
export interface PodRunState {
  readonly state: 'starting' | 'running' | 'waiting' | 'ended';
  readonly addresses?: PodAddresses;
  readonly readiness: PodReadiness;
  readonly hostAddress: string;
  readonly acceptedAtMs: number;
  readonly startedAtMs: number;
  readonly restarts: number;
  readonly lastExit?: ContainerExit;
  /** Why the pod waits to be started again. */
  readonly waitingFor?: { readonly reason: string; readonly message: string };
}

/** The pod's status as its kubelet should report it. */
export function buildPodStatus(pod: StoredObject, run: PodRunState, nowMs: number): JsonObject {
  const isReady = run.state === 'running' && run.readiness === 'ready';
  const addresses = run.addresses ?? [];
  const kept = without(statusOf(pod), 'podIP', 'podIPs', 'containerStatuses');
  return {
    ...kept,
    phase: phaseOf(run),
    observedGeneration: numberIn(pod.metadata, 'generation'),
    conditions: conditions(pod, run, isReady, nowMs),
    hostIP: run.hostAddress,
    hostIPs: [{ ip: run.hostAddress }],
    startTime: isoSeconds(run.acceptedAtMs),
    ...(addresses[0] === undefined ? {} : { podIP: addresses[0], podIPs: addresses.map((ip) => ({ ip })) }),
    containerStatuses: containersOf(pod).map((container) => containerStatus(container, run, isReady)),
  };
}

function phaseOf({ state, lastExit, restarts }: PodRunState): string {
  switch (state) {
    case 'ended':
      return lastExit !== undefined && lastExit.exitCode !== 0 ? 'Failed' : 'Succeeded';
    case 'running':
      return 'Running';
    case 'starting':
    case 'waiting':
      return lastExit !== undefined || restarts > 0 ? 'Running' : 'Pending';
  }
}

const containersOf = (pod: StoredObject): JsonObject[] => asArray(specOf(pod).containers).map(asObject);

function conditions(pod: StoredObject, run: PodRunState, isReady: boolean, nowMs: number): JsonObject[] {
  const names = containersOf(pod).map(({ name }) => asString(name));
  const unready =
    run.state === 'ended'
      ? { reason: 'PodCompleted' }
      : { reason: 'ContainersNotReady', message: `containers with unready status: [${names.join(' ')}]` };
  const why = isReady ? {} : unready;
  const closed = isReady ? closedGates(pod) : [];
  const wanted: [string, boolean, JsonObject][] = [
    ['PodReadyToStartContainers', run.addresses !== undefined && run.state !== 'ended', {}],
    ['Initialized', true, run.state === 'ended' ? { reason: 'PodCompleted' } : {}],
    ['Ready', isReady && closed.length === 0, closed.length === 0 ? why : { reason: 'ReadinessGatesNotReady', message: closed.join(', ') }],
    ['ContainersReady', isReady, why],
    ['PodScheduled', true, {}],
  ];
  const own = wanted.map(([type, holds, details]): JsonObject => {
    const status = holds ? 'True' : 'False';
    const known = conditionOf(pod, type);
    const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? isoSeconds(nowMs)) : isoSeconds(nowMs);
    return { type, status, observedGeneration: numberIn(pod.metadata, 'generation'), lastTransitionTime, ...details };
  });
  const ofOthers = asArray(statusOf(pod).conditions)
    .map(asObject)
    .filter(({ type }) => !own.some((condition) => condition.type === type));
  return [...own, ...ofOthers];
}

/** What else has to say that the pod is ready, and does not. */
function closedGates(pod: StoredObject): string[] {
  return asArray(specOf(pod).readinessGates).flatMap((gate) => {
    const type = asString(asObject(gate).conditionType);
    const condition = conditionOf(pod, type);
    if (!condition) return [`corresponding condition of pod readiness gate "${type}" does not exist.`];
    return condition.status === 'True'
      ? []
      : [`the status of pod readiness gate "${type}" is not "True", but ${asString(condition.status)}`];
  });
}

function containerStatus(container: JsonObject, run: PodRunState, isReady: boolean): JsonObject {
  const { lastExit } = run;
  const exit = lastExit && {
    terminated: {
      exitCode: lastExit.exitCode,
      reason: lastExit.exitCode === 0 ? 'Completed' : 'Error',
      ...(lastExit.message === undefined || lastExit.message === '' ? {} : { message: lastExit.message }),
      startedAt: isoSeconds(run.startedAtMs),
      finishedAt: isoSeconds(lastExit.atMs),
    },
  };
  return {
    name: asString(container.name),
    image: asString(container.image),
    imageID: '',
    ready: isReady,
    started: run.state === 'running',
    restartCount: run.restarts,
    state: run.state === 'ended' && exit ? exit : containerState(run),
    lastState: run.state === 'ended' || !exit ? {} : exit,
  };
}

function containerState({ state, startedAtMs, waitingFor }: PodRunState): JsonObject {
  if (state === 'running') return { running: { startedAt: isoSeconds(startedAtMs) } };
  return { waiting: waitingFor ? { ...waitingFor } : { reason: 'ContainerCreating' } };
}
