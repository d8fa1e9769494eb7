import type { Timer } from '@elasti/operator-kit';

import { serverTiming } from '../exchange';
import type { LeaseOutcome, OwnAnswer, PodLease } from '../exchange';
import type { Link, LinkOwner, ProxyContext } from '../proxy';
import { H2_ERROR, writeRstStream } from './frame';
import type { H2Session } from './h2-session';
import type { H2Stream } from './h2-stream';
import type { Answered } from './own-answer';
import { nameOf, PodEntry } from './pod-entry';
import type { PodSeeker } from './pod-entry';
import type { PodEvents } from './pod-frames';
import { PodSide } from './pod-side';
import type { RequestRouting } from './request-routing';
import type { SettingsExchange } from './settings-exchange';
import type { Settings } from './settings-frame';
import { UnsentLimit } from './unsent-limit';

/** The connection that a pod serves. */
export interface ServedClient {
  readonly isOpen: boolean;
  answer(to: Answered, answer: OwnAnswer): void;
  /** What was said to either side is to leave. */
  flush(): void;
  /** Something of the pod's was read. */
  onPodRead(): void;
  /** The pod takes what it is sent, or is a new one, which owes nothing. */
  onPodTakes(): void;
  goAway(): void;
  /** Ends it so that the client cannot take it for a proper end. */
  cut(): void;
}

/**
 * The pod that serves a client connection: found, met, lost or left, and another in its place.
 *
 * When the pod is lost, what can be repeated goes to another; the rest is answered in its own way, and a connection with nothing else is
 * told to go. No stream is left without either.
 */
export class ServingPod implements PodSeeker, PodEvents {
  private readonly entry: PodEntry;
  private readonly side: PodSide;
  private readonly unsentLimit: UnsentLimit;
  private parting: Timer | undefined;

  constructor(
    private readonly context: ProxyContext,
    private readonly session: H2Session,
    private readonly settings: SettingsExchange,
    private readonly routing: RequestRouting,
    private readonly client: ServedClient,
  ) {
    this.entry = new PodEntry(context, this);
    this.side = new PodSide(session, this);
    const onTimedOut = (stream: H2Stream, waitedMs: number): void => this.onTimedOut(stream, waitedMs);
    this.unsentLimit = new UnsentLimit(context.clock, session.queue, this.entry, onTimedOut);
  }

  /** Nothing is there and nothing is sought. */
  get isNone(): boolean {
    return this.entry.isIdle;
  }

  /** Whether a pod was promised. */
  get isPromised(): boolean {
    return this.entry.hasLease;
  }

  get podKey(): string | undefined {
    return this.entry.podKey;
  }

  get isCongested(): boolean {
    return this.side.isCongested;
  }

  /** Serves one more stream, which the session knows already; with the place that it was given, if it was. */
  serve(stream: H2Stream, lease: PodLease | undefined): void {
    if (!this.entry.isJoined) {
      this.entry.ask(stream, lease);
      return;
    }
    this.touch();
    this.unsentLimit.begin();
  }

  onHeldMore(stream: H2Stream, bytes: number): void {
    this.entry.grow(stream, bytes);
  }

  onStreamOver(stream: H2Stream): void {
    this.entry.drop(stream);
    this.touch();
  }

  /** Nobody waits for a pod any more: the place in the queue is free. */
  giveUp(): void {
    this.entry.leave('done');
    this.side.forget();
  }

  /** The client's window may have become wider. */
  unblock(): void {
    this.side.unblock();
  }

  /** Reads only what the client can take. */
  readFor(client: { readonly isCongested: boolean }): void {
    this.side.readFor(client);
  }

  onPodConnected(link: Link): void {
    const owner: LinkOwner = {
      onBytes: (bytes, length) => {
        this.side.read(bytes, length);
        this.client.onPodRead();
      },
      onDrain: () => {
        this.client.onPodTakes();
        this.session.queue.sendWaiting();
        this.client.flush();
      },
      onEnd: () => this.onLost(),
      onClosed: () => this.onLost(),
    };
    this.client.onPodTakes();
    this.side.connect(link, owner, this.settings);
  }

  onNoPod(stream: H2Stream, answer: OwnAnswer): void {
    this.client.answer(stream, answer);
    this.client.flush();
  }

  /** The pod's first settings show that it speaks HTTP/2, so everything held goes to it. */
  onPodSettings(settings: Settings): void {
    const { session } = this;
    const { outlet } = this.side;
    const { passage } = this.routing;
    const isFirst = session.pod === undefined;
    this.settings.onPodSettings(settings, isFirst ? 'first' : 'later');
    if (!isFirst || outlet === undefined || passage === undefined) return;
    this.entry.join();
    this.settings.catchUp(outlet);
    session.join(outlet, passage);
    this.unsentLimit.begin();
  }

