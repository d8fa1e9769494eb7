import type { WaitingPage } from '../cold-start';
import type { ServiceDirectory } from '../directory';
import type { ReadyPods } from '../endpoints';
import type { ExchangePolicy, OwnAnswer, RequestView, ServicePort } from '../exchange';
import type { TrafficMeter } from '../metrics';
import type { ProbeResponses } from '../probe';
import type { SharedPort } from '../routes';

export interface TrafficPolicyDependencies {
  readonly directory: Pick<ServiceDirectory, 'find'>;
  readonly pods: Pick<ReadyPods, 'of'>;
  readonly probes: Pick<ProbeResponses, 'answer'>;
  readonly waitingPage: Pick<WaitingPage, 'answer'>;
  readonly sharedPort: Pick<SharedPort, 'find'>;
  /** In small letters. */
  readonly headerForHost: string;
  readonly meter: Pick<TrafficMeter, 'identified' | 'probed'>;
}

/** What ElastiServices say about requests, for the hot path. */
export class TrafficPolicy implements ExchangePolicy {
  constructor(private readonly dependencies: TrafficPolicyDependencies) {}

  /** A header that names nobody gives way to Host: meshes write other things into it, too. */
  targetOf(request: RequestView): ServicePort | undefined {
    const { sharedPort, headerForHost, meter } = this.dependencies;
    const name = request.header(headerForHost);
    const named = name === undefined ? undefined : sharedPort.find(name);
    const target = named ?? sharedPort.find(request.host);
    meter.identified(named ? 'header' : target ? 'host' : 'none');
    return target;
  }

  answerInstead(target: ServicePort, request: RequestView): OwnAnswer | undefined {
    const { directory, pods, probes, waitingPage, meter } = this.dependencies;
    const known = directory.find(target);
    if (!known || pods.of(target).length > 0) return undefined;
    const probe = probes.answer(known, request);
    if (!probe) return waitingPage.answer(known, target, request);
    meter.probed(target);
    // Whoever set the body compares it to the byte: a type of its own leaves it as it is.
    return { status: probe.status, text: probe.body ?? '', contentType: 'text/plain; charset=utf-8' };
  }

  /** Where nobody speaks for the service any more, its own pods take the traffic, too. */
  isMovingOn(target: ServicePort): boolean {
    const known = this.dependencies.directory.find(target);
    return known === undefined || known.mode === 'serve';
  }
}
