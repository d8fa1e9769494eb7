import type { Service } from '@elasti/operator-kit';
import { buildPrivateService } from './build-private-service';
import { buildResolverSlices, type ResolverEndpoint } from './build-resolver-slices';

const aService = (spec: Partial<NonNullable<Service['spec']>> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'web', labels: { team: 'shop' }, annotations: { 'cloud.example.com/load-balancer': 'external' } },
  spec: {
    selector: { app: 'web' },
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' }],
    ...spec,
  },
});
const route = (port: number, resolverPort: number) => ({ namespace: 'shop', service: 'web', port, resolverPort });
const resolver = (address: string, extra: Partial<ResolverEndpoint> = {}): ResolverEndpoint => ({
  address,
  family: 'IPv4',
  state: 'ready',
  ...extra,
});

describe('buildResolverSlices', () => {
  it.each([
    ['proxy', 'LoadBalancer', 'true'],
    ['proxy', 'ClusterIP', 'false'],
    ['standby', 'LoadBalancer', undefined],
  ] as const)('tells the resolvers of a %s slice of a %s Service whether a load balancer reads it', (role, type, marked) => {
    const [slice] = buildResolverSlices(aService({ type }), role, [route(80, 20_000)], [resolver('10.0.0.1')]);

    expect(slice?.metadata.labels?.['elasti.truefoundry.com/load-balancer']).toBe(marked);
  });

  it('sends every TCP port to its resolver port, with its name and protocol', () => {
    const service = aService({
      ports: [
        { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' },
        { name: 'grpc', port: 90, protocol: 'TCP' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ],
    });

    const [slice] = buildResolverSlices(service, 'proxy', [route(80, 20_000), route(90, 20_001)], [resolver('10.0.0.1')]);

    expect(slice?.ports).toEqual([
      { name: 'http', port: 20_000, protocol: 'TCP', appProtocol: 'http' },
      { name: 'grpc', port: 20_001, protocol: 'TCP' },
    ]);
  });

  it('leaves out a port that has no route', () => {
    const [slice] = buildResolverSlices(aService(), 'proxy', [], [resolver('10.0.0.1')]);

    expect(slice?.ports).toEqual([]);
  });

  it('keeps node and zone of each resolver, in a stable order', () => {
    const resolvers = [resolver('10.0.0.2'), resolver('10.0.0.1', { nodeName: 'node1', zone: 'a' })];

    const [slice] = buildResolverSlices(aService(), 'proxy', [route(80, 20_000)], resolvers);

    expect(slice?.endpoints).toEqual([
      { addresses: ['10.0.0.1'], conditions: { ready: true, serving: true, terminating: false }, nodeName: 'node1', zone: 'a' },
      { addresses: ['10.0.0.2'], conditions: { ready: true, serving: true, terminating: false } },
    ]);
  });

  it('lists standby resolvers as a last resort only', () => {
    const [slice] = buildResolverSlices(aService(), 'standby', [route(80, 20_000)], [resolver('10.0.0.1')]);

    expect(slice?.endpoints?.[0]?.conditions).toEqual({ ready: false, serving: true, terminating: true });
  });

  it('has a slice of its own for each family, empty where no resolver has that family', () => {
    const service = aService({ ipFamilies: ['IPv4', 'IPv6'] });

    const slices = buildResolverSlices(service, 'proxy', [route(80, 20_000)], [resolver('10.0.0.1')]);

    expect(slices.map(({ addressType, endpoints }) => [addressType, endpoints?.length])).toEqual([
      ['IPv4', 1],
      ['IPv6', 0],
    ]);
    expect(new Set(slices.map(({ metadata }) => metadata.name)).size).toBe(2);
  });
});

describe('buildPrivateService', () => {
  it('has the selector, the ports and the families of the public Service and nothing that costs money', () => {
    const service = aService({ type: 'LoadBalancer', ports: [{ name: 'http', port: 80, targetPort: 'http', nodePort: 30_080 }] });

    const { metadata, spec } = buildPrivateService(service);

    expect(spec).toEqual({
      type: 'ClusterIP',
      selector: { app: 'web' },
      ipFamilies: ['IPv4'],
      ports: [{ name: 'http', port: 80, targetPort: 'http' }],
    });
    expect(metadata.annotations).toBeUndefined();
    expect(metadata.labels).not.toHaveProperty('team');
  });
});