  onPodWidened(): void {
    if (this.session.sendMore()) this.client.onPodTakes();
  }

  onPodSettingsAck(): void {
    this.settings.onPodAck();
  }

  timingOf(stream: H2Stream): string {
    return serverTiming(stream.moments);
  }

  /** The client is told to go in our own way, for what it has sent is still served: by this pod, or by another when this one is done. */
  onPodFarewell(lastStreamId: number): void {
    for (const stream of this.session.queue.partFromPod(lastStreamId)) this.refuse(stream);
    this.client.goAway();
    if (!this.client.isOpen) return;
    this.parting ??= this.context.clock.after(this.context.settings.lingerMs, () => this.refuseUnsent());
  }

  onPodRefused(stream: H2Stream): void {
    if (!this.session.queue.retract(stream)) this.refuse(stream);
  }

  onPodDropped(stream: H2Stream): void {
    if (stream.isSent) this.context.listener.lost?.(stream.target);
    this.session.end(stream);
  }

  onPodFault(): void {
    this.breakOff('the pod does not speak valid HTTP/2');
  }

  /** The pod is lost, and with it what it has begun to answer; the rest goes to another. */
  breakOff(reason: string, status: 502 | 504 = 502): void {
    const { session, entry, client } = this;
    if (!client.isOpen) return;
    const { podKey } = entry;
    const wasFound = session.pod !== undefined;
    this.leave(session.streams.size > 0 ? 'broken' : 'done');
    this.side.forget();
    const lost = session.queue.losePod();
    if (session.client.isInsideBlock) {
      for (const { target } of session.streams.values()) this.context.listener.lost?.(target);
      client.cut();
      return;
    }
    for (const stream of wasFound ? lost : [...session.streams.values()]) this.fail(stream, reason, status);
    this.seekAgain(podKey);
    // What it sends until it has heard is served, for it may have been on its way already.
    if (session.streams.size === 0) client.goAway();
  }

  /** A pod that has said good-bye and has ended what it answers makes way for another. */
  changeIfDone(): void {
    if (!this.session.queue.isPodDone) return;
    const { podKey } = this.entry;
    this.leave('done');
    this.side.forget();
    this.session.queue.losePod();
    this.seekAgain(podKey);
  }

  /** Gives up the place at the pod. */
  leave(outcome: LeaseOutcome): void {
    this.parting?.cancel();
    this.parting = undefined;
    this.unsentLimit.stop();
    // What is cut short was in use until now.
    if (this.session.streams.size > 0) this.touch();
    this.entry.leave(outcome);
  }

  private touch(): void {
    this.entry.touch(this.session.streams.size);
  }

  private seekAgain(lostPod: string | undefined): void {
    // One that was about to go has closed with its last stream.
    if (!this.client.isOpen) return;
    this.settings.onPodLost();
    this.session.losePings();
    for (const stream of [...this.session.streams.values()]) this.entry.ask(stream, undefined, lostPod);
    this.client.flush();
  }

  private onLost(): void {
    if (!this.client.isOpen || !this.side.isConnected) return;
    if (this.session.pod === undefined) {
      this.side.forget();
      this.entry.lost();
      return;
    }
    this.breakOff('the pod closed the connection before its answer was whole');
  }

  private onTimedOut(stream: H2Stream, waitedMs: number): void {
    const waited = `waited ${Math.round(waitedMs / 1_000)} s for room at the pod`;
    this.context.listener.refused?.(stream.target, 'timed out');
    this.onNoPod(stream, { status: 504, text: `${nameOf(stream.target)}: timed out: ${waited}` });
  }

  private fail(stream: H2Stream, reason: string, status: number): void {
    const text = `${nameOf(stream.target)}: ${reason}`;
    if (!stream.podOver) this.context.listener.lost?.(stream.target);
    if (stream.answerBegun) this.session.cutOff(stream, text);
    else this.client.answer(stream, { status, text });
  }

  /** By this its client knows that it may send the request again. */
  private refuse(stream: H2Stream): void {
    if (stream.isSent) this.context.listener.lost?.(stream.target);
    this.session.client.tell(writeRstStream(stream.id, H2_ERROR.refusedStream));
    this.session.end(stream);
  }

  /** The pod that says good-bye has streams that may go on for ever. What waits behind them is served sooner on another connection. */
  private refuseUnsent(): void {
    const { session } = this;
    if (!this.client.isOpen || session.pod === undefined) return;
    session.podLastStreamId = Math.min(session.podLastStreamId, session.lastStreamId);
    for (const stream of [...session.queue.unsent]) this.refuse(stream);
    this.client.flush();
  }
}
