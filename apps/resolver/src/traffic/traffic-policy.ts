import type { ServiceDirectory } from '../directory';
import type { ReadyPods } from '../endpoints';
import type { ExchangePolicy, OwnAnswer, RequestView, ServicePort } from '../exchange';
import type { ProbeResponses } from '../probe';
import type { SharedPort } from '../routes';

/** How a request on the shared port said whom it is for. */
export type HostSource = 'header' | 'host';

export interface TrafficPolicyDependencies {
  readonly directory: Pick<ServiceDirectory, 'find'>;
  readonly pods: Pick<ReadyPods, 'of'>;
  readonly probes: Pick<ProbeResponses, 'answer'>;
  readonly sharedPort: Pick<SharedPort, 'find'>;
  /** In small letters. */
  readonly headerForHost: string;
  /** Told of every request whose port names no service; `undefined`: it named nobody that is known. */
  readonly onIdentified: (source: HostSource, target: ServicePort | undefined) => void;
}

/** What ElastiServices say about requests, for the hot path. */
export class TrafficPolicy implements ExchangePolicy {
  constructor(private readonly dependencies: TrafficPolicyDependencies) {}

  /** A header that names nobody gives way to Host: meshes write other things into it, too. */
  targetOf(request: RequestView): ServicePort | undefined {
    const { sharedPort, headerForHost, onIdentified } = this.dependencies;
    const name = request.header(headerForHost);
    const named = name === undefined ? undefined : sharedPort.find(name);
    const target = named ?? sharedPort.find(request.host);
    onIdentified(named ? 'header' : 'host', target);
    return target;
  }

  answerInstead(target: ServicePort, request: RequestView): OwnAnswer | undefined {
    const { directory, pods, probes } = this.dependencies;
    const known = directory.find(target);
    if (!known || pods.of(target).length > 0) return undefined;
    const probe = probes.answer(known, request);
    return probe && { status: probe.status, text: probe.body ?? '' };
  }

  isMovingOn(target: ServicePort): boolean {
    return this.dependencies.directory.find(target)?.mode === 'serve';
  }
}
