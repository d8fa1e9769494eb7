import type { Expiring, ProxyContext } from '../proxy';

/** What a client connection is about: it decides how long it may go on so. */
export type Occupation = 'streams' | 'nothing' | 'leaving';

/** Who does not take what it was sent. */
export type Debtor = 'client' | 'pod' | 'nobody';

/**
 * Until when a client connection may go on as it is.
 *
 * A header block has a limit of its own, and nothing else that happens meanwhile gives it more time.
 */
export class H2Patience implements Expiring {
  expiresAtTick: number;
  /** Whether either side has begun a header block that is not yet whole. */
  private insideBlock = false;
  /** Who owed when the last limit ran out, and has taken nothing since. */
  private stalled: Debtor = 'nobody';

  constructor(
    private readonly context: Pick<ProxyContext, 'deadlines' | 'settings'>,
    readonly onExpired: () => void,
  ) {
    this.expiresAtTick = context.deadlines.after(context.settings.headTimeoutMs);
    context.deadlines.watch(this);
  }

  stop(): void {
    this.context.deadlines.unwatch(this);
  }

  /** Begins the limit of what the connection is about now. */
  begin(occupation: Occupation): void {
    const { deadlines, settings } = this.context;
    if (this.insideBlock) return;
    switch (occupation) {
      case 'streams':
        this.expiresAtTick = deadlines.after(settings.stalledClientMs);
        return;
      case 'nothing':
        this.expiresAtTick = deadlines.after(settings.idleClientMs);
        return;
      case 'leaving':
        this.expiresAtTick = deadlines.after(settings.lingerMs);
    }
  }

  /** Whether a header block is open now; true when one was and is no longer. */
  blockEnded(isInside: boolean): boolean {
    if (this.insideBlock === isInside) return false;
    this.insideBlock = isInside;
    if (isInside) this.expiresAtTick = this.context.deadlines.after(this.context.settings.headTimeoutMs);
    return !isInside;
  }

  /** A side that is not read, because the other takes nothing, cannot end its header block. */
  excuseBlock(): void {
    this.insideBlock = false;
  }

  /** This side takes what it is sent. */
  onTaken(side: 'client' | 'pod'): void {
    if (this.stalled === side) this.stalled = 'nobody';
  }

  /** Whether this limit is the second in a row without the debtor taking anything: one may run out just as it stops reading. */
  isStalled(debtor: Debtor): boolean {
    const again = debtor !== 'nobody' && debtor === this.stalled;
    this.stalled = debtor;
    return again;
  }

  /** Nothing more is said: the client has this long to take the rest, and a moment more once it has. */
  beginEnd(part: 'untaken' | 'taken'): void {
    const { deadlines, settings } = this.context;
    this.expiresAtTick = deadlines.after(part === 'untaken' ? settings.idleClientMs : settings.lingerMs);
  }
}
