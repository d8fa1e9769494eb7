import { ElastiService, type ElastiServiceStatus, type HeldTarget, type RouteStatus, type TrafficMode } from '@elasti/api';
import {
  type Clock,
  ConflictError,
  type ConditionUpdate,
  findCondition,
  formatRef,
  type Frozen,
  type KubeObject,
  type KubeReader,
  type KubeWriter,
  type Logger,
  patchStatus,
  refOf,
  setCondition,
  type StatusOutcome,
} from '@elasti/operator-kit';
import type { OperatorMetrics } from '../../metrics';
import { isNewerVersion } from '../../routes';

/** What a reconcile came to; the times are the status's own affair. */
export interface Findings {
  readonly mode: TrafficMode;
  readonly routes: readonly RouteStatus[];
  readonly conditions: readonly ConditionUpdate[];
  /** What must be given back when the spec names another. */
  readonly heldTarget: Frozen<HeldTarget> | undefined;
}

/**
 * Writes what was found into the status: once, last, and only when it differs from what is there.
 *
 * What it wrote is at hand at once, though the watch may lag: a reconcile that follows on another change would else begin from the status before.
 */
export class LifecycleOps {
  /** What was written and the watch has not shown yet, by uid. */
  private readonly written = new Map<string, ElastiService>();

  constructor(
    private readonly client: Pick<KubeWriter, 'patch'> & Pick<KubeReader, 'find'>,
    private readonly clock: Clock,
    private readonly metrics: OperatorMetrics,
    private readonly logger: Logger,
  ) {}

  /** The newer of what the cache has and what was written last, which is forgotten once the cache has it. */
  freshest(cached: Frozen<ElastiService>): Frozen<ElastiService> {
    const { uid = '', resourceVersion } = cached.metadata;
    const own = this.written.get(uid);
    if (own && isNewerVersion(own.metadata.resourceVersion, resourceVersion)) return own;
    this.written.delete(uid);
    return cached;
  }

  /** Nothing is kept of what is gone. */
  forget({ metadata }: Frozen<ElastiService>): void {
    this.written.delete(metadata.uid ?? '');
  }

  /** A stamp that was written meanwhile, often by this very reconcile, is kept: what was found is then written over the newest status. */
  async report(elastiService: Frozen<ElastiService>, findings: Findings, signal: AbortSignal): Promise<StatusOutcome> {
    try {
      return await this.write(elastiService, findings, signal);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const live = await this.client.find(ElastiService, refOf(elastiService), { signal });
      const { uid, generation } = elastiService.metadata;
      const isSame = live?.metadata.uid === uid && live?.metadata.generation === generation;
      if (!live || !isSame) throw error;
      return this.write(live, findings, signal);
    }
  }

  private async write(elastiService: Frozen<ElastiService>, findings: Findings, signal: AbortSignal): Promise<StatusOutcome> {
    const { namespace = '', name = '', generation } = elastiService.metadata;
    const { mode, conditions, routes, heldTarget } = findings;
    const nowIso = new Date(this.clock.now()).toISOString();
    const before = elastiService.status;
    const found: Frozen<ElastiServiceStatus> = {
      ...before,
      mode,
      observedGeneration: generation,
      routes: routes.length > 0 ? [...routes] : undefined,
      heldTarget,
      conditions: conditions.reduce((all, condition) => setCondition(all, condition, nowIso), [...(before?.conditions ?? [])]),
    };
    this.metrics.mode(namespace, name, mode);
    const triggers = findCondition(found.conditions, 'TriggersHealthy')?.status ?? 'Unknown';
    if (triggers !== 'Unknown') this.metrics.triggers(namespace, name, triggers === 'True' ? 'healthy' : 'failing');
    if (same(before, found)) return 'unchanged';
    const outcome = await patchStatus(this.remembering, ElastiService, elastiService, { ...found, lastReconciledTime: nowIso }, { signal });
    this.metrics.statusWritten(namespace, name, mode);
    this.logChanges(elastiService, findings);
    return outcome;
  }

  private get remembering(): Pick<KubeWriter, 'patch'> {
    return {
      patch: async <T extends KubeObject>(...call: Parameters<KubeWriter['patch']>) => {
        const written = await this.client.patch(...call);
        delete written.metadata.managedFields;
        this.written.set(written.metadata.uid ?? '', written as ElastiService);
        return written as T;
      },
    };
  }

  /** One line for each change of state, as the status has it now. */
  private logChanges(elastiService: Frozen<ElastiService>, { mode, conditions }: Findings): void {
    const object = formatRef(refOf(elastiService));
    const { status: before } = elastiService;
    if (before?.mode !== mode) this.logger.info('the mode changed', { object, mode });
    for (const { type, status, reason, message } of conditions) {
      const known = findCondition(before?.conditions, type);
      if (known?.status === status && known.reason === reason) continue;
      this.logger.info('a condition changed', { object, type, status, reason, detail: message });
    }
  }
}

/** Fields in any order, and one that is undefined is none: as the API server sees it. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [ours, theirs] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return (
    Object.keys(ours).every((key) => same(ours[key], theirs[key])) &&
    Object.keys(theirs).every((key) => theirs[key] === undefined || ours[key] !== undefined)
  );
}
