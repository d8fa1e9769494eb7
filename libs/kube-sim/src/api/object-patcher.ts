import { PatchError, jsonPatch, mergePatch, strategicMergePatch } from '../patch';
import { type JsonObject, type ObjectStore, asString, isObject, without } from '../store';
import { ApiError, badRequest, conflict, invalid, notFound, unsupportedMediaType } from './api.errors';
import { type Target, type WriteOptions } from './api-request';
import { DecodingError } from './admission';
import { metadataOf, toServed } from './conversion';
import { type FieldTracker } from './field-tracker';
import { type ObjectWriter, type Written } from './object-writer';
import { parseText, parseYamlBody } from './request-body';
import { type ScalePaths, groupVersion } from './resource-type';
import { checkScale, withScale } from './scale';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Changes an object by one of the four patch formats. Custom resources have no strategic merge patch. */
export class ObjectPatcher {
  constructor(
    private readonly store: ObjectStore,
    private readonly writer: ObjectWriter,
    private readonly tracker: FieldTracker,
  ) {}

  patch(target: Target, text: string, mediaType: string, options: WriteOptions, query: URLSearchParams): Written {
    if (mediaType === APPLY_PATCH) return this.apply(target, text, options, query.get('fieldManager') ?? '');
    const { type, version, namespace, name } = target;
    const accepted = type.custom ? [JSON_PATCH, MERGE_PATCH, APPLY_PATCH] : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH];
    if (!accepted.includes(mediaType)) throw unsupportedPatch(target, accepted);
    if (query.has('force')) {
      throw invalid('meta.k8s.io', 'PatchOptions', '', [
        { field: 'force', reason: 'FieldValueForbidden', message: 'Forbidden: may not be specified for non-apply patch' },
      ]);
    }
    const current = this.store.get(type.storageId, namespace, name);
    if (!current) throw notFound(type, name);
    const before = toServed(type, version.name, current.object);
    const body = this.patched(target, before, parseText(text, JSON.parse), mediaType);
    checkType(target, body);
    // A patch that says nothing of the version carries the one that was read, which is current by definition.
    try {
      return this.writer.replace(target, current, body, options);
    } catch (error) {
      throw error instanceof DecodingError ? undecodable(body, error.why) : error;
    }
  }

  /** What a patch makes of any object, such as a Scale. */
  patched(target: Target, before: JsonObject, patch: unknown, mediaType: string): JsonObject {
    try {
      switch (mediaType) {
        case JSON_PATCH:
          return jsonPatch(before, patch);
        case MERGE_PATCH:
          return mergePatch(before, patch);
        default:
          return strategicMergePatch(before, patch, this.tracker.typeSchema(target));
      }
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      throw patchRefusal(error);
    }
  }

  /** Applies the replicas of a Scale; ownership is kept on the scaled object. */
  applyScale(target: Target, paths: ScalePaths, text: string, options: WriteOptions, manager: string): Written {
    checkManager(manager);
    const { type, version, namespace, name } = target;
    const current = this.store.get(type.storageId, namespace, name);
    if (!current) throw notFound(type, name);
    const scale = parseText(text, parseYamlBody);
    if (!isObject(scale)) throw badRequest('error decoding YAML: the body is not an object');
    checkScale(target, paths, scale);
    const identity = { apiVersion: groupVersion(type.group, version.name), kind: type.kind, metadata: { name } };
    const config = withScale(paths, identity, scale);
    const live = toServed(type, version.name, current.object);
    const merged = this.tracker.apply(target, live, config, { ...options, fieldManager: manager });
    return this.writer.replace(target, current, merged, options, 'apply');
  }

  private apply(target: Target, text: string, options: WriteOptions, manager: string): Written {
    const { type, version, namespace, name } = target;
    checkManager(manager);
    const config = parseText(text, parseYamlBody);
    if (!isObject(config)) throw badRequest('error decoding YAML: the body is not an object');
    const identity = `${asString(config.apiVersion)}, Kind=${asString(config.kind)}`;
    if (identity !== `${groupVersion(type.group, version.name)}, Kind=${type.kind}`) {
      throw badRequest(
        `invalid object type: ${asString(config.apiVersion) === '' ? '/' : asString(config.apiVersion)}, Kind=${asString(config.kind)}`,
      );
    }
    if (metadataOf(config).managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
    const given = asString(metadataOf(config).name);
    if (given !== '' && given !== name) throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
    const current = this.store.get(type.storageId, namespace, name);
    if (!current && target.subresource !== '') throw notFound(type, name);
    const uid = asString(metadataOf(config).uid);
    if (!current && uid !== '')
      throw conflict(type, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
    const live = current && toServed(type, version.name, current.object);
    const merged = this.tracker.apply(target, live, config, { ...options, fieldManager: manager });
    if (current) return this.writer.replace(target, current, merged, options, 'apply');
    const metadata = without(metadataOf(merged), 'resourceVersion');
    return this.writer.create(target, { ...merged, metadata: { ...metadata, name } }, options, 'apply');
  }
}

function checkManager(manager: string): void {
  if (manager !== '') return;
  throw invalid('meta.k8s.io', 'PatchOptions', '', [
    { field: 'fieldManager', reason: 'FieldValueRequired', message: 'Required value: is required for apply patch' },
  ]);
}

/** No patch makes an object of one kind into one of another. */
function checkType({ type, version, name }: Target, patched: JsonObject): void {
  const expected = groupVersion(type.group, version.name);
  const [apiVersion, kind] = [asString(patched.apiVersion), asString(patched.kind)];
  if (apiVersion === expected && kind === type.kind) return;
  if (!type.custom) throw undecodable(patched, `converting (${version.name}.${kind}) to (core.${type.kind}): unknown conversion`);
  const [field, given, wanted] = kind === type.kind ? ['apiVersion', apiVersion, expected] : ['kind', kind, type.kind];
  const problem = { field, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(given)}: must be ${wanted}` };
  throw invalid(apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '', kind, name, [problem]);
}

function patchRefusal(error: PatchError): ApiError {
  if (error.code === 400) return badRequest(error.message);
  if (error.code === 413) return new ApiError(413, 'RequestEntityTooLarge', error.message);
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** A patch is judged by what it makes of the object, which the refusal repeats. */
function undecodable(patched: JsonObject, why: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(patched))}: ${why}`;
  return invalid('', '', '', [{ field: 'patch', reason: 'FieldValueInvalid', message }]);
}

function unsupportedPatch({ type }: Target, accepted: readonly string[]): ApiError {
  return type.custom ? unsupportedMediaType(accepted) : new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}
