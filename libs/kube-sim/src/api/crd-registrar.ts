import { isoSeconds, type SimClock } from '../sim-clock';
import { type Change, type JsonObject, type ObjectStore, asArray, asObject, asString, sameJson } from '../store';
import { resourceTypeOf } from './crd-types';
import { type ResourceRegistry } from './resource-registry';

/** Holds a definition until the objects it describes are gone. */
export const CRD_CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
export const CRD_STORAGE = 'apiextensions.k8s.io/customresourcedefinitions';

/**
 * Serves what CustomResourceDefinitions describe, as long as they exist.
 *
 * A definition is established right after the write that made it, before the next request is looked at.
 */
export class CrdRegistrar {
  private readonly stopListening: () => void;

  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
    private readonly clock: SimClock,
  ) {
    this.stopListening = store.collection(CRD_STORAGE).listen((change) => {
      this.follow(change);
    });
  }

  stop(): void {
    this.stopListening();
  }

  private follow({ type, object }: Change): void {
    const resource = resourceTypeOf(object.object);
    if (type === 'DELETED') {
      this.registry.delete(resource.group, resource.plural);
      return;
    }
    this.registry.set(resource);
    // Not within the change itself: those who listen would hear of the second write before the first.
    queueMicrotask(() => {
      this.writeStatus(object.name);
    });
  }

  private writeStatus(name: string): void {
    const current = this.store.get(CRD_STORAGE, '', name);
    if (!current) return;
    const status = this.desiredStatus(current.object);
    const metadata = withCleanup(current.metadata);
    if (sameJson({ metadata, status }, { metadata: current.metadata, status: asObject(current.object.status) })) return;
    this.store.put(CRD_STORAGE, { ...current.object, metadata, status });
  }

  private desiredStatus(crd: JsonObject): JsonObject {
    const spec = asObject(crd.spec);
    const names = asObject(spec.names);
    const before = asObject(crd.status);
    const kind = asString(names.kind);
    const stored = asArray(spec.versions)
      .map(asObject)
      .filter((version) => version.storage === true)
      .map((version) => asString(version.name));
    const storedVersions = [...new Set([...asArray(before.storedVersions).map(String), ...stored])];
    return {
      conditions: [
        this.condition(before, 'NamesAccepted', 'NoConflicts', 'no conflicts found'),
        this.condition(before, 'Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: {
        ...names,
        listKind: asString(names.listKind) || `${kind}List`,
        singular: asString(names.singular) || kind.toLowerCase(),
      },
      storedVersions,
    };
  }

  private condition(before: JsonObject, type: string, reason: string, message: string): JsonObject {
    const known = asArray(before.conditions)
      .map(asObject)
      .find((condition) => condition.type === type);
    if (known) return known;
    return { type, status: 'True', lastTransitionTime: isoSeconds(this.clock.nowMs()), reason, message };
  }
}

function withCleanup(metadata: JsonObject): JsonObject {
  const finalizers = asArray(metadata.finalizers);
  if (metadata.deletionTimestamp !== undefined || finalizers.includes(CRD_CLEANUP_FINALIZER)) return metadata;
  return { ...metadata, finalizers: [...finalizers, CRD_CLEANUP_FINALIZER] };
}
