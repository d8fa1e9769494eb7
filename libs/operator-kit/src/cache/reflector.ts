import { formatRef, groupResourceOf, retryAfterMs } from '../client';
import type { KubeObject, KubeReader, ResourceDefinition, ScopeOptions, WatchEvent } from '../client';
import { sleep } from '../clock';
import type { Clock } from '../clock';
import type { Logger } from '../logging';
import type { KitMetrics } from '../metrics';
import type { Frozen } from './lister';
import { listPages } from './paged-list';
import { decideRecovery } from './recovery';
import type { Phase } from './recovery';
import { WatchBackoff } from './watch-backoff';
import { WatchStreamError, endReasonOf, isStreamingRefused } from './watch-failure';
import type { EndReason } from './watch-failure';
import { watchStream } from './watch-stream';

/** Where a reflector puts what it sees. Called from one reflector only, never concurrently. */
export interface ReflectorSink<T extends KubeObject> {
  /** Makes an object fit for keeping, as it arrives; the result comes back in one of the calls below. */
  prepare(object: T): Frozen<T>;
  /** Everything there is; what is not among it is gone. */
  replace(objects: Iterable<Frozen<T>>): void;
  put(object: Frozen<T>): void;
  remove(object: Frozen<T>): void;
}

export interface ReflectorDependencies {
  readonly reader: KubeReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: KitMetrics;
  /** In [0, 1): spreads timeouts and waits. */
  readonly random: () => number;
}

export interface ReflectorOptions {
  /** `streamed` (the default) tries a streaming list first and falls back to pages for good when the server has none. */
  listing?: 'streamed' | 'paged';
  /** A watch that is silent this long is taken for dead (2 min; servers send bookmarks about every minute). */
  idleLimitMs?: number;
  /** `omit` where the sink drops them anyway. */
  managedFields?: 'omit';
}

export type ReflectorScope = Pick<ScopeOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>;

export interface ReflectorHealth {
  synced: boolean;
  /** Wall time of the last word from the server: a page, an event, a bookmark, an orderly close. */
  lastContactMs?: number;
  /** 0 as soon as the server is heard again. */
  consecutiveFailures: number;
  lastError?: string;
}

const initialEventsEnd = 'k8s.io/initial-events-end';
/** A server that takes the request for a streaming list but never says where the list ends is not worth waiting for longer. */
const initialIdleLimitMs = 30_000;
const objectsPerTurn = 500;

/**
 * Mirrors one kind in one scope into a sink: a list, then watches without end.
 *
 * It never gives up: every failure leads to another try, after a wait that grows, until the signal of `run` fires; then no request and no timer
 * is left. The sink sees every object's last state: what changed while nobody watched is made up for by the next list.
 */
export class Reflector<T extends KubeObject> {
  readonly health: ReflectorHealth = { synced: false, consecutiveFailures: 0 };

  private readonly resource: string;
  private readonly logger: Logger;
  private readonly backoff: WatchBackoff;
  private readonly idleLimitMs: number;
  private readonly managedFields: 'omit' | undefined;
  private listing: 'streamed' | 'paged';
  private phase: Phase = 'list';
  /** The newest version seen; empty before the first list. */
  private version = '';
  /** The version seen is of no use to the server. */
  private versionUseless = false;
  private listed = false;
  private relistedAtOnce = false;

  constructor(
    private readonly definition: ResourceDefinition<T>,
    private readonly scope: ReflectorScope,
    private readonly sink: ReflectorSink<T>,
    private readonly dependencies: ReflectorDependencies,
    options: ReflectorOptions = {},
  ) {
    this.resource = groupResourceOf(definition);
    this.logger = dependencies.logger.with({ resource: this.resource, ...scope });
    this.backoff = new WatchBackoff(dependencies.clock, dependencies.random);
    this.listing = options.listing ?? 'streamed';
    this.idleLimitMs = options.idleLimitMs ?? 120_000;
    this.managedFields = options.managedFields;
  }

  /** Resolves, never rejects, after the signal fired. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.proceed(signal);
      } catch (error) {
        await this.recover(error, signal);
      }
    }
  }

  private async proceed(signal: AbortSignal): Promise<void> {
    if (!this.listed && this.listing === 'paged') await this.listPaged(signal);
    await this.watch(signal);
    this.relistedAtOnce = false;
    this.contact();
    this.countRestart('closed');
  }

  private async listPaged(signal: AbortSignal): Promise<void> {
    this.phase = 'list';
    const { reader, clock, metrics } = this.dependencies;
    const startedMs = clock.monotonic();
    const pages = listPages(reader, this.definition, { ...this.scope, signal }, this.listVersion('0'));
    let objects: Frozen<T>[] = [];
    let page = await pages.next();
    for (; !page.done; page = await pages.next()) {
      this.contact();
      if (page.value.fresh) objects = [];
      await this.prepareAll(page.value.items, objects);
      signal.throwIfAborted();
    }
    this.sink.replace(objects);
    this.finishList(page.value);
    metrics.listSeconds.observe({ resource: this.resource }, (clock.monotonic() - startedMs) / 1000);
  }

  /** A server may ignore the page size; the event loop gets its turns all the same. */
  private async prepareAll(items: T[], into: Frozen<T>[]): Promise<void> {
    for (const item of items) {
      into.push(this.sink.prepare(item));
      if (into.length % objectsPerTurn === 0) await new Promise(setImmediate);
    }
  }

