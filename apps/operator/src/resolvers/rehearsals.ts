import type { RehearsalSubject, RouteRehearsal } from '@elasti/api';
import type { Clock } from '@elasti/operator-kit';
import { RehearsalLane } from './rehearsal-lane';
import { RehearsalMemory } from './rehearsal-memory';
import type { ResolverClient } from './resolver-client';
import { instanceOf, type ResolverPod } from './resolver-pod';
import type { ResolverPods } from './resolver-pods';
import { ResolverCallError, ResolverGoneError } from './resolver.errors';

/** `cannot` goes on from "resolver pod X": it names no pod, so that the same trouble at many reads as one. */
export type RehearsalOutcome = 'can' | { readonly cannot: string };

export interface Rehearsed {
  readonly pod: ResolverPod;
  readonly outcome: RehearsalOutcome;
}

/**
 * Finds out whether resolver pods could take a Service's traffic before any is sent to them, and remembers who could.
 *
 * Takes at most the time of one call whatever the pods do: pods are asked at the same time, and subjects that come together share a call to a pod.
 * Trouble at a pod is an outcome; it rejects only with the caller's own abort.
 */
export class Rehearsals {
  private readonly lanes = new Map<string, RehearsalLane>();
  private readonly memory = new RehearsalMemory();

  constructor(
    private readonly client: Pick<ResolverClient, 'rehearse'>,
    private readonly pods: Pick<ResolverPods, 'list' | 'onChange'>,
    private readonly clock: Clock,
  ) {
    pods.onChange(() => this.dropGonePods());
  }

  /** One outcome for each pod, in the order given. */
  rehearse(subject: RehearsalSubject, pods: readonly ResolverPod[], signal: AbortSignal): Promise<Rehearsed[]> {
    return Promise.all(pods.map(async (pod) => ({ pod, outcome: await this.rehearseAt(pod, subject, signal) })));
  }

  /** Whether this pod, and no other that has had its address, was able to take exactly these routes when it was last asked. */
  known(subject: RehearsalSubject, pod: ResolverPod): boolean {
    return this.memory.has(subject, pod);
  }

  /** For a slice that listed the pod before this process began: it was rehearsed then. */
  trust(subject: RehearsalSubject, pod: ResolverPod): void {
    const instance = instanceOf(pod);
    // One that has left meanwhile would never be forgotten.
    if (this.pods.list().some((present) => instanceOf(present) === instance)) this.memory.add(subject, pod);
  }

  /** Keeps no more than there are services. */
  forget(namespace: string, service: string): void {
    this.memory.forgetService(namespace, service);
  }

  private async rehearseAt(pod: ResolverPod, subject: RehearsalSubject, signal: AbortSignal): Promise<RehearsalOutcome> {
    signal.throwIfAborted();
    if (subject.routes.length === 0) return { cannot: 'has no port to listen on for this service' };
    try {
      const outcome = judge(await this.laneOf(pod).ask(subject, signal));
      if (outcome === 'can') this.trust(subject, pod);
      else this.memory.remove(subject, pod);
      return outcome;
    } catch (error) {
      if (!(error instanceof ResolverCallError)) throw error;
      return { cannot: error.message };
    }
  }

  private laneOf(pod: ResolverPod): RehearsalLane {
    const instance = instanceOf(pod);
    let lane = this.lanes.get(instance);
    if (!lane) {
      lane = new RehearsalLane((subjects, signal) => this.client.rehearse(pod, subjects, signal), this.clock);
      this.lanes.set(instance, lane);
    }
    return lane;
  }

  private dropGonePods(): void {
    const pods = this.pods.list();
    const present = new Set(pods.map(instanceOf));
    this.memory.keepOnly(pods);
    for (const [instance, lane] of this.lanes) {
      if (present.has(instance)) continue;
      this.lanes.delete(instance);
      lane.close(new ResolverGoneError());
    }
  }
}

function judge(routes: readonly RouteRehearsal[]): RehearsalOutcome {
  const deaf = routes.find(({ listening }) => !listening);
  if (deaf) return { cannot: `does not listen on port ${deaf.resolverPort}, which stands for port ${deaf.port}${detail(deaf)}` };
  const barred = routes.find(({ connects }) => connects === 'no');
  if (!barred) return 'can';
  return { cannot: `cannot reach a pod on port ${barred.port}${detail(barred)}: a NetworkPolicy or a mesh may be in the way` };
}

function detail({ problem }: RouteRehearsal): string {
  return problem ? ` (${problem})` : '';
}
