import { ApplyConflict, ApplySchemaError, serverSideApply, trackUpdate } from '../apply';
import { builtinSchema, deduced, type TypeSchema } from '../schema';
import { type JsonObject, asArray, asString, without } from '../store';
import { type Target, type WriteOptions } from './api-request';
import { ApiError } from './api.errors';
import { metadataOf } from './conversion';
import { groupVersion } from './resource-type';
import { type SimClock, isoSeconds } from '../sim-clock';

/** Keeps `metadata.managedFields`: who set which field, by apply or by any other write. */
export class FieldTracker {
  constructor(private readonly clock: SimClock) {}

  afterCreate(target: Target, after: JsonObject, options: WriteOptions): JsonObject {
    return this.withTracked(target, undefined, after, options);
  }

  afterUpdate(target: Target, before: JsonObject, after: JsonObject, options: WriteOptions): JsonObject {
    return this.withTracked(target, before, after, options);
  }

  apply(target: Target, live: JsonObject | undefined, config: JsonObject, options: WriteOptions): JsonObject {
    try {
      return serverSideApply({ live, config, force: options.force, ignoredFields: ignoredFields(target), ...this.shared(target, options) });
    } catch (error) {
      if (error instanceof ApplySchemaError) throw typingFailure(target, config, error);
      if (!(error instanceof ApplyConflict)) throw error;
      const shown = scaleWording(target);
      const causes = error.causes.map(({ field, message }) => ({ reason: 'FieldManagerConflict', message: shown(message), field }));
      throw new ApiError(409, 'Conflict', shown(error.message), { causes });
    }
  }

  typeSchema(target: Target): TypeSchema {
    if (target.type.custom) return target.version.schema?.typeSchema ?? deduced;
    return builtinSchema(target.type.group, target.version.name, target.type.kind);
  }

  private withTracked(target: Target, before: JsonObject | undefined, after: JsonObject, options: WriteOptions): JsonObject {
    const managedFields = trackUpdate({ before, after, ...this.shared(target, options) });
    const metadata = without(metadataOf(after), 'managedFields');
    return { ...after, metadata: asArray(managedFields).length === 0 ? metadata : { ...metadata, managedFields } };
  }

  private shared(target: Target, options: WriteOptions) {
    return {
      manager: options.fieldManager,
      apiVersion: groupVersion(target.type.group, target.version.name),
      subresource: target.subresource === '' ? undefined : target.subresource,
      typeSchema: this.typeSchema(target),
      nowIso: isoSeconds(this.clock.nowMs()),
    };
  }
}

/** Whoever owns the replicas does so, in the eyes of a Scale, by its own version. */
function scaleWording({ type, version, subresource }: Target): (text: string) => string {
  if (subresource !== 'scale') return (text) => text;
  return (text) => text.replaceAll(`using ${groupVersion(type.group, version.name)}`, 'using autoscaling/v1');
}

function typingFailure({ type, version }: Target, config: JsonObject, error: ApplySchemaError): ApiError {
  const { namespace, name } = metadataOf(config);
  const identity = `${asString(namespace)}/${asString(name)}; ${type.group}/${version.name}, Kind=${type.kind}`;
  return new ApiError(500, '', `failed to create typed patch object (${identity}): ${error.message}`);
}

/** What an apply to this endpoint neither changes nor owns. */
function ignoredFields({ version, subresource }: Target): string[] {
  if (subresource === 'status') return ['spec'];
  return version.hasStatus ? ['status'] : [];
}
