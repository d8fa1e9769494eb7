import type { OwnAnswer, PodLease, ServicePort } from '../exchange';
import type { Link, LinkOwner, ProxyContext, TakenConnection } from '../proxy';
import { ClientFrames } from './client-frames';
import type { ClientEvents } from './client-frames';
import { ClientOutlet } from './client-outlet';
import { H2Patience } from './h2-patience';
import type { Debtor } from './h2-patience';
import { Farewell } from './farewell';
import { FloodGuard } from './flood-guard';
import { H2_ERROR, PREFACE, writeGoaway } from './frame';
import type { H2ErrorCode } from './frame';
import { FrameReader } from './frame-reader';
import type { H2Request } from './h2-request';
import { H2Session } from './h2-session';
import type { H2Stream } from './h2-stream';
import { UNTAKEN_BYTES } from './limits';
import type { Answered } from './own-answer';
import { nameOf } from './pod-entry';
import { RequestIntake } from './request-intake';
import type { IntakeEvents } from './request-intake';
import { RequestRouting } from './request-routing';
import { ServingPod } from './serving-pod';
import type { ServedClient } from './serving-pod';
import { SettingsExchange } from './settings-exchange';

/**
 * A client's HTTP/2 connection, from its preface to its end.
 *
 * The client is greeted and its settings are acknowledged at once, whether a pod is there or not. Every request is answered, by the one pod
 * that serves the connection or by us. A client that is to go is told so, and what it has sent by then is still served.
 */
export class H2Connection implements LinkOwner, TakenConnection, ClientEvents, IntakeEvents, ServedClient {
  private state: 'open' | 'closing' | 'closed' = 'open';
  private readonly session: H2Session;
  private readonly settings: SettingsExchange;
  private readonly clientReader = new FrameReader();
  private readonly clientFrames: ClientFrames;
  private readonly routing: RequestRouting;
  private readonly pod: ServingPod;
  private readonly intake: RequestIntake;
  private readonly farewell: Farewell;
  private readonly patience: H2Patience;

  constructor(
    private readonly link: Link,
    private readonly context: ProxyContext,
    target: ServicePort | undefined,
    private readonly onGone: (connection: TakenConnection) => void,
  ) {
    const guard = new FloodGuard(context.clock);
    this.session = new H2Session(new ClientOutlet(link), guard, context.listener, (stream) => this.onStreamOver(stream));
    this.routing = new RequestRouting(context.policy, target, () => link.remoteAddress);
    this.settings = new SettingsExchange(this.session);
    this.clientFrames = new ClientFrames(this.session, this.settings, this);
    this.pod = new ServingPod(context, this.session, this.settings, this.routing, this);
    this.intake = new RequestIntake(context, this.session, this.routing, this.pod, this);
    this.farewell = new Farewell(this.session);
    this.patience = new H2Patience(context, () => this.onExpired());
    link.owner = this;
  }

  get isOpen(): boolean {
    return this.state === 'open';
  }

  start(firstBytes: Buffer): void {
    this.settings.greetClient();
    this.readClient(firstBytes, PREFACE.length, firstBytes.length);
  }

  onBytes(bytes: Buffer, length: number): void {
    if (this.state === 'open') this.readClient(bytes, 0, length);
  }

  onDrain(): void {
    this.session.client.onTaken();
    this.patience.onTaken('client');
    this.adjustReading();
  }

  onEnd(): void {
    if (this.state === 'open') this.destroy();
  }

  onClosed(): void {
    this.leave();
  }

  destroy(): void {
    this.link.destroy();
    this.leave();
  }

  cut(): void {
    this.link.reset();
    this.leave();
  }

  /** The process drains: the client is told to go, and goes once its streams are over. */
  closeIfIdle(): void {
    this.goAway();
  }

  endStream(): void {
    for (const stream of [...this.session.streams.values()]) {
      if (stream.isEndless) this.session.finish(stream, `${nameOf(stream.target)}: this resolver ends, another takes the call`);
    }
    this.flush();
  }

  leavePod(podKey: string): void {
    if (this.pod.podKey === podKey) this.goAway();
  }

  onRequest(id: number, request: H2Request, part: 'ends stream' | 'goes on'): void {
    this.intake.take(id, request, part);
  }

  accept(stream: H2Stream, lease: PodLease | undefined): void {
    this.session.begin(stream);
    this.beginLimit();
    this.pod.serve(stream, lease);
    if (this.context.isDraining() || this.routing.isMovingOn) this.goAway();
  }

  onHeldMore(stream: H2Stream, bytes: number): void {
    this.pod.onHeldMore(stream, bytes);
  }

  isOwnPing(payload: string): boolean {
    if (!this.farewell.hear(payload)) return false;
    this.finishIfDone();
    return true;
  }

