import {
  CustomResourceDefinition,
  type KubeObject,
  type KubeReader,
  type KubeWriter,
  type RequestOptions,
  type ResourceDefinition,
  retryOnConflict,
} from '../client';

/** What certificates need of the API. */
export type CertificateStore = Pick<KubeReader, 'find'> & Pick<KubeWriter, 'create' | 'replace'>;

interface ClientConfig {
  caBundle?: string;
}

/** A Validating- or MutatingWebhookConfiguration, as far as the kit reads it. */
export interface WebhookConfiguration extends KubeObject {
  webhooks?: { name: string; clientConfig: ClientConfig }[];
}

export const ValidatingWebhookConfiguration = configuration('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations');
export const MutatingWebhookConfiguration = configuration('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations');

/** An object that tells the API server whom to trust when it calls us. */
export interface BundleTarget {
  kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration' | 'CustomResourceDefinition';
  name: string;
}

/** Writes the bundle that `build` makes of the present one into all webhooks of the target. Not-found is told, not thrown. */
export async function injectBundle(
  kube: CertificateStore,
  target: BundleTarget,
  build: (existing: string | undefined) => string,
  options: RequestOptions,
): Promise<'injected' | 'unchanged' | 'absent'> {
  const definition = definitions[target.kind];
  let outcome: 'injected' | 'unchanged' = 'unchanged';
  const found = await retryOnConflict<KubeObject | undefined>(
    () => kube.find(definition, { name: target.name }, options),
    (fresh) => {
      const changed = fresh && withBundle(target.kind, fresh, build);
      outcome = changed ? 'injected' : 'unchanged';
      return changed;
    },
    async (changed) => changed && (await kube.replace(definition, changed, options)),
  );
  return found ? outcome : 'absent';
}

const definitions: Record<BundleTarget['kind'], ResourceDefinition> = {
  ValidatingWebhookConfiguration,
  MutatingWebhookConfiguration,
  CustomResourceDefinition,
};

/** Undefined when nothing changes. */
function withBundle(
  kind: BundleTarget['kind'],
  object: KubeObject,
  build: (existing: string | undefined) => string,
): KubeObject | undefined {
  const copy = structuredClone(object);
  let changed = false;
  for (const config of clientConfigs(kind, copy)) {
    const bundle = build(config.caBundle);
    changed ||= bundle !== config.caBundle;
    config.caBundle = bundle;
  }
  return changed ? copy : undefined;
}

function clientConfigs(kind: BundleTarget['kind'], object: KubeObject): ClientConfig[] {
  if (kind !== 'CustomResourceDefinition') return ((object as WebhookConfiguration).webhooks ?? []).map(({ clientConfig }) => clientConfig);
  const { spec } = object as KubeObject & { spec: { conversion?: { webhook?: { clientConfig?: ClientConfig } } } };
  const config = spec.conversion?.webhook?.clientConfig;
  return config ? [config] : [];
}

function configuration(kind: string, plural: string): ResourceDefinition<WebhookConfiguration> {
  return Object.freeze({ group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false });
}
