import type { OwnAnswer, PodLease, ServicePort } from '../exchange';
import type { ProxyContext } from '../proxy';
import type { H2Request } from './h2-request';
import type { H2Session } from './h2-session';
import { H2Stream } from './h2-stream';
import type { Answered } from './own-answer';
import type { RequestRouting } from './request-routing';
import type { ServingPod } from './serving-pod';

/** Who does what was decided about a request. */
export interface IntakeEvents {
  answer(to: Answered, answer: OwnAnswer): void;
  /** It goes to a pod: to the one that it was given a place at, or to the one that serves or will serve the connection. */
  accept(stream: H2Stream, lease: PodLease | undefined): void;
}

/**
 * What becomes of a request: an answer of our own, or a stream for a pod.
 *
 * The gate is asked at most once, and no place that it gives is left unused.
 */
export class RequestIntake {
  constructor(
    private readonly context: ProxyContext,
    private readonly session: H2Session,
    private readonly routing: RequestRouting,
    private readonly pod: ServingPod,
    private readonly events: IntakeEvents,
  ) {}

  take(id: number, request: H2Request, part: 'ends stream' | 'goes on'): void {
    const { session, pod, events } = this;
    const room = session.pod !== undefined || session.hasRoomFor(request.size) ? 'room' : 'full';
    const routed = this.routing.route(request, { bound: pod.isNone ? 'free' : 'bound', room });
    if ('answer' in routed) {
      this.context.listener.refused?.(routed.rejected.target, routed.rejected.reason);
      events.answer(answeredOf(id, request, part), routed.answer);
      return;
    }
    const { target } = routed;
    const lease = pod.isNone ? this.context.gate.tryEnter(target) : undefined;
    const instead = lease || pod.isPromised ? undefined : this.context.policy.answerInstead(target, request);
    if (instead) events.answer(answeredOf(id, request, part), instead);
    else events.accept(this.streamOf(id, target, request, part), lease);
  }

  private streamOf(id: number, target: ServicePort, request: H2Request, part: 'ends stream' | 'goes on'): H2Stream {
    const stream = new H2Stream(id, target, request, this.context.clock.monotonic());
    stream.clientOver = part === 'ends stream';
    return stream;
  }
}

function answeredOf(id: number, { isGrpc, method }: H2Request, part: 'ends stream' | 'goes on'): Answered {
  return { id, isGrpc, method, clientOver: part === 'ends stream' };
}
