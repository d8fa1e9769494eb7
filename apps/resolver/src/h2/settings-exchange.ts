import { FIRST_WINDOW } from './frame';
import type { H2Session } from './h2-session';
import { NO_TABLE } from './header-field';
import { HELD_STREAMS, OPEN_STREAMS } from './limits';
import type { Outlet } from './outlet';
import { SETTING, SETTINGS_ACK, settingsForClient, settingsForPod, writeSettings } from './settings-frame';
import type { Settings } from './settings-frame';

const FIRST_TABLE_BYTES = 4_096;

/**
 * Who has told whom of which settings, and whose acknowledgement belongs to whom.
 *
 * The client gets settings and acknowledgements at once, from us as long as there is no pod. Acknowledgements come in order, so those that
 * answer what we said ourselves come first, on either side, and go no further.
 */
export class SettingsExchange {
  private ownAcks = 0;
  private podAcks = 0;
  private swallowedPodAcks = 0;
  private changed = false;
  private toldWindow = false;
  /** Settings of the client's that the pod has yet to acknowledge to it. */
  private clientWaitsFor = 0;

  constructor(private readonly session: H2Session) {}

  greetClient(): void {
    this.ownAcks++;
    this.session.client.tell(writeSettings(new Map([[SETTING.maxConcurrentStreams, HELD_STREAMS]])));
  }

  onClientSettings(settings: Settings): void {
    const { session } = this;
    // Who allows less than everybody does at first must hear that it is kept to, from whoever writes next.
    if ((settings.get(SETTING.headerTableSize) ?? FIRST_TABLE_BYTES) < FIRST_TABLE_BYTES) session.answerLead = NO_TABLE;
    for (const [id, value] of settingsForPod(settings)) session.clientSettings.set(id, value);
    if (session.pod) {
      session.pod.put(writeSettings(settingsForPod(settings)));
      this.clientWaitsFor++;
      return;
    }
    this.changed = true;
    session.client.tell(SETTINGS_ACK);
  }

  /** False when nobody waits for it. */
  onClientAck(): boolean {
    if (this.ownAcks > 0) {
      this.ownAcks--;
      return true;
    }
    if (this.podAcks === 0) return false;
    this.podAcks--;
    this.session.pod?.put(SETTINGS_ACK);
    return true;
  }

  /** What the pod can no longer acknowledge, or hear acknowledged, is between the client and us. */
  onPodLost(): void {
    this.ownAcks += this.podAcks;
    this.podAcks = 0;
    if (this.clientWaitsFor > 0) this.session.client.tell(SETTINGS_ACK.repeat(this.clientWaitsFor));
    this.clientWaitsFor = 0;
  }

  /** Tells a new pod what the client has said so far. */
  greetPod(pod: Outlet): void {
    this.swallowedPodAcks = 0;
    this.tellPod(pod);
  }

  /** The pod has greeted, and gets what the client has said since we greeted it. */
  catchUp(pod: Outlet): void {
    if (this.changed) this.tellPod(pod);
  }

  /** `first` settings of a pod end the smaller limits that the client had while there was none. */
  onPodSettings(settings: Settings, turn: 'first' | 'later'): void {
    const { session } = this;
    const passed = settingsForClient(settings);
    if (turn === 'first' && !passed.has(SETTING.maxConcurrentStreams)) passed.set(SETTING.maxConcurrentStreams, OPEN_STREAMS);
    session.queue.maxStreams = settings.get(SETTING.maxConcurrentStreams) ?? session.queue.maxStreams;
    this.adjustWindow(passed, turn);
    this.followWindow(settings, turn);
    session.maxStreams = Math.max(session.maxStreams, passed.get(SETTING.maxConcurrentStreams) ?? 0);
    session.client.tell(writeSettings(passed));
    this.podAcks++;
    // Wider windows or room for more streams: either may be what something waits for.
    session.sendMore();
  }

  onPodAck(): void {
    if (this.swallowedPodAcks > 0) {
      this.swallowedPodAcks--;
    } else if (this.clientWaitsFor > 0) {
      this.clientWaitsFor--;
      this.session.client.tell(SETTINGS_ACK);
    }
  }

  /**
   * Streams that wait behind others must not be allowed to send all that a pod with wide windows takes, since it would have to be held.
   * The window that every stream begins with stays as it was then, and each gets the rest when it is sent.
   */
  private adjustWindow(passed: Settings, turn: 'first' | 'later'): void {
    const { session } = this;
    const size = passed.get(SETTING.initialWindowSize) ?? (turn === 'first' && this.toldWindow ? FIRST_WINDOW : undefined);
    if (turn === 'first')
      session.queue.streamTopUp = session.queue.unsent.length > session.queue.maxStreams ? Math.max(0, (size ?? 0) - FIRST_WINDOW) : 0;
    if (size === undefined) return;
    this.toldWindow = true;
    passed.set(SETTING.initialWindowSize, Math.max(0, size - session.queue.streamTopUp));
  }

  private followWindow(settings: Settings, turn: 'first' | 'later'): void {
    const { session } = this;
    const size = settings.get(SETTING.initialWindowSize) ?? (turn === 'first' ? FIRST_WINDOW : undefined);
    if (size !== undefined) session.queue.resizeStreams(size);
  }

  private tellPod(pod: Outlet): void {
    pod.put(writeSettings(this.session.clientSettings));
    this.swallowedPodAcks++;
    this.changed = false;
  }
}
