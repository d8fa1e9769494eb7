import type { KubeObject, ResourceDefinition } from '@elasti/operator-kit';
import type { Draft } from './collection';

/** A Deployment that asks for no pods, so that it looks alike whether or not controllers run. */
export function aDeployment(name: string, spec: Record<string, unknown> = {}): Draft {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: { replicas: 0, paused: true, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: aPodSpec() }, ...spec },
  };
}

/** A Pod that no scheduler places, so that nobody but the case writes to it. */
export function aPod(name: string, spec: Record<string, unknown> = {}, labels?: Record<string, string>): Draft {
  return { metadata: { name, labels }, spec: { ...aPodSpec(), schedulerName: 'nobody', ...spec } };
}

function aPodSpec(): Record<string, unknown> {
  return { containers: [{ name: 'main', image: 'example.com/app:1' }] };
}

type Schema = Record<string, unknown>;

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  schema: { openAPIV3Schema: Schema };
  subresources?: Record<string, unknown>;
  additionalPrinterColumns?: Record<string, unknown>[];
  selectableFields?: { jsonPath: string }[];
}

export interface CrdDraft extends Draft {
  spec: { group: string; scope: string; names: { plural: string; kind: string } & Record<string, unknown>; versions: CrdVersion[] };
}

/** A namespaced CRD with one version; `spec` is the schema of its spec's properties. */
export function aCrd(group: string, kind: string, properties: Schema, version: Partial<CrdVersion> = {}): CrdDraft {
  const plural = `${kind.toLowerCase()}s`;
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } }, ...version }],
    },
  };
}

/** How a kind of a CRD made by `aCrd` is addressed. */
export function kindOf<T extends KubeObject>(group: string, kind: string, version = 'v1'): ResourceDefinition<T> {
  return { group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}
