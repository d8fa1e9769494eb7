import type { ProbeResponse } from '@elasti/api';
import type { Frozen, Logger } from '@elasti/operator-kit';
import type { KnownService } from '../directory';
import { compileProbe, type ProbeMatcher, viewOf } from './probe-matcher';
import type { ProbeRequest } from './probe-request';
import { PatternError } from './value-matcher';

const maxProbes = 32;

export interface ProbeAnswer {
  readonly status: number;
  /** Absent for a 204, which has none. */
  readonly body?: string;
}

interface CompiledProbe {
  readonly matches: ProbeMatcher;
  readonly answer: ProbeAnswer;
}

/**
 * The answers that ElastiServices give while no pod is ready, without waking anything.
 *
 * Compiled once for each list, which stays the same object until its ElastiService changes. An entry that cannot be compiled never matches, which is said once.
 */
export class ProbeResponses {
  private readonly compiled = new WeakMap<KnownService['probeResponse'], readonly CompiledProbe[]>();

  constructor(private readonly logger: Logger) {}

  /** The answer of the first entry that matches. */
  answer(service: Pick<KnownService, 'namespace' | 'elastiService' | 'probeResponse'>, request: ProbeRequest): ProbeAnswer | undefined {
    if (service.probeResponse.length === 0) return undefined;
    const probes = this.compiled.get(service.probeResponse) ?? this.compile(service);
    const view = viewOf(request);
    return probes.find(({ matches }) => matches(view))?.answer;
  }

  private compile({
    namespace,
    elastiService,
    probeResponse,
  }: Pick<KnownService, 'namespace' | 'elastiService' | 'probeResponse'>): CompiledProbe[] {
    const probes = probeResponse.slice(0, maxProbes).flatMap((probe, index) => {
      try {
        return [{ matches: compileProbe(probe), answer: answerOf(probe) }];
      } catch (error) {
        if (!(error instanceof PatternError)) throw error;
        this.logger.warn('probe response never matches', { namespace, name: elastiService, field: `spec.probeResponse[${index}]`, error });
        return [];
      }
    });
    this.compiled.set(probeResponse, probes);
    return probes;
  }
}

function answerOf({ response: { status, body } }: Frozen<ProbeResponse>): ProbeAnswer {
  return status === 204 ? { status } : { status, body: body ?? '' };
}
