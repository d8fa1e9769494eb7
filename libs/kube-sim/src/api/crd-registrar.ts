import { isoSeconds, type SimClock } from '../sim-clock';
import { type Change, type JsonObject, type ObjectStore, asArray, asObject, asString, sameJson } from '../store';
import { CRD_STORAGE, resourceTypeOf } from './crd-types';
import { type ResourceRegistry } from './resource-registry';

/**
 * Serves what CustomResourceDefinitions describe, as long as they exist.
 *
 * A definition is established right after the write that made it, before the next request is looked at. Whoever watches
 * what it describes is told by `onRedefined` to start again once it says something else or is gone.
 */
export class CrdRegistrar {
  private readonly stopListening: () => void;

  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
    private readonly clock: SimClock,
    private readonly onRedefined: (storageId: string) => void,
  ) {
    this.stopListening = store.collection(CRD_STORAGE).listen((change) => {
      this.follow(change);
    });
  }

  stop(): void {
    this.stopListening();
  }

  private follow({ type, object, previous }: Change): void {
    const resource = resourceTypeOf(object.object);
    if (type === 'DELETED') {
      this.registry.delete(resource.group, resource.plural);
      this.onRedefined(resource.storageId);
      return;
    }
    this.registry.set(resource);
    if (previous && !sameJson(previous.object.spec, object.object.spec)) this.onRedefined(resource.storageId);
    // Not within the change itself: those who listen would hear of the second write before the first.
    queueMicrotask(() => {
      this.writeStatus(object.name);
    });
  }

  private writeStatus(name: string): void {
    const current = this.store.get(CRD_STORAGE, '', name);
    if (!current) return;
    const status = this.desiredStatus(current.object);
    if (!sameJson(status, asObject(current.object.status))) this.store.put(CRD_STORAGE, { ...current.object, status });
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
        ...conditionsOf(before).filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
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
    const known = conditionsOf(before).find((condition) => condition.type === type);
    if (known) return known;
    return { type, status: 'True', lastTransitionTime: isoSeconds(this.clock.nowMs()), reason, message };
  }
}

const conditionsOf = (status: JsonObject): JsonObject[] => asArray(status.conditions).map(asObject);
