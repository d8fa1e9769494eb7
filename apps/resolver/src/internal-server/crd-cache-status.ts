import type { KnownService, ServiceDirectory } from '../directory';

/** What this resolver knows of ElastiServices. */
export interface CrdCacheStatus {
  readonly count: number;
  readonly services: readonly (Pick<KnownService, 'namespace' | 'service' | 'mode'> & { readonly name: string })[];
}

export function buildCrdCacheStatus(directory: Pick<ServiceDirectory, 'list'>): CrdCacheStatus {
  const services = directory.list().map(({ namespace, service, elastiService, mode }) => ({
    namespace,
    service,
    name: elastiService,
    ...(mode && { mode }),
  }));
  return { count: services.length, services };
}
