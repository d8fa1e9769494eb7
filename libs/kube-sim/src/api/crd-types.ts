import { CrdSchema } from '../schema';
import { type JsonObject, asArray, asObject, asString } from '../store';
import { compareVersions } from './resource-registry';
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
    versions: versions.filter((version) => version.served === true).map((version) => versionBehaviour(group, kind, version, versions)),
    custom: true,
    verbs: VERBS,
    hasGeneration: true,
    generationFollows: 'spec',
    fieldSelectors: [],
    updateWithoutVersion: 'refused',
    updateOfMissing: 'not-found',
    deleteAnswer: 'status',
    defaultPropagation: 'Background',
    statusMetadata: 'kept',
  };
}

function versionBehaviour(group: string, kind: string, version: JsonObject, versions: readonly JsonObject[]): VersionBehaviour {
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
    deprecationWarning: deprecationWarning(group, kind, version, versions),
  };
}

/** What users of a version that will go are told with every answer. */
function deprecationWarning(group: string, kind: string, version: JsonObject, versions: readonly JsonObject[]): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (typeof version.deprecationWarning === 'string') return version.deprecationWarning;
  const [better] = versions
    .filter(({ served, deprecated }) => served === true && deprecated !== true)
    .map(({ name }) => asString(name))
    .sort(compareVersions);
  const name = asString(version.name);
  const isNewer = better !== undefined && compareVersions(better, name) < 0;
  return `${group}/${name} ${kind} is deprecated${isNewer ? `; use ${group}/${better} ${kind}` : ''}`;
}
