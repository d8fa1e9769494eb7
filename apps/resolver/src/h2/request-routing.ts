import type { OwnAnswer, ServicePort } from '../exchange';
import { isLoop } from '../http1';
import type { Passage } from '../http1';
import type { ProxyContext } from '../proxy';
import type { H2Request } from './h2-request';
import { nameOf } from './pod-entry';

/** How free a connection is to take a request. */
export interface Situation {
  /** Whether a pod was found or is sought: all requests must be for the same service then. */
  readonly bound: 'bound' | 'free';
  readonly room: 'room' | 'full';
}

/**
 * Whom the requests of one connection are for, and what can be said to them without asking for a pod.
 *
 * A connection goes to one pod, so it is for one service at a time.
 */
export class RequestRouting {
  private current: (Passage & { readonly target: ServicePort }) | undefined;

  constructor(
    private readonly policy: ProxyContext['policy'],
    /** Undefined where the port names no service: the first request then does. */
    private readonly target: ServicePort | undefined,
    private readonly clientAddress: () => string,
  ) {}

  /** Of the last request. */
  get passage(): Passage | undefined {
    return this.current;
  }

  get isMovingOn(): boolean {
    return this.current !== undefined && this.policy.isMovingOn(this.current.target);
  }

  /** The service, or what is said at once. */
  route(request: H2Request, situation: Situation): { readonly target: ServicePort } | { readonly answer: OwnAnswer } {
    const target = this.target ?? this.policy.targetOf(request);
    if (target === undefined) return { answer: { status: 404, text: 'no service of that name is known here' } };
    if (this.current && situation.bound === 'bound' && this.current.target !== target && this.current.hop !== nameOf(target)) {
      return { answer: { status: 421, text: 'this connection is for another service' } };
    }
    const { hop } = this.passageFor(target);
    if (isLoop(request.marker, hop)) return { answer: { status: 508, text: `${hop}: the request came back to the resolver` } };
    if (situation.room === 'full') {
      return { answer: { status: 503, text: `${hop}: this connection waits with too much already`, retryAfterSeconds: 1 } };
    }
    return { target };
  }

  private passageFor(target: ServicePort): Passage {
    if (this.current?.target === target) return this.current;
    const hop = nameOf(target);
    // The same object for the same service, so that what was written for it can be used again.
    if (this.current?.hop === hop) return this.current;
    this.current = { target, hop, clientAddress: this.current?.clientAddress ?? this.clientAddress() };
    return this.current;
  }
}
