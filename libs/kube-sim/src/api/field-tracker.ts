import { builtinSchema, deduced, type TypeSchema } from '../schema';
import { type JsonObject, asArray } from '../store';
import { type Target, type WriteOptions } from './api-request';
import { metadataOf } from './conversion';
import { groupVersion } from './resource-type';
import { type SimClock, isoSeconds } from '../sim-clock';
import { serverSideApply, trackUpdate } from './stand-ins';

/** Keeps `metadata.managedFields`: who set which field, by apply or by any other write. */
export class FieldTracker {
  constructor(private readonly clock: SimClock) {}

  afterCreate(target: Target, after: JsonObject, options: WriteOptions): JsonObject {
    return this.withTracked(target, undefined, after, options);
  }

  afterUpdate(target: Target, before: JsonObject, after: JsonObject, options: WriteOptions): JsonObject {
    const given = metadataOf(after).managedFields;
    // A write that names no managers at all keeps the known ones; one that sends an empty list asks to forget them.
    const kept = given === undefined || given === null ? metadataOf(before).managedFields : given;
    const metadata = { ...metadataOf(after) };
    if (kept === undefined) delete metadata.managedFields;
    else metadata.managedFields = kept;
    return this.withTracked(target, before, { ...after, metadata }, options);
  }

  apply(target: Target, live: JsonObject | undefined, config: JsonObject, options: WriteOptions): JsonObject {
    return serverSideApply({ live, config, force: options.force, ...this.shared(target, options) });
  }

  typeSchema(target: Target): TypeSchema {
    return target.type.custom ? deduced : builtinSchema(target.type.group, target.version.name, target.type.kind);
  }

  private withTracked(target: Target, before: JsonObject | undefined, after: JsonObject, options: WriteOptions): JsonObject {
    const managedFields = trackUpdate({ before, after, ...this.shared(target, options) });
    const { managedFields: _old, ...metadata } = metadataOf(after);
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
