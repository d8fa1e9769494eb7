import type { GateRefusal } from './gate.errors';
import type { HoldMoments } from './hold-moments';
import type { ServicePort } from './service-port';

/** What may be asked of a request before it is passed on. Valid only during the call it is given to. */
export interface RequestView {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly host: string;
  /** The value of a header, several of one name joined by `, `; `name` is lower case. */
  header(name: string): string | undefined;
}

/** A short answer that the resolver gives itself. */
export interface OwnAnswer {
  readonly status: number;
  /** A line of plain text without its end; with a `contentType` of its own, the body as it is. A 204 has none. */
  readonly text: string;
  readonly retryAfterSeconds?: number;
  /**
   * `close`: a client that kept its connection would get this answer for as long as it asks, though a new one may lead to a pod. Over HTTP/2
   * it is told to go, and what else it asked for is served.
   */
  readonly persistence?: 'close';
  /** Default: plain text in UTF-8. */
  readonly contentType?: string;
  /** Further headers, by names and values that nobody outside has a say in. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the hot path asks about a request. Every answer is given at once; nothing here may wait. */
export interface ExchangePolicy {
  /** For connections whose port names no service: whom the request is for. `undefined` is answered with 404. */
  targetOf(request: RequestView): ServicePort | undefined;
  /** Asked when no pod is ready: an answer here is given instead of holding the request and waking the target. */
  answerInstead(target: ServicePort, request: RequestView): OwnAnswer | undefined;
  /** True once the service's own pods take the traffic: answers then carry `Connection: close`, to bring clients there. */
  isMovingOn(target: ServicePort): boolean;
}

/**
 * Why a request gets no pod: by the gate, or because its HTTP/2 connection is for another service, or because it was here before, or
 * because it is not valid HTTP, or its head did not come in time.
 */
export type Rejection = GateRefusal | 'misdirected' | 'came back' | 'malformed' | 'late';

/** Told of every exchange: a request with its answer, or a whole connection that is not HTTP. */
export interface ExchangeListener {
  began(target: ServicePort): void;
  /**
   * `status` is undefined when the client left first, or when the connection was not HTTP. `beganAtMs`, by the monotonic clock, is given for
   * requests that were answered: how long a connection lasts that is not HTTP says nothing.
   */
  ended(target: ServicePort, status: number | undefined, beganAtMs?: number): void;
  /** An exchange that was held sends its first byte to a pod; at most once for each, and never for one that was not held. */
  sentAfterHold?(target: ServicePort, moments: HoldMoments): void;
  /** One was turned away without asking the gate, which tells of its own refusals. Undefined: nobody knows whom it was for. */
  refused?(target: ServicePort | undefined, reason: Rejection): void;
  /** A pod was given the request, and the client got no whole answer of it: cut off, not valid, or not in time. `ended` is told as well. */
  lost?(target: ServicePort): void;
}
