import type { ActivityReply, RehearsalRequest, RehearsalSubject, RouteRehearsal } from '@elasti/api';
import { type Clock, withTimeout } from '@elasti/operator-kit';
import { parseActivityReply, parseRehearsalReply } from './resolver-answers';
import type { ResolverPod } from './resolver-pod';
import type { ResolverRequest, ResolverTransport } from './resolver-transport';
import { codeOf, ResolverCallError, ResolverStatusError, ResolverTimeoutError, ResolverUnreachableError } from './resolver.errors';

const activityTimeoutMs = 2_000;
/** The resolver opens connections to pods before it answers. */
export const rehearsalTimeoutMs = 5_000;
const maxAnswerBytes = 4 * 1024 * 1024;

export interface ServiceName {
  readonly namespace: string;
  readonly service: string;
}

/**
 * Asks one resolver pod at a time, by its address, on the resolvers' internal port.
 *
 * What it gives has been checked field by field. Everything that goes wrong at the pod rejects with a ResolverCallError that says what; an abort rejects with the signal's reason.
 */
export class ResolverClient {
  constructor(
    private readonly transport: ResolverTransport,
    private readonly clock: Clock,
    private readonly port: number,
  ) {}

  /** What the pod says of each route, subject by subject in the order given; at most `maxRehearsalSubjects` of them. */
  async rehearse(pod: ResolverPod, subjects: readonly RehearsalSubject[], signal: AbortSignal): Promise<RouteRehearsal[][]> {
    const request: RehearsalRequest = { services: subjects };
    const call = { pod, method: 'POST', path: '/rehearse', body: JSON.stringify(request) } as const;
    return parseRehearsalReply(await this.ask(call, rehearsalTimeoutMs, signal), subjects);
  }

  /** Everything the pod has to tell, or just what it knows of one service. */
  async activity(pod: ResolverPod, signal: AbortSignal, only?: ServiceName): Promise<ActivityReply> {
    const query = only ? `?${new URLSearchParams({ namespace: only.namespace, service: only.service }).toString()}` : '';
    return parseActivityReply(await this.ask({ pod, method: 'GET', path: `/activity${query}` }, activityTimeoutMs, signal));
  }

  /** Connections to any other pod are closed. */
  keepOnly(pods: readonly ResolverPod[]): void {
    this.transport.keepOnly(new Set(pods.map(({ address }) => address)));
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private async ask(call: Omit<ResolverRequest, 'port' | 'maxBytes'>, timeoutMs: number, signal: AbortSignal): Promise<string> {
    const request = { ...call, port: this.port, maxBytes: maxAnswerBytes };
    const limit = { clock: this.clock, timeoutMs, signal, reason: () => new ResolverTimeoutError(timeoutMs) };
    const { statusCode, body } = await withTimeout(limit, (limited) => this.exchange(request, limited));
    if (statusCode !== 200) throw new ResolverStatusError(statusCode);
    return body;
  }

  private async exchange(request: ResolverRequest, signal: AbortSignal): ReturnType<ResolverTransport['exchange']> {
    try {
      return await this.transport.exchange(request, signal).catch((error: unknown) => {
        if (signal.aborted || !isLostConnection(error)) throw error;
        // The pod may have closed a kept connection just when we used it. Asking twice does no harm.
        return this.transport.exchange(request, signal);
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason as Error;
      throw error instanceof ResolverCallError ? error : new ResolverUnreachableError(this.port, error);
    }
  }
}

function isLostConnection(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error) ?? '');
}
