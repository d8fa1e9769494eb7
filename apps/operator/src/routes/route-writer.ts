import { randomUUID } from 'node:crypto';
import { type RouteRecord, shardName, shardOf } from '@elasti/api';
import { type Clock, ConflictError, type Frozen, type ConfigMap, NotFoundError } from '@elasti/operator-kit';
import { type Allocation, allocatePorts, freeUnclaimed } from './allocate-ports';
import { ChangeQueue, type Waiting, type WaitingChanges } from './change-queue';
import type { KnownShards } from './known-shards';
import { shardsOf } from './port-range';
import { formatOwner, type Route, type RouteGrant, type RouteOwner, type WantedPort } from './route';
import type { RouteBook } from './route-book';
import type { ShardOps } from './shard.ops';

export type RouteChange =
  | { readonly kind: 'ensure'; readonly owner: RouteOwner; readonly ports: readonly WantedPort[]; readonly remembered: readonly Route[] }
  | { readonly kind: 'release-unclaimed'; readonly isClaimed: (namespace: string, service: string) => boolean };

/** What the change asks for, by the book as it is. */
export function decideChange(book: RouteBook, change: RouteChange, nowMs: number): Allocation {
  switch (change.kind) {
    case 'ensure':
      return allocatePorts(book, change.owner, change.ports, nowMs, change.remembered);
    case 'release-unclaimed':
      return freeUnclaimed(book, change.isClaimed, nowMs);
  }
}

/** Somebody else writes the ConfigMaps of routes as often as we do. */
export class RoutesContestedError extends Error {
  override readonly name = 'RoutesContestedError';

  constructor() {
    super('somebody else keeps writing the ConfigMaps of routes: is a second operator installed in this namespace?');
  }
}

type WaitingChange = Waiting<RouteChange, RouteGrant>;

interface Decided {
  readonly waiting: WaitingChange;
  readonly grant: RouteGrant;
  /** Written before the caller is told. */
  readonly shards: Set<number>;
}

const maxConflicts = 5;

/**
 * Writes what is decided about routes, many changes at once.
 *
 * Preconditions guard one ConfigMap, but a decision rests on all of them: one that another leader changes meanwhile must void it. So before the first
 * decision, and again whenever a write failed or another's was seen, all of them are read live and then each is given a new version in our name. Of two
 * who do so at the same time at most one gets through: the other finds a version it has not read. And whoever's versions were replaced cannot write any more.
 */
export class RouteWriter {
  private readonly queue = new ChangeQueue<RouteChange, RouteGrant>((waiting, signal) => this.round(waiting, signal));
  /** The versions that are ours, by shard. */
  private readonly held = new Map<number, string | undefined>();

  constructor(
    private readonly known: KnownShards,
    private readonly ops: ShardOps,
    private readonly clock: Clock,
    private readonly rememberedByAll: () => Iterable<Route>,
  ) {}

  submit(change: RouteChange, signal: AbortSignal): Promise<RouteGrant> {
    return this.queue.submit(change, signal);
  }

