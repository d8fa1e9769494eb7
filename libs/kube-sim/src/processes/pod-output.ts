import { type LoggedLine, type PodLog } from '../pod-log';
import { type SimClock } from '../sim-clock';

const MOST_CHARACTERS = 256 * 1024;
/** What a real kubelet shows of the log of a container that failed. */
const MOST_LAST_CHARACTERS = 2048;
const MOST_LAST_LINES = 20;

interface Follower {
  onLine(line: LoggedLine): void;
  onEnd(): void;
}

/** The latest output of a pod through all its restarts; the oldest lines go when there are too many. */
export class PodOutput implements PodLog {
  starts = 0;
  private kept: LoggedLine[] = [];
  private characters = 0;
  private readonly followers = new Set<Follower>();

  constructor(private readonly clock: SimClock) {}

  begin(): void {
    this.starts++;
  }

  add(text: string): void {
    const line = { atMs: this.clock.nowMs(), start: this.starts, text };
    this.kept.push(line);
    this.characters += text.length + 1;
    if (this.characters > MOST_CHARACTERS) this.forgetOldest();
    for (const follower of this.followers) follower.onLine(line);
  }

  /** The container has ended: nothing more comes of it. */
  end(): void {
    for (const follower of [...this.followers]) follower.onEnd();
  }

  lines(): readonly LoggedLine[] {
    return this.kept;
  }

  follow(onLine: (line: LoggedLine) => void, onEnd: () => void): () => void {
    const follower = { onLine, onEnd };
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }

  /** The last words of the container that ran last. */
  get lastWords(): string {
    return this.kept
      .filter(({ start }) => start === this.starts)
      .slice(-MOST_LAST_LINES)
      .map(({ text }) => `${text}\n`)
      .join('')
      .slice(-MOST_LAST_CHARACTERS);
  }

  /** By halves: removing line by line would cost as much as there are lines, each time. */
  private forgetOldest(): void {
    let gone = 0;
    while (gone < this.kept.length && this.characters > MOST_CHARACTERS / 2) {
      this.characters -= (this.kept[gone]?.text.length ?? 0) + 1;
      gone++;
    }
    this.kept = this.kept.slice(gone);
  }
}
