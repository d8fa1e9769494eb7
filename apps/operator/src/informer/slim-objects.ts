import type { EndpointSlice, ObjectMeta, Service } from '@elasti/operator-kit';
import { privateServiceLabel, protocolAnnotation } from '../names';

// With thousands of services the caches are most of the operator's memory: they keep what somebody reads, and nothing else.

/** Load balancers that register pods by themselves are known by these, and servers that speak first. */
const annotationsOfInterest = [
  'service.beta.kubernetes.io/aws-load-balancer-nlb-target-type',
  'service.beta.kubernetes.io/aws-load-balancer-type',
  'cloud.google.com/neg',
  protocolAnnotation,
] as const;

export function slimMeta({ namespace, name, uid, resourceVersion, deletionTimestamp }: ObjectMeta): ObjectMeta {
  return { namespace, name, uid, resourceVersion, ...(deletionTimestamp && { deletionTimestamp }) };
}

/** A private Service is compared with what it should be, so its labels and owner stay. */
export function slimService({ apiVersion, kind, metadata, spec }: Service): Service {
  const { labels, ownerReferences, annotations = {} } = metadata;
  const isPrivate = labels?.[privateServiceLabel] !== undefined;
  const kept = Object.entries(annotations).filter(([key]) => (annotationsOfInterest as readonly string[]).includes(key));
  const { selector, ports, type, clusterIP, ipFamilies, ipFamilyPolicy, sessionAffinity } = spec ?? {};
  const { internalTrafficPolicy, externalTrafficPolicy, publishNotReadyAddresses } = spec ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      ...slimMeta(metadata),
      ...(isPrivate && { labels, ownerReferences }),
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    },
    spec: {
      type,
      selector,
      ports,
      ipFamilies,
      ipFamilyPolicy,
      // Which address it is does not matter, only that there is one.
      ...(clusterIP === 'None' && { clusterIP }),
      ...(sessionAffinity !== 'None' && { sessionAffinity }),
      ...(internalTrafficPolicy === 'Local' && { internalTrafficPolicy }),
      ...(externalTrafficPolicy === 'Local' && { externalTrafficPolicy }),
      ...(publishNotReadyAddresses && { publishNotReadyAddresses }),
    },
  };
}

/** Of a target's pods it only matters whether one is ready. */
export function slimPodSlice({ apiVersion, kind, metadata, addressType, endpoints }: EndpointSlice): EndpointSlice {
  const ready = (endpoints ?? []).find(({ conditions }) => conditions?.ready !== false);
  const { 'kubernetes.io/service-name': service = '', [privateServiceLabel]: of = '' } = metadata.labels ?? {};
  return {
    apiVersion,
    kind,
    metadata: { ...slimMeta(metadata), labels: { 'kubernetes.io/service-name': service, [privateServiceLabel]: of } },
    addressType,
    endpoints: ready ? [{ addresses: [], conditions: { ready: true } }] : [],
  };
}

/** Ours are compared with what they should be. */
export function slimOwnSlice({ apiVersion, kind, metadata, addressType, endpoints, ports }: EndpointSlice): EndpointSlice {
  const { labels, ownerReferences } = metadata;
  return { apiVersion, kind, metadata: { ...slimMeta(metadata), labels, ownerReferences }, addressType, endpoints, ports };
}
