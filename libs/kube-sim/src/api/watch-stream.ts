import { type ServerResponse } from 'node:http';
import { type Change, type ChangeType, CompactedError, type JsonObject, type ObjectStore, StoredObject } from '../store';
import { ApiError, expired, tooLargeVersion } from './api.errors';
import { type SimRequest } from '../sim-request';
import { type Target } from './api-request';
import { selectionOf, parseVersion } from './object-lister';
import { LineQueue } from './line-queue';
import { isTrue } from './request-info';
import { type ObjectFilter } from './selectors';
import { type SimClock } from '../sim-clock';

/** Writes one object the way the client asked to see it. */
export type ObjectEncoder = (object: StoredObject) => string;

export interface WatchSettings {
  readonly bookmarkIntervalMs: number;
  /** How long a watch lasts whose client names no limit. */
  readonly defaultTimeoutMs: number;
}

/** A client this far behind is cut off, as it will be served faster by starting again. */
const MOST_WAITING_EVENTS = 250_000;
const CHUNK_CHARACTERS = 256 * 1024;
const BOOKMARK_BEFORE_END_MS = 2_000;

/**
 * One open watch: sends what changed since a version, in order, until its time is over or somebody leaves.
 *
 * Guarantees that each change the selection is concerned by is sent once, as the change it is for this selection: an
 * object that begins to match is added, one that stops matching is deleted.
 */
export class WatchStream {
  private stopListening?: () => void;
  private readonly timers = new Set<() => void>();
  private isStalled = false;
  private isCongested = false;
  /** Events that wait for the client; they are made into text when they are sent. */
  private readonly waiting = new LineQueue();
  private sentVersion: number;
  /** Changes up to here are none of this watch's business, even those that are still to come. */
  private startVersion = 0;
  private isOpen = true;
  private readonly filter: ObjectFilter;
  private readonly wantsBookmarks: boolean;

  constructor(
    readonly request: SimRequest,
    private readonly target: Target,
    private readonly store: ObjectStore,
    private readonly response: ServerResponse,
    private readonly encode: ObjectEncoder,
    private readonly clock: SimClock,
    private readonly settings: WatchSettings,
    private readonly onClose: (stream: WatchStream) => void,
  ) {
    this.filter = selectionOf(target, request.query).filter;
    this.wantsBookmarks = isTrue(request.query.get('allowWatchBookmarks') ?? 'false');
    this.sentVersion = store.currentVersion;
  }

  get storageId(): string {
    return this.target.type.storageId;
  }

  start(): void {
    const { query } = this.request;
    this.response.on('close', () => {
      this.close();
    });
    this.response.on('drain', () => {
      this.flush();
    });
    const asked = parseVersion(query.get('resourceVersion'));
    const isWatchList = isTrue(query.get('sendInitialEvents') ?? 'false');
    try {
      this.sendStart(asked, isWatchList, query.get('sendInitialEvents') !== null);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.sendError(error);
      this.end();
      return;
    }
    if (!this.isOpen) return;
    this.stopListening = this.store.collection(this.storageId).listen((change) => {
      this.sendChange(change);
    });
    this.setTimers(Number(query.get('timeoutSeconds') ?? 0));
  }

  bookmark(): void {
    if (this.wantsBookmarks) this.sendBookmark({});
  }

  /** From now on nothing is sent, as if the network swallowed it; the connection stays. */
  stall(): void {
    this.isStalled = true;
  }

  resume(): void {
    this.isStalled = false;
    this.flush();
  }

  sendError(error: ApiError): void {
    this.write(() => `{"type":"ERROR","object":${JSON.stringify(error.toStatus())}}\n`);
  }

  /** Ends the stream the way a server does that closes it in peace. */
  end(): void {
    if (!this.isOpen) return;
    if (!this.isStalled) this.sendAllWaiting();
    this.close();
    this.response.end();
  }

  /** Cuts the connection. */
  drop(): void {
    this.close();
    this.response.destroy();
  }

