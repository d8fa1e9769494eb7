const DESK_BYTES = 32 * 1024;
/** Who finds none free writes at once. */
const DESKS = 16;

/** A link with something to write. */
export interface LateWriter {
  flush(): void;
}

/** Where what is written goes. */
export type Side = 'client' | 'pod';

/**
 * Gathers what is written while the event loop reads much, and lets it go when the turn's reading is over: to pods first, then to clients.
 *
 * Why: a read, a write, the next read and its write took a tenth more processor time for each request than all reads and then all writes, for the code of
 * one kind pushes that of the other out of the caches; and whoever gets many writes in a row is woken once for them. Pods go first: they work while
 * clients are written to. Where turns have few reads there is nothing to gain, and to wait for the others would add a fifth to the p99 of the latency.
 *
 * The order on one link is its own to keep. Desks are of a size that one slow reader may keep.
 */
export class WriteTurns {
  /** While one reads, and how much there is to read; whatever else wants to write does so at once. */
  reading: 'nothing' | 'little' | 'much' = 'nothing';
  private readonly writers: Record<Side, LateWriter[]> = { pod: [], client: [] };
  private readonly desks: Buffer[] = [];
  private desk = 0;
  private deskTaken = 0;
  private isDue = false;

  /** Calls the writer when the turn's reading is over. */
  wait(writer: LateWriter, side: Side): void {
    this.writers[side].push(writer);
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(this.onTurn);
  }

  /** Memory to put a write together, good until its writer was called; undefined when so much waits already that there is none. */
  reserve(lengthBytes: number): Buffer | undefined {
    if (this.deskTaken + lengthBytes > DESK_BYTES) {
      if (lengthBytes > DESK_BYTES || this.desk + 1 >= DESKS) return undefined;
      this.desk++;
      this.deskTaken = 0;
    }
    const desk = (this.desks[this.desk] ??= Buffer.allocUnsafeSlow(DESK_BYTES));
    const start = this.deskTaken;
    this.deskTaken += lengthBytes;
    return desk.subarray(start, this.deskTaken);
  }

  /** The kernel has not taken all of what was put together there: nothing else is written on that desk any more. */
  giveDeskAway(reserved: Buffer): void {
    const at = this.desks.findIndex((desk) => desk.buffer === reserved.buffer);
    if (at >= 0) this.desks[at] = Buffer.allocUnsafeSlow(DESK_BYTES);
  }

  /** Calls all who wait. */
  flush(): void {
    flushAll(this.writers.pod);
    flushAll(this.writers.client);
    this.desk = 0;
    this.deskTaken = 0;
  }

  private readonly onTurn = (): void => {
    this.isDue = false;
    this.flush();
  };
}

function flushAll(writers: LateWriter[]): void {
  for (const writer of writers) writer.flush();
  writers.length = 0;
}