  /** A streaming list is a watch that begins with what is there, so both are one loop. */
  private async watch(signal: AbortSignal): Promise<void> {
    const { reader, clock, random } = this.dependencies;
    this.phase = this.listed ? 'watch' : 'initial';
    const stream = watchStream(reader, this.definition, clock, {
      ...this.scope,
      ...(this.listed
        ? { resourceVersion: this.version }
        : { resourceVersion: this.listVersion(''), resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true }),
      ...(this.managedFields && { managedFields: this.managedFields }),
      allowWatchBookmarks: true,
      timeoutSeconds: Math.floor(300 + 300 * random()),
      signal,
      idleLimitMs: () => (this.phase === 'initial' ? Math.min(initialIdleLimitMs, this.idleLimitMs) : this.idleLimitMs),
    });
    const initial = this.phase === 'initial' ? new InitialList<T>(clock.monotonic()) : undefined;
    for await (const event of stream) {
      this.contact();
      if (initial && this.phase === 'initial') this.collect(initial, event);
      else this.follow(event);
    }
    if (this.phase === 'initial') throw new WatchStreamError('incomplete', 'the streaming list was closed before its end');
  }

  private collect(initial: InitialList<T>, event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') {
      if (event.object.metadata.annotations?.[initialEventsEnd] !== 'true') return;
      const { clock, metrics } = this.dependencies;
      this.sink.replace(initial.objects.values());
      initial.objects.clear();
      this.finishList(event.object.metadata.resourceVersion ?? '');
      this.phase = 'watch';
      metrics.listSeconds.observe({ resource: this.resource }, (clock.monotonic() - initial.startedMs) / 1000);
      return;
    }
    const key = formatRef({ namespace: event.object.metadata.namespace, name: event.object.metadata.name ?? '' });
    if (event.type === 'DELETED') initial.objects.delete(key);
    else initial.objects.set(key, this.sink.prepare(event.object));
  }

  private follow(event: WatchEvent<T>): void {
    this.relistedAtOnce = false;
    if (event.type !== 'BOOKMARK') {
      // Read first: a transform may drop it.
      const version = event.object.metadata.resourceVersion;
      const object = this.sink.prepare(event.object);
      if (event.type === 'DELETED') this.sink.remove(object);
      else this.sink.put(object);
      this.version = version ?? this.version;
    } else {
      this.version = event.object.metadata.resourceVersion ?? this.version;
    }
  }

  private listVersion(first: string): string {
    if (this.versionUseless) return '';
    return this.version || first;
  }

  private finishList(version: string): void {
    this.version = version;
    this.versionUseless = false;
    this.listed = true;
    this.health.synced = true;
  }

  private contact(): void {
    this.health.lastContactMs = this.dependencies.clock.now();
    this.health.consecutiveFailures = 0;
    this.health.lastError = undefined;
  }

  private async recover(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const reason = endReasonOf(error);
    const recovery = decideRecovery({
      phase: this.phase,
      reason,
      streamingRefused: isStreamingRefused(error),
      askedMostRecent: this.versionUseless,
      relistedAtOnce: this.relistedAtOnce,
      failuresInARow: this.health.consecutiveFailures,
    });
    if (this.phase !== 'list') this.countRestart(reason);
    if (recovery.next !== 'resume') this.listed = false;
    if (recovery.next === 'relist-most-recent') this.versionUseless = true;
    if (recovery.next === 'relist-paged') this.listing = 'paged';
    if (this.phase === 'watch' && recovery.wait === 'none' && recovery.next !== 'resume') this.relistedAtOnce = true;

    if (recovery.wait === 'none') {
      this.logger.debug('watch ended, going on', { reason, next: recovery.next });
      return;
    }
    this.health.consecutiveFailures++;
    this.health.lastError = error instanceof Error ? error.message : String(error);
    const delayMs = this.backoff.next(reason === 'unreachable' ? 'unreachable' : 'answered', retryAfterMs(error));
    this.report(error, { reason, phase: this.phase, next: recovery.next, delayMs: Math.round(delayMs) });
    await sleep(this.dependencies.clock, delayMs, signal).catch(() => undefined);
  }

  private report(error: unknown, fields: { reason: EndReason; phase: Phase; next: string; delayMs: number }): void {
    const needsPerson = fields.reason === 'denied' || fields.reason === 'internal';
    if (needsPerson) this.logger.error('watch failed, trying again', { ...fields, error });
    else this.logger.warn('watch failed, trying again', { ...fields, error });
  }

  private countRestart(reason: EndReason): void {
    this.dependencies.metrics.watchRestarts.inc({ resource: this.resource, reason });
  }
}

class InitialList<T extends KubeObject> {
  readonly objects = new Map<string, Frozen<T>>();

  constructor(readonly startedMs: number) {}
}
