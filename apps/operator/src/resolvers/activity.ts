import type { ActivityReply, ServiceActivity } from '@elasti/api';
import type { ResolverClient, ServiceName } from './resolver-client';
import type { ResolverPod } from './resolver-pod';
import type { ResolverPods } from './resolver-pods';
import { ResolverCallError } from './resolver.errors';

/** `unknown` counts as busy. */
export type Activity = 'quiet' | 'active' | 'unknown';

/** What all resolvers said at one time. */
export interface ActivitySnapshot {
  /** `active`: something is open through a resolver; `unknown`: not that anybody knows, but one did not answer. */
  of(namespace: string, service: string): Activity;
  /** Why something is unknown, for people. */
  readonly problem?: string;
}

/** `forMs` is by the resolvers' own clocks, and no longer than each of them has been counting; `since` says what it reaches back to. */
export type Silence =
  | { readonly state: 'silent'; readonly forMs: number; readonly since: 'a request' | 'the counting began' }
  | { readonly state: 'active' }
  | { readonly state: 'unknown'; readonly problem: string };

/** What goes through the resolvers. It rejects only with the signal's reason; whatever a resolver does wrong makes things unknown. */
export abstract class ActivitySource {
  /** Asks every resolver pod, ready or draining, once. With no pod at all nothing goes through one, so everything is quiet. */
  abstract read(signal: AbortSignal): Promise<ActivitySnapshot>;

  /** How long none of these Services has been asked for, as just now told by every resolver pod. With no pod there is nobody to tell: unknown. */
  abstract silence(services: readonly ServiceName[], signal: AbortSignal): Promise<Silence>;
}

const maxPodsAtOnce = 16;

type PodAnswer = ActivityReply | { readonly problem: string };

/** Asks the resolver pods themselves, many at the same time; a pod that has two addresses is asked once. */
export class ResolverActivity extends ActivitySource {
  constructor(
    private readonly client: Pick<ResolverClient, 'activity'>,
    private readonly pods: Pick<ResolverPods, 'list' | 'hasSynced'>,
  ) {
    super();
  }

  async read(signal: AbortSignal): Promise<ActivitySnapshot> {
    const answers = await this.askAll(signal);
    const problem = answers.find(isProblem)?.problem;
    const active = new Set(toldBy(answers).filter(isOpen).map(keyOf));
    return {
      of: (namespace, service) => (active.has(keyOf({ namespace, service })) ? 'active' : problem === undefined ? 'quiet' : 'unknown'),
      ...(problem !== undefined && { problem }),
    };
  }

  async silence(services: readonly ServiceName[], signal: AbortSignal): Promise<Silence> {
    const answers = await this.askAll(signal, services.length === 1 ? services[0] : undefined);
    const wanted = new Set(services.map(keyOf));
    const told = toldBy(answers).filter((activity) => wanted.has(keyOf(activity)));
    if (told.some(isOpen)) return { state: 'active' };
    const problem = answers.length === 0 ? 'there is no resolver to tell' : answers.find(isProblem)?.problem;
    if (problem !== undefined) return { state: 'unknown', problem };
    const quietMs = Math.min(...told.map(({ lastRequestAgoMs = Infinity }) => lastRequestAgoMs));
    // A resolver that has just started, or is too old to say, has seen nothing because it did not look.
    const countedMs = Math.min(...answers.map((answer) => (isProblem(answer) ? 0 : (answer.countedForMs ?? 0))));
    return quietMs <= countedMs
      ? { state: 'silent', forMs: quietMs, since: 'a request' }
      : { state: 'silent', forMs: countedMs, since: 'the counting began' };
  }

  private async askAll(signal: AbortSignal, only?: ServiceName): Promise<PodAnswer[]> {
    signal.throwIfAborted();
    if (!this.pods.hasSynced) return [{ problem: 'the resolver pods are not known yet' }];
    const left = addressesByPod(this.pods.list()).values();
    const answers: PodAnswer[] = [];
    const work = async () => {
      for (const addresses of left) answers.push(await this.askPod(addresses, signal, only));
    };
    await Promise.all(Array.from({ length: maxPodsAtOnce }, work));
    return answers;
  }

  /** Each address of a pod leads to the same counters. */
  private async askPod(addresses: readonly ResolverPod[], signal: AbortSignal, only?: ServiceName): Promise<PodAnswer> {
    let answer: PodAnswer = { problem: 'a resolver pod has no address' };
    for (const pod of addresses) {
      try {
        return await this.client.activity(pod, signal, only);
      } catch (error) {
        if (!(error instanceof ResolverCallError)) throw error;
        answer = { problem: `resolver pod ${pod.podName ?? pod.address} ${error.message}` };
      }
    }
    return answer;
  }
}

function addressesByPod(pods: readonly ResolverPod[]): Map<string, ResolverPod[]> {
  return Map.groupBy(pods, ({ uid, podName, address }) => uid ?? podName ?? address);
}

function toldBy(answers: readonly PodAnswer[]): ServiceActivity[] {
  return answers.flatMap((answer) => (isProblem(answer) ? [] : answer.services));
}

function isProblem(answer: PodAnswer): answer is { readonly problem: string } {
  return 'problem' in answer;
}

function isOpen({ open }: ServiceActivity): boolean {
  return open > 0;
}

/** Neither name can have a slash. */
function keyOf({ namespace, service }: ServiceName): string {
  return `${namespace}/${service}`;
}
