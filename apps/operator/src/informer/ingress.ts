import type { Frozen, KubeObject, ResourceDefinition } from '@elasti/operator-kit';

interface IngressBackend {
  service?: { name?: string };
}

/** What is read of an Ingress. */
export interface Ingress extends KubeObject {
  spec?: {
    ingressClassName?: string;
    defaultBackend?: IngressBackend;
    rules?: { http?: { paths?: { backend?: IngressBackend }[] } }[];
  };
}

export const Ingress: ResourceDefinition<Ingress> = Object.freeze({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  namespaced: true,
});

const annotationsRead = ['kubernetes.io/ingress.class', 'nginx.ingress.kubernetes.io/service-upstream'];

export function slimIngress(ingress: Ingress): Ingress {
  const { namespace, name, uid, resourceVersion, annotations = {} } = ingress.metadata;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => annotationsRead.includes(key)));
  const { ingressClassName, defaultBackend, rules } = ingress.spec ?? {};
  return {
    apiVersion: ingress.apiVersion,
    kind: ingress.kind,
    metadata: { namespace, name, uid, resourceVersion, annotations: kept },
    spec: { ingressClassName, defaultBackend, rules },
  };
}

export function servicesOfIngress(ingress: Frozen<Ingress>): string[] {
  return backendsOf(ingress).map((name) => `${ingress.metadata.namespace ?? ''}/${name}`);
}

/** ingress-nginx then sends to the endpoints it knows, one port number for all, instead of to the Service. */
export function bypassesService({ metadata, spec }: Frozen<Ingress>): boolean {
  const { 'kubernetes.io/ingress.class': annotated, 'nginx.ingress.kubernetes.io/service-upstream': upstream } = metadata.annotations ?? {};
  return (spec?.ingressClassName ?? annotated) === 'nginx' && upstream !== 'true';
}

/** The names of the Services that it sends past. */
export function bypassedServicesOf(ingress: Frozen<Ingress>): string[] {
  return bypassesService(ingress) ? backendsOf(ingress) : [];
}

function backendsOf({ spec }: Frozen<Ingress>): string[] {
  const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  const names = [spec?.defaultBackend, ...paths.map(({ backend }) => backend)].flatMap((backend) => backend?.service?.name ?? []);
  return [...new Set(names)];
}
