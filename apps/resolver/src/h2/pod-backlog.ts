import type { ConnectionWindows } from './connection-windows';
import { writeHeaderBlock } from './frame';
import type { H2Stream } from './h2-stream';
import { HeldData } from './held-data';
import { BACKLOG_BYTES, EARLY_BACKLOG_BYTES } from './limits';
import type { Outlet } from './outlet';

/** What of one body waits for the windows of the pod, and the trailers behind it. */
export class BodyBacklog {
  readonly data = new HeldData();
  trailerBlock: string | undefined;
}

/**
 * The bodies that the pod's windows do not take yet.
 *
 * A client has its windows from the pod before, so it may send, or have sent already, more than the next one takes; a pod that gets more
 * gives up the whole connection. While something of a stream waits, what comes later on that stream waits behind it.
 */
export class PodBacklog {
  private bytes = 0;
  private readonly streams = new Set<H2Stream>();

  constructor(
    private readonly windows: ConnectionWindows,
    /** Nothing of the stream waits any more. */
    private readonly onCaughtUp: (stream: H2Stream) => void,
  ) {}

  get isEmpty(): boolean {
    return this.streams.size === 0;
  }

  /** The client should not be read until the pod has taken something. */
  get isFull(): boolean {
    return this.bytes > BACKLOG_BYTES;
  }

  /** Whether a body of this size may be begun although the pod takes nothing of it yet. */
  hasRoomFor(bodyBytes: number): boolean {
    return this.bytes + bodyBytes <= EARLY_BACKLOG_BYTES;
  }

  /** Counts what goes to the pod at once. False when it has to wait. */
  trySpend(stream: H2Stream, flowBytes: number): boolean {
    const { windows } = this;
    if (stream.backlog !== undefined || flowBytes > windows.podTakes || flowBytes > stream.podTakes) return false;
    windows.podTakes -= flowBytes;
    stream.podTakes -= flowBytes;
    return true;
  }

  add(stream: H2Stream, bytes: Buffer, start: number, end: number): void {
    this.of(stream).data.add(bytes, start, end);
    this.bytes += end - start;
  }

  addAll(stream: H2Stream, data: HeldData, trailerBlock: string | undefined): void {
    const backlog = this.of(stream);
    data.copyTo(backlog.data);
    backlog.trailerBlock = trailerBlock;
    this.bytes += data.length;
  }

  /** What waits will not be sent; gives how much that was. */
  drop(stream: H2Stream): number {
    const dropped = stream.backlog?.data.length ?? 0;
    this.bytes -= dropped;
    this.forget(stream);
    return dropped;
  }

  /** Sends what the windows take by now. False when that is nothing. */
  sendTo(pod: Outlet): boolean {
    const before = this.bytes;
    for (const stream of this.streams) this.send(pod, stream);
    return this.bytes < before;
  }

  private of(stream: H2Stream): BodyBacklog {
    this.streams.add(stream);
    return (stream.backlog ??= new BodyBacklog());
  }

  private send(pod: Outlet, stream: H2Stream): void {
    const { windows } = this;
    if (stream.backlog === undefined) return;
    const { data, trailerBlock } = stream.backlog;
    const bytes = Math.min(data.length, Math.max(0, Math.min(windows.podTakes, stream.podTakes)));
    const isAll = bytes === data.length;
    windows.podTakes -= bytes;
    stream.podTakes -= bytes;
    this.bytes -= bytes;
    data.moveTo(pod, stream.id, bytes, isAll && stream.clientOver && trailerBlock === undefined ? 'ends stream' : 'goes on');
    if (!isAll) return;
    if (trailerBlock !== undefined) pod.put(writeHeaderBlock(stream.id, trailerBlock, 'ends stream'));
    this.forget(stream);
    this.onCaughtUp(stream);
  }

  private forget(stream: H2Stream): void {
    stream.backlog = undefined;
    this.streams.delete(stream);
  }
}
