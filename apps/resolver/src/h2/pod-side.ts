import type { Link, LinkOwner } from '../proxy';
import { PREFACE } from './frame';
import { FrameReader } from './frame-reader';
import type { H2Session } from './h2-session';
import { Outlet } from './outlet';
import { PodFrames } from './pod-frames';
import type { PodEvents } from './pod-frames';
import type { SettingsExchange } from './settings-exchange';

/**
 * The connection to the pod, if there is one.
 *
 * Nothing that one pod has said is left when it is forgotten: the next begins anew.
 */
export class PodSide {
  private link: Link | undefined;
  private out: Outlet | undefined;
  private reader = new FrameReader();
  private frames: PodFrames;

  constructor(
    private readonly session: H2Session,
    private readonly events: PodEvents,
  ) {
    this.frames = new PodFrames(session, events);
  }

  get isConnected(): boolean {
    return this.link !== undefined;
  }

  get isCongested(): boolean {
    return this.link?.isCongested ?? false;
  }

  /** The way to a pod that is connected, whether it has greeted or not. */
  get outlet(): Outlet | undefined {
    return this.out;
  }

  connect(link: Link, owner: LinkOwner, settings: SettingsExchange): void {
    this.forget();
    this.link = link;
    this.out = new Outlet(link);
    link.owner = owner;
    this.out.put(PREFACE);
    settings.greetPod(this.out);
    this.out.flush();
  }

  forget(): void {
    this.link = undefined;
    this.out = undefined;
    this.reader = new FrameReader();
    this.frames = new PodFrames(this.session, this.events);
  }

  read(bytes: Buffer, length: number): void {
    if (this.reader.read(bytes, 0, length, this.frames) === 'too large') this.events.onPodFault();
  }

  /** The client's window may have become wider. */
  unblock(): void {
    if (this.frames.isBlocked) this.frames.unblock();
  }

  /** Reads only what the client can take. */
  readFor(client: { readonly isCongested: boolean }): void {
    if (client.isCongested || this.frames.isBlocked) this.link?.pause();
    else this.link?.resume();
  }
}
