import type { OwnAnswer, Rejection, ServicePort } from '../exchange';
import { isLoop } from '../http1';
import type { Passage } from '../http1';
import { FAILURES } from '../proxy';
import type { ProxyContext } from '../proxy';
import type { H2Request } from './h2-request';
import { nameOf } from './pod-entry';

/** How free a connection is to take a request. */
export interface Situation {
  /** Whether a pod was found or is sought: all requests must be for the same service then. */
  readonly bound: 'bound' | 'free';
  readonly room: 'room' | 'full';
}

/** What is said at once, and why. */
interface TurnedAway {
  readonly answer: OwnAnswer;
  readonly rejected: { readonly target: ServicePort | undefined; readonly reason: Rejection };
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

  /** Whom the connection is for, as far as that is known. */
  get knownTarget(): ServicePort | undefined {
    return this.target ?? this.current?.target;
  }

  get isMovingOn(): boolean {
    return this.current !== undefined && this.policy.isMovingOn(this.current.target);
  }

  /** The service, or what is said at once. */
  route(request: H2Request, situation: Situation): { readonly target: ServicePort } | TurnedAway {
    const target = this.target ?? this.policy.targetOf(request);
    if (target === undefined) return turnAway(undefined, 'unknown', FAILURES.nobody());
    if (this.current && situation.bound === 'bound' && this.current.target !== target && this.current.hop !== nameOf(target)) {
      return turnAway(target, 'misdirected', { status: 421, text: 'this connection is for another service' });
    }
    const { hop } = this.passageFor(target);
    if (isLoop(request.marker, hop)) {
      return turnAway(target, 'came back', FAILURES.cameBack(target));
    }
    if (situation.room === 'full') {
      const text = `${hop}: this connection waits with too much already`;
      return turnAway(target, 'queue full', { status: 503, text, retryAfterSeconds: 1 });
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

function turnAway(target: ServicePort | undefined, reason: Rejection, answer: OwnAnswer): TurnedAway {
  return { answer, rejected: { target, reason } };
}
