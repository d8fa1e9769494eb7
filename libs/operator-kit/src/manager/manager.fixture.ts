import type { CacheHealth, ResourceCache } from '../cache';
import { type KubeObject, type ResourceLike, definitionOf, groupResourceOf } from '../client';
import { untilAborted } from '../clock';
import type { LeaderRunnable } from '../controller';
import type { StoppableCaches } from './managed-caches';
import type { ReplicaRunnable } from './start-step';

/** Caches that are synced when the test says so, each line of their life noted in a journal. */
export class FakeCaches implements StoppableCaches {
  readonly asked: { resource: string; namespaces?: readonly string[]; namespace?: string }[] = [];
  watches: CacheHealth[] = [];
  private readonly full = Promise.withResolvers<undefined>();
  private isFull = false;

  constructor(private readonly journal: string[] = []) {}

  fill(): void {
    this.isFull = true;
    this.journal.push('caches synced');
    this.full.resolve(undefined);
  }

  acquire<T extends KubeObject>(
    resource: ResourceLike<T>,
    options: { namespaces?: readonly string[]; namespace?: string } = {},
  ): ResourceCache<T> {
    const { namespaces, namespace } = options;
    this.asked.push({
      resource: groupResourceOf(definitionOf(resource)),
      ...(namespaces && { namespaces }),
      ...(namespace && { namespace }),
    });
    const hasSynced = () => this.isFull;
    return {
      get hasSynced() {
        return hasSynced();
      },
      synced: (signal) => untilAborted(this.full.promise, signal),
      get: () => undefined,
      list: () => [],
      byIndex: () => [],
      getOwnedBy: () => [],
      subscribe: () => ({ hasSynced: this.isFull, synced: (signal) => untilAborted(this.full.promise, signal), close: () => undefined }),
      release: () => undefined,
    };
  }

  health(): CacheHealth[] {
    return this.watches;
  }

  stop(): Promise<void> {
    this.journal.push('caches stopped');
    return Promise.resolve();
  }
}

/** A controller that works until it is told to stop. */
export function aController(name: string, journal: string[], overrides: Partial<LeaderRunnable> = {}): LeaderRunnable {
  return {
    name,
    warmUp: () => {
      journal.push(`${name} warmed up`);
      return Promise.resolve();
    },
    run: (signal) => {
      journal.push(`${name} runs`);
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          journal.push(`${name} stopped`);
          resolve();
        });
      });
    },
    ...overrides,
  };
}

export function aWebhook(name: string, journal: string[], overrides: Partial<ReplicaRunnable> = {}): ReplicaRunnable {
  return {
    name,
    start: () => {
      journal.push(`${name} started`);
      return Promise.resolve();
    },
    stop: () => {
      journal.push(`${name} stopped`);
      return Promise.resolve();
    },
    ...overrides,
  };
}

/** What became of a promise so far. */
export function watchOutcome(promise: Promise<void>): { state: 'pending' | 'resolved' | 'rejected'; error?: unknown } {
  const outcome: { state: 'pending' | 'resolved' | 'rejected'; error?: unknown } = { state: 'pending' };
  promise.then(
    () => (outcome.state = 'resolved'),
    (error: unknown) => Object.assign(outcome, { state: 'rejected', error }),
  );
  return outcome;
}
