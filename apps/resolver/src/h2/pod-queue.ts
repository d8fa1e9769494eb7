import type { Passage } from '../http1';
import type { ClientOutlet } from './client-outlet';
import type { ConnectionWindows } from './connection-windows';
import { FIRST_WINDOW, writeHeaderBlock, writeWindowUpdate } from './frame';
import type { H2Stream } from './h2-stream';
import { NO_TABLE } from './header-field';
import { UNFLUSHED_BYTES } from './limits';
import type { Outlet } from './outlet';
import type { PodBacklog } from './pod-backlog';
import type { RequestMemory } from './request-memory';

/**
 * The streams of one connection on their way to its pod.
 *
 * They are sent in the order they came, because the numbers of streams must rise, and no faster than the pod takes them. What a lost pod
 * did not answer is sent to the next if it can be repeated.
 */
export class PodQueue {
  /** How many streams the pod takes at a time. */
  maxStreams = Infinity;
  /** How much more of a stream's window the pod gives than the client was told; it is told when its stream is sent. */
  streamTopUp = 0;
  /**
   * The widest window that any pod gave each stream: what a client may send of one that was not widened by itself. It stays when the next
   * pod takes less, for nobody knows what the client has sent before it hears of that.
   */
  widestWindow = FIRST_WINDOW;
  /** The window that the pod gives each stream. */
  private streamWindow = FIRST_WINDOW;
  private outlet: Outlet | undefined;
  private passage: Passage | undefined;
  /** Streams that were not sent yet, in order. */
  private readonly waiting: H2Stream[] = [];
  private atPod = 0;
  /** The pod takes no more streams. */
  private podLeaves = false;
  private blockLead = NO_TABLE;

  constructor(
    private readonly streams: ReadonlyMap<number, H2Stream>,
    private readonly client: ClientOutlet,
    private readonly memory: RequestMemory,
    private readonly windows: ConnectionWindows,
    private readonly backlog: PodBacklog,
  ) {}

  /** The way to the pod, once there is one. */
  get pod(): Outlet | undefined {
    return this.outlet;
  }

  /** Streams that wait to be sent. */
  get unsent(): readonly H2Stream[] {
    return this.waiting;
  }

  /** The pod takes no more streams, has none left, and has said all. */
  get isPodDone(): boolean {
    return this.podLeaves && this.atPod === 0 && !this.client.isInsideBlock;
  }

  /** The stream goes to the pod as soon as there is one that takes more. */
  add(stream: H2Stream): void {
    this.waiting.push(stream);
    this.sendWaiting();
  }

  /** The stream is over. */
  remove(stream: H2Stream): void {
    if (stream.isSent) this.atPod--;
    else this.waiting.splice(this.waiting.indexOf(stream), 1);
  }

  /** The pod gives each stream a window of this size, also those that it has. */
  resizeStreams(window: number): void {
    const growth = window - this.streamWindow;
    this.streamWindow = window;
    this.widestWindow = Math.max(this.widestWindow, window);
    if (growth === 0) return;
    for (const stream of this.streams.values()) if (stream.isSent) stream.podTakes += growth;
  }

  /** A pod is there: what was held goes to it, as far as it takes more streams. */
  join(pod: Outlet, passage: Passage): void {
    this.outlet = pod;
    this.passage = passage;
    this.blockLead = NO_TABLE;
    this.sendWaiting();
  }

  /** The pod is lost. What it was not sent, or can be sent again, waits for the next; gives the rest. */
  losePod(): H2Stream[] {
    this.outlet = undefined;
    this.maxStreams = Infinity;
    this.streamWindow = FIRST_WINDOW;
    this.podLeaves = false;
    return this.takeBackFrom([...this.streams.values()].filter(({ isSent }) => isSent));
  }

