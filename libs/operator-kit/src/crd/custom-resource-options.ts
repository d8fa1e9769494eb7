import type { CelRule } from './json-schema';
import type { CustomResourceClass } from './resource';

export interface PrinterColumn {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `.spec.replicas` */
  jsonPath: string;
  description?: string;
  format?: string;
  /** Above 0: shown by `-o wide` only. */
  priority?: number;
}

export interface ScaleSubresource {
  /** `.spec.replicas` */
  specReplicasPath: string;
  /** `.status.replicas` */
  statusReplicasPath: string;
  /** `.status.selector`: a label selector as text, which an autoscaler needs. */
  labelSelectorPath?: string;
}

/** How the API server treats one version of a kind. */
export interface VersionOptions {
  /** Default: true. */
  served?: boolean;
  deprecated?: boolean;
  /** Sent to clients that use a deprecated version. */
  deprecationWarning?: string;
}

/** A further version of a kind: a class decorated with `@CustomResource` for the same group and kind. */
export interface FurtherVersion {
  resource: CustomResourceClass;
  /** This version is the stored one, instead of the class that lists it. */
  storage?: boolean;
}

/** Where the API server asks for an object of another version. */
export interface ConversionWebhook {
  service?: { namespace: string; name: string; path?: string; port?: number };
  url?: string;
  /** Base64 of the CA's PEM; may be injected later. */
  caBundle?: string;
}

export interface CustomResourceOptions extends VersionOptions {
  group: string;
  version: string;
  kind: string;
  /** Default: the kind in lower case with an s. Say it where English is irregular. */
  plural?: string;
  /** Default: the kind in lower case. */
  singular?: string;
  /** Default: the kind with `List`. */
  listKind?: string;
  shortNames?: readonly string[];
  categories?: readonly string[];
  /** Default: Namespaced. */
  scope?: 'Namespaced' | 'Cluster';
  description?: string;
  printerColumns?: readonly PrinterColumn[];
  scale?: ScaleSubresource;
  /** CEL rules on the whole object; of its metadata they see name and generateName only. */
  validations?: readonly CelRule[];
  /** Fields that `kubectl --field-selector` can select by: `.spec.color`. */
  selectableFields?: readonly string[];
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  versions?: readonly FurtherVersion[];
  /** Without one, other versions get the stored fields as they are. */
  conversion?: ConversionWebhook;
}
