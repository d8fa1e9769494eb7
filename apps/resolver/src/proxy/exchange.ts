import { serverTiming } from '../exchange';
import type { LeaseOutcome, PodLease, ServicePort } from '../exchange';
import type { PlainAnswer, ResponseHead } from '../http1';
import { BODY_FAULT, writeResponseHead, writeSwitchHead } from '../http1';
import type { ClientSide, OutgoingRequest } from './client-side';
import { FAILURES } from './failures';
import { OutgoingBody } from './outgoing-body';
import { PodSearch } from './pod-search';
import type { PodSeeker } from './pod-search';
import type { ProxyContext } from './proxy-context';
import { HELD_BODY_BYTES, KEPT_LIMIT_BYTES } from './proxy-settings';
import { decideRetry, isRepeatable } from './retry-rules';
import { StartingPods } from './starting-pods';
import { Tunnel } from './tunnel';
import type { UpstreamConnection, UpstreamUser } from './upstream-connection';

const NO_BYTES = Buffer.alloc(0);

/**
 * One request on its way to a pod, and the answer on its way back.
 *
 * Holds at most one lease and one connection at a time and gives up both exactly once, however it ends. Until the first byte of an
 * answer, a lost pod is replaced as the retry rules allow; the client never sees that.
 */
export class Exchange implements UpstreamUser, PodSeeker {
  private state: 'running' | 'tunnel' | 'over' = 'running';
  private lease: PodLease | undefined;
  private upstream: UpstreamConnection | undefined;
  private connected = false;
  private closes = false;
  private status: number | undefined;
  private lostSends = 0;
  /** A connection was lost with this request: kept ones of the same pod may be as dead, so the next is a new one. */
  private mustDial = false;
  /** What may be kept while this waits at the gate, and is counted there. */
  private keptBytes: number;
  private search: PodSearch | undefined;
  private tunnel: Tunnel | undefined;
  private startingPods: StartingPods | undefined;
  /** Requests without one are over with their head. */
  private readonly body: OutgoingBody | undefined;
  private readonly beganAtMs: number;

  constructor(
    private readonly client: ClientSide,
    private readonly context: ProxyContext,
    private readonly target: ServicePort,
    private readonly request: OutgoingRequest,
  ) {
    this.keptBytes = Math.min(request.bodyBytes, HELD_BODY_BYTES);
    this.body = request.framing && new OutgoingBody(request.framing, isRepeatable(request.method) ? 'repeatable' : 'only unfinished');
    this.beganAtMs = context.clock.monotonic();
    context.listener.began(target);
  }

  /** Begins with the bytes that follow the head, and gives the index of the first that was not used. */
  start(lease: PodLease | undefined, bytes: Buffer, start: number, end: number): number {
    if (lease === undefined) {
      this.expectKept(end - start);
      this.lookForPod();
      return start;
    }
    return this.goTo(lease) ? this.send(bytes, start, end) : start;
  }

  /** More bytes from the client; gives the index of the first that was not used. */
  onBytes(bytes: Buffer, start: number, end: number): number {
    if (!this.connected || this.requestOver || this.state !== 'running') return start;
    return this.sendBody('', bytes, start, end);
  }

  /** So much is kept of what came before its turn. What comes behind a held request is counted as well, once there is any. */
  onKept(lengthBytes: number): void {
    const waits = this.state === 'running' && this.search !== undefined && this.lease === undefined;
    if (this.expectKept(lengthBytes) && waits) this.lookForPod();
  }

  onClientDrain(): void {
    this.upstream?.link.resume();
  }

  /** The client is gone. */
  leave(): void {
    if (this.state === 'tunnel') this.tunnel?.close();
    else this.finish('done', 'destroy');
  }

  onLease(lease: PodLease): void {
    if (this.goTo(lease)) this.onConnected();
  }

  onNoPod(answer: PlainAnswer): void {
    this.fail(answer, 'done');
  }

  onConnected(): void {
    this.connected = true;
    const pending = this.client.pending.take() ?? NO_BYTES;
    const used = this.send(pending, 0, pending.length);
    this.client.pending.putBack(pending, used);
    this.client.onPressure(this.upstream?.link.isCongested ? 'rising' : 'gone');
  }

  /** Whether the client is expected to send more of its body, and it would be sent on. */
  get awaitsBody(): boolean {
    return this.state === 'running' && this.connected && !this.requestOver;
  }

  /** Whether the pod has not taken all that was written to it, be it the last of a body, after which nobody asks. */
  get isPodFull(): boolean {
    return this.upstream?.link.isCongested === true;
  }

