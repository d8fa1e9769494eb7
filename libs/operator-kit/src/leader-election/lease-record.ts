import { type Lease, Lease as LeaseDefinition, apiVersionOf } from '../client';
import { formatMicroTime } from '../clock';
import type { LeaderElectionConfig } from './leader-election.config';

type LeaseSpec = NonNullable<Lease['spec']>;

/** The Lease as its first holder creates it. */
export function buildLease(config: LeaderElectionConfig, nowMs: number): Lease {
  return {
    apiVersion: apiVersionOf(LeaseDefinition),
    kind: LeaseDefinition.kind,
    metadata: { namespace: config.namespace, name: config.name },
    spec: { ...buildClaim(config, nowMs), acquireTime: formatMicroTime(nowMs), leaseTransitions: 0 },
  };
}

/** The Lease as read, now held by us; fields that are not the election's own stay as they are. */
export function holdLease(lease: Lease, config: LeaderElectionConfig, nowMs: number): Lease {
  const spec: LeaseSpec = { ...lease.spec, ...buildClaim(config, nowMs) };
  if (holderOf(lease) !== config.identity) {
    spec.acquireTime = formatMicroTime(nowMs);
    spec.leaseTransitions = (lease.spec?.leaseTransitions ?? 0) + 1;
  }
  return { ...lease, spec };
}

/** The Lease as read, held by nobody; the shortest duration there is, so that no candidate waits for it. */
export function releaseLease(lease: Lease, nowMs: number): Lease {
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: formatMicroTime(nowMs) } };
}

export function holderOf(lease: Lease): string {
  return lease.spec?.holderIdentity ?? '';
}

/** Same text, same record. Labels and foreign fields are left out: an edit of those says nothing about the holder being alive. */
export function fingerprintOf({ spec = {} }: Lease): string {
  return JSON.stringify([spec.holderIdentity, spec.acquireTime, spec.renewTime, spec.leaseDurationSeconds, spec.leaseTransitions]);
}

function buildClaim(config: LeaderElectionConfig, nowMs: number): LeaseSpec {
  return {
    holderIdentity: config.identity,
    leaseDurationSeconds: config.leaseDurationMs / 1000,
    renewTime: formatMicroTime(nowMs),
  };
}
