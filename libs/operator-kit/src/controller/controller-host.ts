import type { CacheProvider } from '../cache';
import type { KubeObject, KubeReader, KubeWriter } from '../client';
import type { Clock } from '../clock';
import type { Frozen } from '../cache';
import type { Logger } from '../logging';
import type { KitMetrics } from '../metrics';
import type { ObjectEvents } from '../events';

/** What runs only while this process leads. The manager starts it in two steps so that a new leader has nothing left to load. */
export interface LeaderRunnable {
  /** Unique within a manager. */
  readonly name: string;
  /** Fills caches and queues; resolves when synced. Reconciles nothing. Runs on every replica, before the election. */
  warmUp(signal: AbortSignal): Promise<void>;
  /** Works until the signal fires, then resolves once no worker is busy. */
  run(signal: AbortSignal): Promise<void>;
}

/** What a controller needs of the manager it is built into. */
export interface ControllerHost {
  readonly client: KubeReader & KubeWriter;
  readonly caches: CacheProvider;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: KitMetrics;
  eventsFor(object: Frozen<KubeObject>): ObjectEvents;
  /** @throws when a runnable of this name is there already, or the manager has started. */
  add(runnable: LeaderRunnable): void;
}