  /**
   * The pod takes no more, and did nothing for streams above this one: what can be sent again waits for the next; gives the rest. It is
   * done when it has answered the others.
   */
  partFromPod(lastStreamId: number): H2Stream[] {
    this.podLeaves = true;
    return this.takeBackFrom(
      [...this.streams.values()].filter(({ isSent, answerBegun, id }) => isSent && !answerBegun && id > lastStreamId),
    );
  }

  /**
   * The pod did nothing for this stream, which waits for the next if there is nothing else that this one answers: on the same connection
   * no number can be used again. False when it cannot.
   */
  retract(stream: H2Stream): boolean {
    if (this.atPod > 1 || !stream.canBeRepeated) return false;
    this.podLeaves = true;
    this.takeBackFrom([stream]);
    return true;
  }

  /** A head is written for the pod only when the pod takes what it gets: a few bytes of the client's can become many. */
  sendWaiting(): void {
    const { outlet, passage } = this;
    while (outlet && passage && this.atPod < this.maxStreams && !outlet.isCongested && !this.podLeaves) {
      if (outlet.unflushedBytes > UNFLUSHED_BYTES) {
        outlet.flush();
        continue;
      }
      const stream = this.waiting[0];
      if (stream?.request === undefined || !this.mayBegin(stream)) return;
      this.waiting.shift();
      this.send(outlet, stream, this.lead() + stream.request.blockFor(passage));
    }
  }

  /**
   * A body is begun as soon as a part of it fits. Some are begun before that, for requests without a body must not wait behind them; the
   * others wait here, where they are kept only once.
   */
  private mayBegin({ heldData }: H2Stream): boolean {
    return heldData === undefined || this.windows.podTakes > 0 || this.backlog.hasRoomFor(heldData.length);
  }

  private send(pod: Outlet, stream: H2Stream, block: string): void {
    const { heldData, heldTrailers } = stream;
    const dataIsAll = stream.clientOver && heldTrailers === undefined;
    const headIsAll = dataIsAll && heldData === undefined;
    pod.put(writeHeaderBlock(stream.id, block, headIsAll ? 'ends stream' : 'goes on'));
    if (stream.heldWindow > 0) pod.put(writeWindowUpdate(stream.id, stream.heldWindow));
    stream.podTakes = this.streamWindow;
    if (heldData && !this.backlog.trySpend(stream, heldData.length)) {
      this.backlog.addAll(stream, heldData, heldTrailers?.block);
    } else {
      heldData?.sendTo(pod, stream.id, dataIsAll ? 'ends stream' : 'goes on');
      if (heldTrailers !== undefined) pod.put(writeHeaderBlock(stream.id, heldTrailers.block, 'ends stream'));
    }
    if (this.streamTopUp > 0 && !stream.clientOver) {
      stream.isWidened = true;
      this.client.tell(writeWindowUpdate(stream.id, this.streamTopUp));
    }
    this.atPod++;
    this.memory.onSent(stream);
    if (stream.backlog) this.backlog.sendTo(pod);
  }

  private takeBackFrom(streams: readonly H2Stream[]): H2Stream[] {
    const left: H2Stream[] = [];
    for (const stream of streams) {
      if (stream.canBeRepeated) this.takeBack(stream);
      else left.push(stream);
    }
    this.waiting.sort((a, b) => a.id - b.id);
    return left;
  }

  private takeBack(stream: H2Stream): void {
    this.atPod--;
    this.backlog.drop(stream);
    this.memory.takeBack(stream);
    this.giveBackPadding(stream);
    this.waiting.push(stream);
  }

  /** The next pod does not get it, and never gives it back; a pod that has widened the stream may have done so already. */
  private giveBackPadding(stream: H2Stream): void {
    const { sentPadding } = stream;
    stream.sentPadding = 0;
    if (sentPadding > 0 && !stream.clientOver && !stream.isWidened) this.client.tell(writeWindowUpdate(stream.id, sentPadding));
  }

  private lead(): string {
    const { blockLead } = this;
    this.blockLead = '';
    return blockLead;
  }
}
