import type { PodLease } from '../exchange';
import { fieldValue } from '../http1';
import { AnswerReader } from './answer-reader';
import type { AnswerSink } from './answer-reader';
import type { Expiring } from './deadlines';
import { NEVER } from './deadlines';
import type { Link, LinkOwner } from './link';
import { isRepeatable } from './retry-rules';
import type { PodPool, UpstreamPools } from './upstream-pools';

/** The exchange that a connection to a pod serves. */
export interface UpstreamUser extends AnswerSink {
  onConnected(): void;
  /** The pod takes more again. */
  onUpstreamDrain(): void;
  /** What has waited to be written is with the kernel now. */
  onGiven(): void;
  /** Nothing more comes; an answer that only the connection's end ends is complete. */
  onUpstreamEnd(answer: 'complete' | 'cut off' | 'none'): void;
}

/**
 * A connection to a pod: it serves one exchange at a time and rests in its pool in between.
 *
 * Once it is lost or destroyed it reports to nobody and is in no pool.
 */
export class UpstreamConnection implements LinkOwner, Expiring {
  expiresAtTick: number;
  /** Whether an exchange was served before the present one. */
  reused = false;
  idleSinceMs = 0;
  readonly link: Link;
  readonly address: string;
  readonly port: number;
  private state: 'dialling' | 'busy' | 'idle' | 'gone' = 'dialling';
  private answerBegun = false;
  /** What its link was given before the present request. */
  private givenBefore = 0;
  private user: UpstreamUser | undefined;
  private readonly answers = new AnswerReader();

  constructor(
    lease: PodLease,
    readonly pool: PodPool,
    private readonly pools: UpstreamPools,
  ) {
    const { deadlines, settings, links } = pools.shared;
    this.expiresAtTick = deadlines.after(settings.connectTimeoutMs);
    this.link = links.dial(lease.address, lease.port, () => this.onOpen());
    this.link.owner = this;
    this.address = lease.address;
    this.port = lease.port;
    deadlines.watch(this);
  }

  get isConnected(): boolean {
    return this.state === 'busy' || this.state === 'idle';
  }

  /** Whether the answer that has begun ends with this connection. */
  get answerEndsWithConnection(): boolean {
    return this.answers.endsWithConnection;
  }

  /** Whether the answer that has begun is a stream of events, which goes on for as long as both sides like. */
  get answersEvents(): boolean {
    const type = this.answerBegun ? fieldValue(this.answers.head.fields.kept, 'content-type') : undefined;
    return type?.toLowerCase().startsWith('text/event-stream') === true;
  }

  /** From here on `user` hears what comes; on a connection still dialling, `onConnected` first. */
  serve(user: UpstreamUser, method: string): void {
    this.user = user;
    this.givenBefore = this.link.given;
    this.link.isCautious = this.reused && !isRepeatable(method);
    this.answerBegun = false;
    this.answers.begin(method);
    if (this.state === 'idle') {
      this.state = 'busy';
      this.expiresAtTick = NEVER;
    }
  }

  /** The exchange is over and the connection fit for another. */
  rest(): void {
    const { clock, deadlines, settings } = this.pools.shared;
    const saidSeconds = this.answers.head.fields.keepAliveSeconds;
    if (saidSeconds === 0 || saidSeconds === 1) {
      this.destroy();
      return;
    }
    this.answers.rest();
    this.user = undefined;
    this.state = 'idle';
    this.reused = true;
    this.link.resume();
    // The pod closes at that time; a second earlier, no request meets the close.
    const idleMs = saidSeconds < 0 ? settings.idleUpstreamMs : Math.min(settings.idleUpstreamMs, (saidSeconds - 1) * 1000);
    this.expiresAtTick = deadlines.after(idleMs);
    this.idleSinceMs = clock.monotonic();
    this.pools.keep(this);
  }

  destroy(): void {
    if (this.leavePool()) this.link.destroy();
  }

  /** Hands the link over to a tunnel: the connection no longer belongs to HTTP. */
  detach(): Link {
    this.leavePool();
    return this.link;
  }

  onBytes(bytes: Buffer, length: number): void {
    if (this.user === undefined) {
      this.destroy();
      return;
    }
    if (!this.answerBegun && this.link.given === this.givenBefore) {
      // Nobody was asked anything yet: taken for the answer, it would leave the answer proper to the next who asks.
      this.onExpired();
      return;
    }
    this.answerBegun = true;
    this.answers.read(bytes, 0, length, this.user);
  }

  onDrain(): void {
    this.user?.onUpstreamDrain();
  }

  onGiven(): void {
    this.user?.onGiven();
  }

  onEnd(): void {
    const complete = this.answers.endsWithConnection;
    this.lose(complete ? 'complete' : undefined);
    this.link.destroy();
  }

  onClosed(): void {
    this.lose(undefined);
  }

  onExpired(): void {
    this.lose(undefined);
    this.link.destroy();
  }

  private onOpen(): void {
    if (this.state !== 'dialling') return;
    this.state = 'busy';
    this.expiresAtTick = NEVER;
    this.user?.onConnected();
  }

  private lose(end: 'complete' | undefined): void {
    const user = this.user;
    if (!this.leavePool()) return;
    user?.onUpstreamEnd(end ?? (this.answerBegun ? 'cut off' : 'none'));
  }

  private leavePool(): boolean {
    if (this.state === 'gone') return false;
    this.state = 'gone';
    this.user = undefined;
    this.pools.shared.deadlines.unwatch(this);
    this.pools.forget(this);
    return true;
  }
}