  /** Whether what is left of the body, which begins with `bytes`, surely takes no more than this. */
  isBodyWithin(limitBytes: number, bytes: Buffer): boolean {
    return this.body?.isWithin(limitBytes, bytes) === true;
  }

  /** The client neither sends what it owes nor takes what it is owed, or the pod does not take the body. */
  onStalled(who: 'client' | 'pod'): void {
    if (who === 'client') this.fail(FAILURES.bodyStalled(this.target), 'done');
    else this.fail(FAILURES.bodyUntaken(this.target), 'broken');
  }

  /** Ends a tunnel or a stream of events, which have no end of their own; everything else goes on. */
  endStream(): void {
    if (this.state === 'tunnel') this.tunnel?.end(this.context.settings.lingerMs);
    else if (this.upstream?.answersEvents && this.finish('done', 'destroy')) this.client.onExchangeOver('close');
  }

  onUpstreamDrain(): void {
    this.client.onPressure('gone');
  }

  onGiven(): void {
    this.body?.onGiven();
  }

  onUpstreamEnd(answer: 'complete' | 'cut off' | 'none'): void {
    const { upstream, connected, lease } = this;
    this.upstream = undefined;
    this.connected = false;
    this.client.onPressure('gone');
    if (answer === 'complete') this.complete('destroy');
    else if (answer === 'cut off' || lease === undefined || upstream === undefined) this.breakOff();
    else this.retry(lease, upstream, connected);
  }

  onInterim(head: ResponseHead): void {
    this.lease?.answered?.();
    this.body?.onAnswer();
    if (this.request.minorVersion === 1) this.client.link.write(writeResponseHead(head, 'unsaid'));
  }

  onSwitch(head: ResponseHead, bytes: Buffer, start: number, end: number): void {
    const { client, upstream } = this;
    if (this.request.upgrade === '' || head.fields.upgrade === '' || !this.requestOver || upstream === undefined) {
      this.onBadAnswer();
      return;
    }
    this.state = 'tunnel';
    this.status = 101;
    this.lease?.answered?.();
    client.link.writeWith(writeSwitchHead(head), bytes, start, end);
    const early = client.pending.take();
    const link = upstream.detach();
    if (early) link.writeBytes(early, 0, early.length);
    client.onSwitched();
    const { deadlines, settings } = this.context;
    const onOver = () => {
      this.finish('done', 'destroy');
      client.onTunnelOver();
    };
    this.tunnel = new Tunnel(client.link, link, onOver, { deadlines, oneWayMs: settings.stalledClientMs });
  }

  onAnswer(head: ResponseHead, bytes: Buffer, start: number, end: number): void {
    const { request, client, upstream } = this;
    if (head.fields.chunked && request.minorVersion === 0) {
      this.onBadAnswer();
      return;
    }
    this.lease?.answered?.();
    this.body?.onAnswer();
    this.status = head.status;
    this.closes = this.mustClose(upstream?.answerEndsWithConnection === true);
    const persistence = this.closes ? 'close' : request.minorVersion === 1 ? 'unsaid' : 'keep-alive';
    const timing = request.timing === 'asked for' ? `Server-Timing: ${serverTiming(this.search?.moments)}\r\n` : '';
    if (!client.link.writeWith(writeResponseHead(head, persistence, timing), bytes, start, end)) upstream?.link.pause();
  }

  onAnswerBody(bytes: Buffer, start: number, end: number): void {
    if (!this.client.link.writeBytes(bytes, start, end)) this.upstream?.link.pause();
  }

  onAnswerOver(reusable: boolean): void {
    // A pod that is tired of waiting says 408, asked or not: the answer to what was asked may still follow.
    const isFit = reusable && this.requestOver && this.upstream?.link.isAllGiven === true && this.status !== 408;
    this.complete(isFit ? 'rest' : 'destroy');
  }

  onBadAnswer(): void {
    this.lease?.answered?.();
    this.fail(FAILURES.badAnswer(this.target), 'broken');
  }

  private get requestOver(): boolean {
    return this.body === undefined || this.body.isOver;
  }

  private mustClose(endsWithConnection: boolean): boolean {
    if (endsWithConnection || !this.request.keepsAlive || !this.requestOver) return true;
    if (this.client.pending.holdsRequest) return false;
    return this.context.isDraining() || this.context.policy.isMovingOn(this.target);
  }

