import type { ElastiService } from '@elasti/api';
import type { ResourceCache, Service } from '@elasti/operator-kit';
import type { Route } from './route';

export interface StatusSources {
  readonly elastiServices: Pick<ResourceCache<ElastiService>, 'list'>;
  readonly services: Pick<ResourceCache<Service>, 'get'>;
}

/** What ElastiServices say of their routes, for the day that the ConfigMaps are lost: only of ports that the named Services have, so nobody claims more by a status than by a Service. */
export function* routesInStatuses({ elastiServices, services }: StatusSources): Generator<Route> {
  for (const { metadata, spec, status } of elastiServices.list()) {
    const { namespace = '' } = metadata;
    const named = [spec.service, ...(spec.additionalServices ?? [])];
    for (const { service, port, resolverPort } of status?.routes ?? []) {
      const ports = named.includes(service) ? services.get({ namespace, name: service })?.spec?.ports : undefined;
      if (ports?.some((existing) => existing.port === port)) yield { namespace, service, port, resolverPort };
    }
  }
}
