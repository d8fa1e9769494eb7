import type { HoldMoments, ServicePort } from '../exchange';
import { isRepeatable } from '../proxy';
import { FIRST_WINDOW } from './frame';
import type { H2Request, Trailers } from './h2-request';
import type { HeldData } from './held-data';
import type { BodyBacklog } from './pod-backlog';

/** One request and its answer. */
export class H2Stream {
  readonly isGrpc: boolean;
  readonly method: string;
  /** Whether it may be sent again when it was seen in full. */
  readonly isRepeatable: boolean;
  /** Whether the pod has let the client send more than the first window. */
  isWidened = false;
  readonly acceptsEvents: boolean;
  /** Its answer is a stream of events. */
  answersEvents = false;
  /** Neither side sends any more, as far as we have seen. */
  clientOver = false;
  podOver = false;
  answerBegun = false;
  /** Whether it is with the pod. */
  isSent = false;
  /** How often it was sent. */
  sends = 0;
  /** What it waited for, when it came before there was a pod. */
  moments: HoldMoments | undefined;
  /** -1 when the request does not say. */
  readonly contentLength: number;
  /** Whether its answer is to say how long it was held. */
  readonly asksTiming: boolean;
  status: number | undefined;
  /** What came behind the head, as long as the head is kept. */
  heldData: HeldData | undefined;
  heldTrailers: Trailers | undefined;
  heldWindow = 0;
  /** What its window at the pod takes, once it is sent. */
  podTakes = 0;
  /** What of its window went to the pod as padding, which is not kept for the next. */
  sentPadding = 0;
  /** What of its body waits for the windows of the pod. */
  backlog: BodyBacklog | undefined;
  /** What is left of the body that was announced; -1 when nothing was. */
  private bodyLeft: number;

  constructor(
    readonly id: number,
    readonly target: ServicePort,
    /** Until it is sent to the pod; until it is answered, when it can be repeated. */
    public request: H2Request | undefined,
    readonly beganAtMs: number,
  ) {
    this.isGrpc = request?.isGrpc ?? false;
    this.acceptsEvents = request?.acceptsEvents ?? false;
    this.method = request?.method ?? '';
    this.isRepeatable = isRepeatable(this.method);
    this.asksTiming = request?.asksTiming ?? false;
    this.contentLength = request?.contentLength ?? -1;
    this.bodyLeft = this.contentLength;
  }

  /**
   * Whether it may go on for ever. A gRPC call that was sent in full and is not yet answered is most likely a short one.
   */
  get isEndless(): boolean {
    if (!this.isSent) return false;
    if (this.isGrpc) return this.answerBegun || !this.clientOver;
    return this.answersEvents || (this.method === 'CONNECT' && this.answerBegun);
  }

  /** Since when it waits, as long as it was with no pod. */
  get unsentSinceMs(): number | undefined {
    return this.sends === 0 ? this.beganAtMs : undefined;
  }

  /** What it takes to keep it, without its body. */
  get headBytes(): number {
    return (this.request?.size ?? 0) + (this.heldTrailers?.size ?? 0);
  }

  /** What it takes to keep it. */
  get keptBytes(): number {
    return this.headBytes + (this.heldData?.length ?? 0);
  }

  /**
   * Whether a pod that is lost has seen what must not be sent twice. The messages of a gRPC call count one by one, and a body that is as
   * long as was announced is whole, also before its stream ends; but what still waits for the windows of the pod was not seen.
   */
  get isSeen(): boolean {
    if (this.isRepeatable) return false;
    return this.isGrpc || (this.backlog === undefined && (this.clientOver || this.bodyLeft === 0));
  }

  /**
   * Whether it can be sent once more as it was. A client that is still sending must not have been asked for more than the first window, or
   * be about to send less. One whose windows were wide from the start can, until it has sent more than is kept.
   */
  get canBeRepeated(): boolean {
    if (this.request === undefined) return false;
    return this.clientOver || !this.isWidened || (this.contentLength >= 0 && this.contentLength <= FIRST_WINDOW);
  }

  /** It can no longer be sent. */
  forgetRequest(): void {
    this.request = undefined;
    this.heldData = undefined;
    this.heldTrailers = undefined;
  }

  /** False when the body is not as long as the request said. */
  countBody(bytes: number, part: 'goes on' | 'ends'): boolean {
    if (this.bodyLeft < 0) return true;
    if (bytes > this.bodyLeft) return false;
    this.bodyLeft -= bytes;
    return part === 'goes on' || this.bodyLeft === 0;
  }
}
