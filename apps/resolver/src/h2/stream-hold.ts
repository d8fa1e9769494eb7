import type { HoldMoments, OwnAnswer, PodLease } from '../exchange';
import { PodSearch } from '../proxy';
import type { ProxyContext } from '../proxy';
import type { H2Stream } from './h2-stream';

/** Who holds the streams of one connection. */
export interface StreamHolder {
  /** How many streams go to a pod together when one gets a place. */
  readonly exchanges: number;
  onLease(hold: StreamHold, lease: PodLease): void;
  onNoPod(hold: StreamHold, answer: OwnAnswer): void;
}

/**
 * One stream that waits for a pod, with a place, a size and a deadline of its own at the gate.
 *
 * It lasts as long as its stream, for one whose pod is lost comes back to the gate: the place, the deadline and the pods to avoid are still its
 * own. While it is away from the gate it waits at the connection, for a pod that is being dialled, or for nothing.
 */
export class StreamHold {
  /** What of its size is the body's. */
  bodyBytes = 0;
  private headBytes = 0;
  private state: 'at the gate' | 'away' = 'away';
  private search: PodSearch | undefined;

  constructor(
    readonly stream: H2Stream,
    private readonly context: ProxyContext,
    private readonly holder: StreamHolder,
  ) {}

  get exchanges(): number {
    return this.holder.exchanges;
  }

  /** Since when it waits, if it was ever at the gate. */
  get heldSinceMs(): number | undefined {
    return this.search?.heldAtMs;
  }

  /** A pod is sought for it, for the first time or once more. */
  begin(headBytes: number, bodyBytes: number): void {
    this.headBytes = headBytes;
    this.bodyBytes = bodyBytes;
  }

  wait(): void {
    if (this.state === 'at the gate') return;
    this.state = 'at the gate';
    this.searching().wait(this.headBytes + this.bodyBytes);
  }

  /** Counts it anew at the gate, where it keeps its turn. */
  grow(bytes: number): void {
    this.headBytes += bytes;
    if (this.state === 'at the gate') this.searching().wait(this.headBytes + this.bodyBytes);
  }

  avoid(podKey: string): void {
    this.searching().avoid(podKey);
  }

  onLease(lease: PodLease): void {
    this.state = 'away';
    this.holder.onLease(this, lease);
  }

  onNoPod(answer: OwnAnswer): void {
    this.holder.onNoPod(this, answer);
  }

  /** The stream goes to a pod; gives what it waited for, if that was for this pod. */
  join(): HoldMoments | undefined {
    if (this.state === 'at the gate') this.search?.goAlong();
    else this.search?.markSent();
    this.stop();
    return this.search?.moments;
  }

  stop(): void {
    this.state = 'away';
    this.bodyBytes = 0;
    this.search?.stop();
  }

  private searching(): PodSearch {
    return (this.search ??= new PodSearch(this.context, this.stream.target, this, this.stream.unsentSinceMs));
  }
}
