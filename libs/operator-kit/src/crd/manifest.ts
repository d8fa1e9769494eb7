import type { KubeObject } from '../client';
import { withoutUndefined } from '../json';
import { InvalidSchemaError } from './crd.errors';
import type { ConversionWebhook, PrinterColumn, ScaleSubresource } from './custom-resource-options';
import type { JsonSchema } from './json-schema';
import { type Registration, registrationOf } from './registration';

export interface CustomResourceVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema: { openAPIV3Schema: JsonSchema };
  subresources?: { status?: object; scale?: ScaleSubresource };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

/** A CustomResourceDefinition (`apiextensions.k8s.io/v1`) as this kit writes it. */
export interface CustomResourceManifest extends KubeObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: {
      kind: string;
      plural: string;
      singular: string;
      listKind: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: CustomResourceVersion[];
    conversion?: {
      strategy: 'Webhook';
      webhook: { conversionReviewVersions: string[]; clientConfig: ConversionWebhook };
    };
  };
}

/** The manifest of a registered class and its further versions. @throws InvalidSchemaError */
export function buildManifest(registration: Registration): CustomResourceManifest {
  const { definition, options } = registration;
  const further = (options.versions ?? []).map(({ resource, storage = false }) => ({ registration: registrationOf(resource), storage }));
  checkVersions(registration, further);
  const ownStorage = !further.some(({ storage }) => storage);
  const lower = definition.kind.toLowerCase();
  return structuredClone({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: withoutUndefined({
      name: `${definition.plural}.${definition.group}`,
      labels: options.labels && { ...options.labels },
      annotations: options.annotations && { ...options.annotations },
    }),
    spec: withoutUndefined({
      group: definition.group,
      scope: definition.namespaced ? ('Namespaced' as const) : ('Cluster' as const),
      names: withoutUndefined({
        kind: definition.kind,
        plural: definition.plural,
        singular: options.singular ?? lower,
        listKind: options.listKind ?? `${definition.kind}List`,
        shortNames: options.shortNames && [...options.shortNames],
        categories: options.categories && [...options.categories],
      }),
      versions: [buildVersion(registration, ownStorage), ...further.map((one) => buildVersion(one.registration, one.storage))],
      conversion: options.conversion && {
        strategy: 'Webhook' as const,
        webhook: { conversionReviewVersions: ['v1'], clientConfig: buildClientConfig(options.conversion) },
      },
    }),
  });
}

function buildVersion({ definition, options, schema, hasStatus }: Registration, storage: boolean): CustomResourceVersion {
  const subresources = withoutUndefined({ status: hasStatus ? {} : undefined, scale: options.scale });
  return withoutUndefined({
    name: definition.version,
    served: options.served ?? true,
    storage,
    deprecated: options.deprecated,
    deprecationWarning: options.deprecationWarning,
    schema: { openAPIV3Schema: schema },
    subresources: Object.keys(subresources).length > 0 ? subresources : undefined,
    additionalPrinterColumns: options.printerColumns && [...options.printerColumns],
    selectableFields: options.selectableFields?.map((jsonPath) => ({ jsonPath })),
  });
}

function buildClientConfig({ service, url, caBundle }: ConversionWebhook): ConversionWebhook {
  return withoutUndefined({ service, url, caBundle });
}

function checkVersions(main: Registration, further: { registration: Registration; storage: boolean }[]): void {
  const where = main.type.name;
  const names = new Set([main.definition.version]);
  for (const { definition } of further.map(({ registration }) => registration)) {
    const same = definition.group === main.definition.group && definition.kind === main.definition.kind;
    if (!same) throw new InvalidSchemaError(where, `versions lists ${definition.kind}.${definition.group}, which is another kind`);
    if (names.has(definition.version)) throw new InvalidSchemaError(where, `versions has ${definition.version} twice`);
    names.add(definition.version);
  }
  if (further.filter(({ storage }) => storage).length > 1)
    throw new InvalidSchemaError(where, 'versions stores more than one; keep one storage: true');
  if (main.options.deprecationWarning !== undefined && !main.options.deprecated) {
    throw new InvalidSchemaError(where, 'deprecationWarning needs deprecated: true');
  }
}
