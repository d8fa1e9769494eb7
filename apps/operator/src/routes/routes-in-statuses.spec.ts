import { ElastiService, type RouteStatus } from '@elasti/api';
import type { Service } from '@elasti/operator-kit';
import { routesInStatuses } from './routes-in-statuses';

function setup(routes: RouteStatus[]) {
  const created = ElastiService.create(
    'web',
    { service: 'web', additionalServices: ['web-admin'], scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    { namespace: 'shop' },
  );
  const elastiService = { ...created, status: { routes } };
  const aService = ({ name }: { name: string }): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'shop', name },
    spec: { ports: [{ port: 80 }] },
  });
  return [...routesInStatuses({ elastiServices: { list: () => [elastiService] }, services: { get: aService } })];
}

describe('routesInStatuses', () => {
  it('are those of ports that its Services have', () => {
    const routes = setup([
      { service: 'web', port: 80, resolverPort: 20_000 },
      { service: 'web-admin', port: 80, resolverPort: 20_001 },
    ]);

    expect(routes).toEqual([
      { namespace: 'shop', service: 'web', port: 80, resolverPort: 20_000 },
      { namespace: 'shop', service: 'web-admin', port: 80, resolverPort: 20_001 },
    ]);
  });

  it('are none of ports that its Service does not have, or of Services that it does not name', () => {
    const routes = setup([
      { service: 'web', port: 81, resolverPort: 20_000 },
      { service: 'other', port: 80, resolverPort: 20_001 },
    ]);

    expect(routes).toEqual([]);
  });
});