  onWindow(): void {
    this.pod.unblock();
  }

  onMalformed(): void {
    this.context.listener.refused?.(this.routing.knownTarget, 'malformed');
  }

  onFault(code: H2ErrorCode): void {
    this.onMalformed();
    this.close(code);
  }

  onPodRead(): void {
    this.followBlocks();
    this.flush();
  }

  onPodTakes(): void {
    this.patience.onTaken('pod');
  }

  /** An answer of our own. One that closes the connections of HTTP/1 tells the client to go here, and so does any while we drain. */
  answer(to: Answered, answer: OwnAnswer): void {
    this.session.answer(to, answer);
    if (answer.persistence === 'close' || this.context.isDraining()) this.goAway();
  }

  goAway(): void {
    if (this.state !== 'open' || this.farewell.isSaid) return;
    this.farewell.say();
    this.beginLimit();
    this.session.client.flush();
  }

  flush(): void {
    if (this.state !== 'open') return;
    this.pod.changeIfDone();
    this.session.pod?.flush();
    this.session.client.flush();
    this.adjustReading();
  }

  /** Closing with bytes unread would reset the connection and could take our last frames from the client. */
  close(code: H2ErrorCode): void {
    const { session, link, patience } = this;
    if (this.state !== 'open') return;
    session.client.tell(writeGoaway(Math.min(session.lastStreamId, session.podLastStreamId), code));
    session.client.flush();
    this.state = 'closing';
    this.pod.leave('done');
    this.session.endAll();
    patience.beginEnd('untaken');
    link.end(() => patience.beginEnd('taken'));
    link.resume();
  }

  private onExpired(): void {
    if (this.state === 'closing') this.destroy();
    else if (this.clientFrames.isInsideBlock && !this.pod.isCongested) this.onFault(H2_ERROR.enhanceYourCalm);
    else if (this.session.client.isInsideBlock && !this.link.isCongested)
      this.pod.breakOff('the pod did not end the head of its answer in time');
    else this.judge();
  }

  private judge(): void {
    this.patience.excuseBlock();
    if (this.session.streams.size > 0) this.judgeStall();
    else if (!this.farewell.isSaid) this.goAway();
    else this.destroy();
  }

  private judgeStall(): void {
    const { debtor } = this;
    const isOver = this.patience.isStalled(debtor);
    this.beginLimit();
    if (!isOver) return;
    if (debtor === 'client') this.destroy();
    else this.pod.breakOff('the pod did not take the request body in time', 504);
  }

  /** A pod whose client takes nothing is not read, and may not take more before it is. */
  private get debtor(): Debtor {
    if (this.link.isCongested) return 'client';
    return this.pod.isCongested || this.session.backlog.isFull ? 'pod' : 'nobody';
  }

  private beginLimit(): void {
    if (this.state !== 'open') return;
    if (this.session.streams.size > 0) this.patience.begin('streams');
    else this.patience.begin(this.farewell.isSaid ? 'leaving' : 'nothing');
  }

  private readClient(bytes: Buffer, start: number, end: number): void {
    if (this.clientReader.read(bytes, start, end, this.clientFrames) === 'too large') this.onFault(H2_ERROR.frameSize);
    if (this.state !== 'open') return;
    this.followBlocks();
    this.flush();
  }

  private followBlocks(): void {
    if (this.state !== 'open') return;
    if (!this.patience.blockEnded(this.clientFrames.isInsideBlock || this.session.client.isInsideBlock)) return;
    this.beginLimit();
    this.finishIfDone();
  }

  /** Each side is read only as fast as the other takes it; a client that takes none of our own answers is not read either. */
  private adjustReading(): void {
    if (this.state !== 'open') return;
    const { link, pod, session } = this;
    if (!link.isCongested) session.client.onTaken();
    if (pod.isCongested || session.backlog.isFull || session.client.untakenBytes > UNTAKEN_BYTES) link.pause();
    else link.resume();
    pod.readFor(link);
  }

  private onStreamOver(stream: H2Stream): void {
    const { session, pod, context } = this;
    pod.onStreamOver(stream);
    if (this.state !== 'open' || session.streams.size > 0) return;
    this.beginLimit();
    if (session.pod === undefined) pod.giveUp();
    else if (context.isDraining() || this.routing.isMovingOn) this.goAway();
    this.finishIfDone();
  }

  private finishIfDone(): void {
    if (this.state !== 'open' || !this.farewell.isHeard || this.session.streams.size > 0) return;
    // A stream may be over before the last header block of its answer is.
    if (!this.session.client.isInsideBlock) this.close(H2_ERROR.none);
  }

  private leave(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.patience.stop();
    this.pod.leave('done');
    this.session.endAll();
    this.onGone(this);
  }
}
