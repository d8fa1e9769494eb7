import type { Readable } from 'node:stream';
import { eventually } from './eventually';
import type { KubeObject, KubeStatus } from '@elasti/operator-kit';

export interface Line<T extends KubeObject = KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T;
}

/** The events of one watch, kept in the order of their arrival. */
export class WatchStream<T extends KubeObject = KubeObject> {
  readonly events: Line<T>[] = [];
  private ended = false;
  private readonly reading: Promise<void>;

  constructor(
    readonly code: number,
    body: Readable,
    private readonly abort: AbortController,
  ) {
    this.reading = this.read(body);
  }

  /** The first event that answers to the question, already here or still to come. */
  async first(wanted: (event: Line<T>) => boolean): Promise<Line<T>> {
    return eventually(() => {
      const found = this.events.find(wanted);
      if (!found) throw new Error(`no such event among ${JSON.stringify(this.summary)}`);
      return found;
    });
  }

  /** Waits until an event of this type about this name has come. */
  async seen(type: Line['type'], name: string): Promise<Line<T>> {
    return this.first((event) => event.type === type && event.object.metadata.name === name);
  }

  /** The Status that an ERROR event carries. */
  async failure(): Promise<KubeStatus> {
    return (await this.first(({ type }) => type === 'ERROR')).object as unknown as KubeStatus;
  }

  async initialEventsEnd(): Promise<Line<T>> {
    return this.first(({ type, object }) => type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true');
  }

  async end(): Promise<void> {
    await eventually(() => {
      if (!this.ended) throw new Error(`the watch goes on after ${JSON.stringify(this.summary)}`);
    });
  }

  /** `ADDED a`, one for each event but bookmarks. */
  get summary(): string[] {
    return this.events.filter(({ type }) => type !== 'BOOKMARK').map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`);
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.reading;
  }

  private async read(body: Readable): Promise<void> {
    let rest = '';
    try {
      for await (const chunk of body.setEncoding('utf8')) {
        const lines = (rest + String(chunk)).split('\n');
        rest = lines.pop() ?? '';
        this.events.push(...lines.map((line) => JSON.parse(line) as Line<T>));
      }
    } catch (error) {
      // Closing a watch breaks its connection, which is no failure of the case.
      if (!this.abort.signal.aborted) throw error;
    } finally {
      this.ended = true;
    }
  }
}
