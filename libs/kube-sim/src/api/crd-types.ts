import { CrdSchema } from '../schema';
import { type JsonObject, asArray, asObject, asString } from '../store';
import { type ResourceType, type VersionBehaviour } from './resource-type';

export const CRD_STORAGE = 'apiextensions.k8s.io/customresourcedefinitions';
/** Holds a definition that is being deleted until the objects it describes are gone. */
export const CRD_CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

const stringsOf = (value: unknown): string[] => asArray(value).filter((item): item is string => typeof item === 'string');

/** The resource that a CustomResourceDefinition describes. */
export function resourceTypeOf(crd: JsonObject): ResourceType {
  const spec = asObject(crd.spec);
  const names = asObject(spec.names);
  const group = asString(spec.group);
  const kind = asString(names.kind);
  const plural = asString(names.plural);
  const versions = asArray(spec.versions).map(asObject);
  const stored = versions.find((version) => version.storage === true);
  return {
    group,
    plural,
    singular: asString(names.singular) || kind.toLowerCase(),
    kind,
    listKind: asString(names.listKind) || `${kind}List`,
    shortNames: stringsOf(names.shortNames),
    categories: stringsOf(names.categories),
    namespaced: asString(spec.scope) === 'Namespaced',
    storageId: `${group}/${plural}`,
    storageVersion: asString(stored?.name),
    versions: versions.filter((version) => version.served === true).map(versionBehaviour),
    custom: true,
    verbs: VERBS,
    hasGeneration: true,
    fieldSelectors: [],
    updateWithoutVersion: 'refused',
    updateOfMissing: 'not-found',
    deleteAnswer: 'status',
    defaultPropagation: 'Background',
    statusMetadata: 'kept',
  };
}

function versionBehaviour(version: JsonObject): VersionBehaviour {
  const subresources = asObject(version.subresources);
  const scale = subresources.scale === undefined ? undefined : asObject(subresources.scale);
  const columns = asArray(version.additionalPrinterColumns).map(asObject);
  return {
    name: asString(version.name),
    hasStatus: subresources.status !== undefined,
    scale: scale && {
      specReplicasPath: asString(scale.specReplicasPath),
      statusReplicasPath: asString(scale.statusReplicasPath),
      labelSelectorPath: asString(scale.labelSelectorPath) || undefined,
    },
    printerColumns: columns,
    schema: CrdSchema.compile(version),
    openApiSchema: asObject(asObject(version.schema).openAPIV3Schema),
    selectableFields: asArray(version.selectableFields).map((field) => asString(asObject(field).jsonPath).replace(/^\./, '')),
    deprecationWarning: version.deprecated === true ? asString(version.deprecationWarning) || 'deprecated' : undefined,
  };
}
