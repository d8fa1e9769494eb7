import { type JsonObject, type StoredObject, asArray, asObject, asString } from '../store';
import { buildPod, templateOf } from './pod-template';
import { numberIn, replicasOf, specOf } from './workload-object';

export const REVISION_LABEL = 'controller-revision-hash';

/** The names of the pods that a StatefulSet should have, in order. */
export function podNamesOf(set: StoredObject): string[] {
  const start = numberIn(asObject(specOf(set).ordinals), 'start');
  return Array.from({ length: replicasOf(set) }, (_none, index) => `${set.name}-${start + index}`);
}

/** The number at the end of a pod's name. */
export const ordinalOf = (podName: string): number => Number(podName.slice(podName.lastIndexOf('-') + 1));

/** One pod of the set: it keeps its name, its place in DNS and its volumes through all its lives. */
export function buildStatefulPod(set: StoredObject, name: string, revision: string): JsonObject {
  const spec = specOf(set);
  const pod = buildPod(
    set,
    templateOf(set),
    { generateName: `${set.name}-`, name },
    {
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinalOf(name)),
      [REVISION_LABEL]: revision,
    },
  );
  const podSpec = asObject(pod.spec);
  const claimed = buildClaims(set, name).map((claim) => ({ volume: volumeNameOf(claim, name), claim: claimNameOf(claim) }));
  const others = asArray(podSpec.volumes).filter((volume) => !claimed.some((own) => own.volume === asObject(volume).name));
  const volumes = [...others, ...claimed.map(({ volume, claim }) => ({ name: volume, persistentVolumeClaim: { claimName: claim } }))];
  const serviceName = asString(spec.serviceName);
  return {
    ...pod,
    spec: {
      ...podSpec,
      hostname: name,
      ...(serviceName === '' ? {} : { subdomain: serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** The claims of one pod, which outlive it. */
export function buildClaims(set: StoredObject, podName: string): JsonObject[] {
  return asArray(specOf(set).volumeClaimTemplates)
    .map(asObject)
    .map((template) => {
      const { name, labels, annotations } = asObject(template.metadata);
      const selected = asObject(asObject(specOf(set).selector).matchLabels);
      return {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: `${asString(name)}-${podName}`,
          labels: { ...asObject(labels), ...selected },
          ...(annotations === undefined ? {} : { annotations }),
        },
        spec: asObject(template.spec),
      };
    });
}

const claimNameOf = (claim: JsonObject): string => asString(asObject(claim.metadata).name);

const volumeNameOf = (claim: JsonObject, podName: string): string => claimNameOf(claim).slice(0, -podName.length - 1);
