import type { ElastiService } from '@elasti/api';
import { type Clock, ForbiddenError, formatRef, type Frozen, type KubeReader, Node, refOf, type Service } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import { bypassesService, type Informers, selectorEntriesOf, targetKindOf } from '../../informer';
import type { OperatorConfig } from '../../operator.config';
import type { ResolverPods } from '../../resolvers';
import { decideServiceFitness, type Finding, type Refusal, type Warning } from '../decisions/service-fitness';
import { privateServiceName } from '../resources/child-names';
import type { Standing } from '../standing';
import { TargetNotFoundError } from '../waker';
import type { ObservedTarget, TargetOps } from './target.ops';

/** All that is seen of one ElastiService's surroundings at the beginning of a reconcile. */
export interface Scene {
  /** The older ElastiService that speaks for `spec.service`. */
  readonly claimedBy?: string;
  /** Those of its Services that are there, the main one first. */
  readonly services: readonly Frozen<Service>[];
  readonly missing: readonly string[];
  readonly refusals: readonly Finding<Refusal>[];
  readonly warnings: readonly Finding<Warning>[];
  readonly target: ObservedTarget | { readonly problem: string };
  /** How long each of the Services has had a ready pod; undefined while one has none. */
  readonly readyForMs: number | undefined;
}

export interface SceneDependencies {
  readonly client: Pick<KubeReader, 'list'>;
  readonly informers: Pick<Informers, 'services' | 'podSlices' | 'ingresses'>;
  readonly directory: ElastiDirectory;
  readonly resolvers: Pick<ResolverPods, 'ready'>;
  readonly target: Pick<TargetOps, 'observe'>;
  readonly standing: Standing;
  readonly clock: Clock;
  readonly config: Pick<OperatorConfig, 'operator' | 'resolver'>;
}

export const readyFact = 'has ready pods';

/** Many services ask for the nodes at the same time when a resolver comes or goes: they share one answer for so long. */
const nodesFreshMs = 5_000;

/** Looks, and changes nothing. */
export class SceneOps {
  private nodes: { readonly names: readonly string[]; readonly readMs: number } | undefined;

  constructor(private readonly dependencies: SceneDependencies) {}

  async observe(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<Scene> {
    const { services, missing, claimedBy } = this.findServices(elastiService);
    const fitness = await Promise.all(services.map((service) => this.fitnessOf(elastiService, service, signal)));
    const isReady = services.length > 0 && services.every((service) => this.hasReadyPod(service));
    const key = formatRef(refOf(elastiService));
    return {
      claimedBy,
      services,
      missing,
      refusals: fitness.flatMap(({ refusals }) => refusals),
      warnings: fitness.flatMap(({ warnings }) => warnings),
      target: await this.findTarget(elastiService, signal),
      readyForMs: this.dependencies.standing.holdsForMs(key, readyFact, isReady),
    };
  }

  /** The additional Services that another one speaks for are left to it. */
  private findServices(elastiService: Frozen<ElastiService>): Pick<Scene, 'services' | 'missing' | 'claimedBy'> {
    const { directory, informers } = this.dependencies;
    const { namespace = '', uid } = elastiService.metadata;
    const { service: main, additionalServices = [] } = elastiService.spec;
    const speakerOf = (name: string) => directory.forService(namespace, name);
    const speaker = speakerOf(main);
    if (speaker && speaker.metadata.uid !== uid) return { services: [], missing: [], claimedBy: speaker.metadata.name };

    const names = [...new Set([main, ...additionalServices])].filter((name) => speakerOf(name)?.metadata.uid === uid);
    const found = names.map((name) => ({ name, service: informers.services.get({ namespace, name }) }));
    return {
      services: found.flatMap(({ service }) => service ?? []),
      missing: found.filter(({ service }) => !service).map(({ name }) => name),
    };
  }

  private async fitnessOf(elastiService: Frozen<ElastiService>, service: Frozen<Service>, signal: AbortSignal) {
    const { informers } = this.dependencies;
    const { namespace = '', name = '' } = service.metadata;
    const own = new Set([elastiService.spec.service, ...(elastiService.spec.additionalServices ?? [])]);
    const sharing = selectorEntriesOf(service).flatMap((entry) => informers.services.byIndex('bySelector', entry));
    return decideServiceFitness(service, {
      isElastiItself: this.isElastiItself(elastiService),
      everyNodeHasResolver: service.spec?.internalTrafficPolicy === 'Local' && (await this.everyNodeHasResolver(signal)),
      otherServices: [...new Set(sharing)].filter((other) => !own.has(other.metadata.name ?? '')),
      bypassingIngresses: informers.ingresses
        .byIndex('byService', `${namespace}/${name}`)
        .filter(bypassesService)
        .map(({ metadata }) => metadata.name ?? ''),
    });
  }

  private isElastiItself({ metadata, spec }: Frozen<ElastiService>): boolean {
    const { operator, resolver } = this.dependencies.config;
    const { name } = spec.scaleTargetRef;
    if (targetKindOf(spec.scaleTargetRef) !== 'Deployment') return false;
    return [operator, resolver].some((part) => part.namespace === metadata.namespace && part.deploymentName === name);
  }

  /** Asked for rarely, so the nodes are not watched for it. Who may not read nodes cannot know. */
  private async everyNodeHasResolver(signal: AbortSignal): Promise<boolean> {
    try {
      const names = await this.nodeNames(signal);
      const covered = new Set(this.dependencies.resolvers.ready().map(({ nodeName }) => nodeName));
      return names.every((name) => covered.has(name));
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
  }

  private async nodeNames(signal: AbortSignal): Promise<readonly string[]> {
    const { client, clock } = this.dependencies;
    if (this.nodes && clock.monotonic() - this.nodes.readMs < nodesFreshMs) return this.nodes.names;
    const readMs = clock.monotonic();
    const { items } = await client.list(Node, { signal });
    const names = items.map(({ metadata }) => metadata.name ?? '');
    this.nodes = { names, readMs };
    return names;
  }

  private async findTarget(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<Scene['target']> {
    try {
      return await this.dependencies.target.observe(elastiService, signal);
    } catch (error) {
      if (error instanceof TargetNotFoundError) return { problem: error.message };
      throw error;
    }
  }

  private hasReadyPod({ metadata }: Frozen<Service>): boolean {
    const { namespace = '', name = '' } = metadata;
    const slices = this.dependencies.informers.podSlices.byIndex('byService', `${namespace}/${privateServiceName(name)}`);
    return slices.some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready !== false));
  }
}
