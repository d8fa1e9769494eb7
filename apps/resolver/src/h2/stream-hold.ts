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
 * `promised` ones wait at the connection instead: a pod was found that is being dialled.
 */
export class StreamHold {
  private state: 'at the gate' | 'promised' = 'promised';
  private search: PodSearch | undefined;

  constructor(
    readonly stream: H2Stream,
    /** What of its size is the body's. */
    readonly bodyBytes: number,
    private headBytes: number,
    private readonly context: ProxyContext,
    private readonly holder: StreamHolder,
  ) {}

  get exchanges(): number {
    return this.holder.exchanges;
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
    this.state = 'promised';
    this.holder.onLease(this, lease);
  }

  onNoPod(answer: OwnAnswer): void {
    this.holder.onNoPod(this, answer);
  }

  /** The stream goes to a pod; gives what it waited for, if that was for this pod. */
  join(): HoldMoments | undefined {
    if (this.state === 'promised') this.search?.markSent();
    this.stop();
    return this.search?.moments;
  }

  stop(): void {
    this.search?.stop();
  }

  private searching(): PodSearch {
    return (this.search ??= new PodSearch(this.context, this.stream.target, this));
  }
}