  /** True when the connection is there and can be written to. */
  private goTo(lease: PodLease): boolean {
    this.lease = lease;
    const { pools } = this.context;
    const kept = this.mustDial ? undefined : pools.take(lease, isRepeatable(this.request.method) ? 'any' : 'fresh');
    this.upstream = kept ?? pools.dial(lease);
    this.upstream.serve(this, this.request.method);
    this.connected = kept !== undefined;
    return this.connected;
  }

  private send(bytes: Buffer, start: number, end: number): number {
    const { upstream, request } = this;
    if (upstream === undefined) return start;
    this.search?.markSent();
    if (this.body !== undefined) return this.sendWithBody(upstream, this.body, bytes, start, end);
    upstream.link.write(request.head);
    return start;
  }

  private sendWithBody(upstream: UpstreamConnection, body: OutgoingBody, bytes: Buffer, start: number, end: number): number {
    const { head } = this.request;
    if (body.isUnsent) return this.sendBody(head, bytes, start, end);
    upstream.link.write(head);
    body.sendAgain(upstream.link);
    if (!body.isOver) return this.sendBody('', bytes, start, end);
    if (upstream.link.isAllGiven) body.onGiven();
    return start;
  }

  private sendBody(head: string, bytes: Buffer, start: number, end: number): number {
    const { upstream, body, client } = this;
    if (upstream === undefined || body === undefined) return start;
    const to = body.take(bytes, start, end, client.link.isShared(bytes) ? 'shared' : 'lasting');
    if (to === BODY_FAULT) {
      this.context.listener.refused?.(this.target, 'malformed');
      this.fail(FAILURES.badChunk(), 'done');
      return end;
    }
    const { link } = upstream;
    const taken = head === '' ? link.writeBytes(bytes, start, to) : link.writeWith(head, bytes, start, to);
    if (!taken) client.onPressure('rising');
    if (link.isAllGiven) body.onGiven();
    return to;
  }

  private retry(lease: PodLease, upstream: UpstreamConnection, connected: boolean): void {
    upstream.link.withdraw();
    const podIsStarting = (this.startingPods ??= new StartingPods()).forgives(lease);
    const decision = decideRetry({
      connected,
      reused: upstream.reused,
      sentWhole: this.requestOver && upstream.link.isAllGiven,
      replayable: this.body?.isReplayable ?? true,
      method: this.request.method,
      lostBefore: this.lostSends,
      podIsStarting,
    });
    if (decision === 'give up') {
      this.breakOff();
      return;
    }
    this.mustDial ||= connected;
    if (connected && !podIsStarting) this.lostSends++;
    if (decision === 'same pod') {
      this.goTo(lease);
      return;
    }
    this.lease = undefined;
    // A pod that took the connection lost this one request, which is no reason for others to avoid it, unless it answers nobody.
    lease.release(connected ? 'broken' : 'refused');
    this.lookForPod(lease.podKey);
  }

  private lookForPod(lostBy?: string): void {
    const search = (this.search ??= new PodSearch(this.context, this.target, this));
    if (lostBy !== undefined) search.avoid(lostBy);
    search.wait(this.request.head.length + this.keptBytes);
  }

  /** True when this is more than was reckoned with. */
  private expectKept(lengthBytes: number): boolean {
    if (lengthBytes <= this.keptBytes) return false;
    this.keptBytes = KEPT_LIMIT_BYTES;
    return true;
  }

  /** The pod is lost, and the request with it. */
  private breakOff(): void {
    this.fail(FAILURES.podLost(this.target), 'broken');
  }

  /** Gives an answer of our own, or, where the pod's has begun, breaks that off. */
  private fail(answer: PlainAnswer, outcome: LeaseOutcome): void {
    const begun = this.status !== undefined;
    this.status ??= answer.status;
    const persistence = this.requestOver && this.request.keepsAlive ? 'keep-alive' : 'close';
    if (!this.finish(outcome, 'destroy')) return;
    if (outcome === 'broken') this.context.listener.lost?.(this.target);
    if (begun) this.client.onBroken();
    else this.client.onOwnAnswer(answer, persistence);
  }

  private complete(upstream: 'rest' | 'destroy'): void {
    if (this.finish('done', upstream)) this.client.onExchangeOver(this.closes ? 'close' : 'keep-alive');
  }

  private finish(outcome: LeaseOutcome, fate: 'rest' | 'destroy'): boolean {
    if (this.state === 'over') return false;
    this.state = 'over';
    this.search?.stop();
    const { upstream, lease } = this;
    this.upstream = undefined;
    this.lease = undefined;
    if (fate === 'rest') upstream?.rest();
    else upstream?.destroy();
    lease?.release(outcome);
    this.context.listener.ended(this.target, this.status, this.beganAtMs);
    return true;
  }
}