  private close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.stopListening?.();
    for (const cancel of this.timers) cancel();
    this.timers.clear();
    this.waiting.clear();
    this.onClose(this);
  }

  private sendStart(asked: number | undefined, isWatchList: boolean, saysInitialEvents: boolean): void {
    const current = this.store.currentVersion;
    if (isWatchList) {
      if (asked !== undefined && asked > current) throw tooLargeVersion(asked, current);
      this.sendCurrent();
      if (this.wantsBookmarks) this.sendBookmark({ 'k8s.io/initial-events-end': 'true' });
      return;
    }
    if ((asked === undefined || asked === 0) && !saysInitialEvents) {
      this.sendCurrent();
      return;
    }
    if (asked === undefined || asked === 0) return;
    this.startVersion = asked;
    try {
      for (const change of this.store.collection(this.storageId).changesSince(asked)) this.sendChange(change);
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      throw expired(`too old resource version: ${error.requested} (${error.oldest})`);
    }
    this.sentVersion = Math.max(this.sentVersion, asked);
  }

  private sendCurrent(): void {
    const prefix = this.target.type.namespaced && this.target.namespace !== '' ? `${this.target.namespace}/` : '';
    for (const object of this.store.collection(this.storageId).inOrder(prefix, '')) {
      if (this.filter(object)) this.send('ADDED', object);
    }
  }

  private sendChange({ type, object, previous, resourceVersion }: Change): void {
    if (resourceVersion <= this.startVersion) return;
    this.sentVersion = resourceVersion;
    const matched = previous !== undefined && this.filter(previous);
    const matches = type !== 'DELETED' && this.filter(object);
    if (matches) this.send(matched ? 'MODIFIED' : 'ADDED', object);
    else if (matched) this.send('DELETED', type === 'DELETED' ? object : lastMatching(previous, object));
  }

  private send(type: ChangeType, object: StoredObject): void {
    this.write(() => `{"type":"${type}","object":${this.encode(object)}}\n`);
  }

  private sendBookmark(annotations: JsonObject): void {
    const metadata: JsonObject = { resourceVersion: String(Math.max(this.sentVersion, this.store.currentVersion)) };
    if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
    this.write(() => `{"type":"BOOKMARK","object":${this.encode(new StoredObject({ metadata }, 0))}}\n`);
  }

  private write(line: () => string): void {
    if (!this.isOpen) return;
    if (!this.isStalled && !this.isCongested) {
      this.isCongested = !this.response.write(line());
      return;
    }
    this.waiting.add(line);
    if (this.waiting.length > MOST_WAITING_EVENTS) this.drop();
  }

  /** Sends what waits, as much as the connection takes. */
  private flush(): void {
    if (!this.isOpen || this.isStalled) return;
    this.isCongested = false;
    while (!this.isCongested && this.waiting.length > 0) this.isCongested = !this.response.write(this.nextChunk());
  }

  private nextChunk(): string {
    let chunk = '';
    while (chunk.length < CHUNK_CHARACTERS) {
      const line = this.waiting.take();
      if (!line) break;
      chunk += line();
    }
    return chunk;
  }

  private sendAllWaiting(): void {
    while (this.waiting.length > 0) this.response.write(this.nextChunk());
  }

  private setTimers(timeoutSeconds: number): void {
    const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : this.settings.defaultTimeoutMs;
    this.later(timeoutMs, () => {
      this.end();
    });
    if (!this.wantsBookmarks) return;
    if (timeoutMs > BOOKMARK_BEFORE_END_MS) {
      this.later(timeoutMs - BOOKMARK_BEFORE_END_MS, () => {
        this.bookmark();
      });
    }
    this.repeatBookmark();
  }

  private repeatBookmark(): void {
    this.later(this.settings.bookmarkIntervalMs, () => {
      this.bookmark();
      this.repeatBookmark();
    });
  }

  private later(delayMs: number, run: () => void): void {
    const cancel = this.clock.schedule(delayMs, () => {
      this.timers.delete(cancel);
      run();
    });
    this.timers.add(cancel);
  }
}

/** What a selection sees of an object that left it: its last matching state at the version of the change. */
function lastMatching(previous: StoredObject, object: StoredObject): StoredObject {
  const metadata = { ...previous.metadata, resourceVersion: String(object.resourceVersion) };
  return new StoredObject({ ...previous.object, metadata }, object.resourceVersion);
}
