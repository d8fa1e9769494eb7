import type { CacheOptions } from '../cache';
import type { KubeObject, ResourceDefinition } from '../client';
import { watchedKind } from './controller-caches';
import type { WatchedKind } from './controller-caches';
import { EventSource } from './event-source';
import type { EventSourceOptions } from './event-source';

/** What has been said so far about one kind while a controller is being put together. */
export class KindSetup<T extends KubeObject> {
  private readonly sources: Omit<EventSourceOptions<T>, 'definition'>[] = [];
  private cacheOptions: CacheOptions<T> = {};

  constructor(readonly definition: ResourceDefinition<T>) {}

  get isWatched(): boolean {
    return this.sources.length > 0;
  }

  addSource(source: Omit<EventSourceOptions<T>, 'definition'>): void {
    this.sources.push(source);
  }

  setCacheOptions(options: CacheOptions<T>): void {
    this.cacheOptions = options;
  }

  /** The kind's own scope, where it has one, goes before the controller's. */
  toWatchedKind(namespaces: readonly string[] | undefined): WatchedKind {
    const { namespace, namespaces: own } = this.cacheOptions;
    const scope = this.definition.namespaced && namespaces && !namespace && !own ? { namespaces } : {};
    const sources = this.sources.map((source) => new EventSource({ definition: this.definition, ...source }));
    return watchedKind(this.definition, { ...this.cacheOptions, ...scope }, sources);
  }
}