  private async round(waiting: WaitingChanges<RouteChange, RouteGrant>, signal: AbortSignal): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      try {
        this.known.refresh();
        if (!this.holdsAll()) await this.claimAll(signal);
        await this.decideAndWrite(waiting, signal);
        return;
      } catch (error) {
        // Whether the write that failed was made is not known.
        this.held.clear();
        if (signal.aborted || !isLostRace(error) || conflicts === maxConflicts) throw error;
      }
    }
  }

  private holdsAll(): boolean {
    return this.shards.every((shard) => this.held.has(shard) && this.known.get(shard)?.metadata.resourceVersion === this.held.get(shard));
  }

  private get shards(): number[] {
    return shardsOf(this.known.book.range);
  }

  private async claimAll(signal: AbortSignal): Promise<void> {
    const objects = await this.ops.readAll(signal);
    this.known.replaceAll(objects);
    const writer = randomUUID();
    for (const shard of this.shards) {
      signal.throwIfAborted();
      const current = objects.find(({ metadata }) => metadata.name === shardName(shard));
      this.hold(shard, await this.ops.claim(shard, current, writer, signal));
    }
  }

  private async decideAndWrite(waiting: WaitingChanges<RouteChange, RouteGrant>, signal: AbortSignal): Promise<void> {
    // Nothing is awaited between here and the decision: it rests on exactly the versions that are held.
    if (!this.holdsAll()) throw new RoutesContestedError();
    const current = new Map(this.shards.map((shard) => [shard, this.known.get(shard)]));
    const changes = waiting.take();
    const { decided, plan } = this.decide(changes);
    try {
      settle(decided);
      for (const shard of [...plan.keys()].sort((a, b) => a - b)) {
        if (!decided.some(({ waiting: { isOver }, shards }) => !isOver && shards.has(shard))) continue;
        await this.write(shard, current.get(shard), plan.get(shard) ?? new Map(), signal);
        for (const { shards } of decided) shards.delete(shard);
        settle(decided);
      }
    } catch (error) {
      waiting.giveBack(changes.filter(({ isOver }) => !isOver));
      throw error;
    }
  }

  private async write(
    shard: number,
    current: Frozen<ConfigMap> | undefined,
    changes: ReadonlyMap<number, RouteRecord>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    if (!current) throw new RoutesContestedError();
    this.hold(shard, await this.ops.amend(current, changes, signal));
    this.known.restored(changes.keys());
  }

  private hold(shard: number, written: ConfigMap): void {
    this.known.learn(written);
    this.held.set(shard, written.metadata.resourceVersion);
  }

  private decide(changes: readonly WaitingChange[]): { decided: Decided[]; plan: Map<number, Map<number, RouteRecord>> } {
    const draft = this.known.book.draft();
    const plan = new WritePlan();
    for (const [port, record] of this.known.restorable()) {
      draft.set(port, record);
      plan.add(port, record);
    }
    const restored = [...plan.shards.keys()];
    for (const route of this.rememberedByAll()) draft.reserve(route);
    for (const { change } of changes) if (change.kind === 'ensure') for (const route of change.remembered) draft.reserve(route);

    const nowMs = this.clock.now();
    const decisions = changes.map((waiting) => {
      const allocation = decideChange(draft, waiting.change, nowMs);
      for (const [port, record] of allocation.changes) {
        draft.set(port, record);
        plan.add(port, record);
      }
      return { waiting, ...allocation };
    });
    const decided = decisions.map(({ waiting, grant, changes: own }) => {
      const theirs = waiting.change.kind === 'ensure' ? plan.shardsOf(waiting.change.owner) : [...own.keys()].map(shardOf);
      return { waiting, grant, shards: new Set([...restored, ...theirs]) };
    });
    return { decided, plan: plan.shards };
  }
}

/** What is to be written, by shard, and which shards matter to whom: two changes of one Service in one plan rest on each other. */
class WritePlan {
  readonly shards = new Map<number, Map<number, RouteRecord>>();
  private readonly byOwner = new Map<string, Set<number>>();

  add(port: number, record: RouteRecord): void {
    const shard = shardOf(port);
    this.shards.set(shard, (this.shards.get(shard) ?? new Map<number, RouteRecord>()).set(port, record));
    const owner = formatOwner(record);
    this.byOwner.set(owner, (this.byOwner.get(owner) ?? new Set<number>()).add(shard));
  }

  shardsOf(owner: RouteOwner): Iterable<number> {
    return this.byOwner.get(formatOwner(owner)) ?? [];
  }
}

function settle(decided: readonly Decided[]): void {
  for (const { waiting, grant, shards } of decided) if (shards.size === 0) waiting.resolve(grant);
}

function isLostRace(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof NotFoundError || error instanceof RoutesContestedError;
}
