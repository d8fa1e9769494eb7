import type { ElastiService, ElastiServiceSpec, ProbeResponse, TrafficMode } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import type { ServiceRef } from './service-map';

/** What its ElastiService says about a Service; absent numbers mean the resolver's own settings. */
export interface KnownService extends ServiceRef {
  /** The name of the ElastiService that speaks for it. */
  readonly elastiService: string;
  /** Absent until the operator has looked at it. */
  readonly mode?: TrafficMode;
  readonly maxRequests?: number;
  readonly maxBytes?: number;
  readonly requestTimeoutMs?: number;
  readonly coldStart: NonNullable<ElastiServiceSpec['coldStart']>;
  readonly forward: NonNullable<ElastiServiceSpec['forward']>;
  /** Absent: names that end in `metrics`. */
  readonly nonWakingPorts?: readonly string[];
  /** The same array for as long as nothing in it changes. */
  readonly probeResponse: readonly Frozen<ProbeResponse>[];
}

const noProbes: KnownService['probeResponse'] = [];

export function knownServiceOf(service: string, { metadata, spec, status }: Frozen<ElastiService>): KnownService {
  const { queue, timeouts } = spec;
  return {
    namespace: metadata.namespace ?? '',
    service,
    elastiService: metadata.name ?? '',
    // One that is deleted is about to be its pods' own again: clients are told to go to them.
    mode: metadata.deletionTimestamp ? 'serve' : status?.mode,
    maxRequests: queue?.maxRequests,
    maxBytes: queue?.maxBytes,
    requestTimeoutMs: timeouts?.request === undefined ? undefined : timeouts.request * 1_000,
    coldStart: spec.coldStart ?? 'hold',
    forward: spec.forward ?? 'pod',
    nonWakingPorts: spec.nonWakingPorts,
    probeResponse: spec.probeResponse ?? noProbes,
  };
}

/** Whether a request to this port wakes the Service and counts as activity. A port without a name always does. */
export function isWakingPort({ nonWakingPorts }: Pick<KnownService, 'nonWakingPorts'>, portName: string): boolean {
  return nonWakingPorts ? !nonWakingPorts.includes(portName) : !portName.endsWith('metrics');
}
