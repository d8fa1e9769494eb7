import type { Service } from '@elasti/operator-kit';
import { decideServiceFitness, type ServiceSurroundings } from './service-fitness';

const tcp = { name: 'http', port: 80, protocol: 'TCP' };
const aService = (spec: Partial<NonNullable<Service['spec']>> = {}, metadata: Partial<Service['metadata']> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'web', ...metadata },
  spec: { type: 'ClusterIP', clusterIP: '10.96.0.10', selector: { app: 'web' }, ports: [tcp], ...spec },
});
const surroundings = (overrides: Partial<ServiceSurroundings> = {}): ServiceSurroundings => ({
  isElastiItself: false,
  everyNodeHasResolver: false,
  otherServices: [],
  bypassingIngresses: [],
  ...overrides,
});
const refusalsOf = (service: Service, around = surroundings()) =>
  decideServiceFitness(service, around).refusals.map(({ reason }) => reason);
const warningsOf = (service: Service, around = surroundings()) =>
  decideServiceFitness(service, around).warnings.map(({ reason }) => reason);

describe('decideServiceFitness', () => {
  it('finds nothing wrong with an ordinary Service', () => {
    expect(decideServiceFitness(aService(), surroundings())).toEqual({ refusals: [], warnings: [] });
  });

  it.each<[string, Partial<NonNullable<Service['spec']>>]>([
    ['HeadlessService', { clusterIP: 'None' }],
    ['ExternalNameService', { type: 'ExternalName', externalName: 'example.com' }],
    ['ServiceWithoutSelector', { selector: {} }],
    ['ServiceWithoutTcpPort', { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] }],
    ['PublishesNotReadyAddresses', { publishNotReadyAddresses: true }],
    ['LocalTrafficPolicy', { internalTrafficPolicy: 'Local' }],
  ])('refuses with %s', (reason, spec) => {
    expect(refusalsOf(aService(spec))).toEqual([reason]);
  });

  it('allows local traffic where every node has a resolver', () => {
    expect(refusalsOf(aService({ internalTrafficPolicy: 'Local' }), surroundings({ everyNodeHasResolver: true }))).toEqual([]);
  });

  it('refuses to put Elasti to sleep', () => {
    expect(refusalsOf(aService(), surroundings({ isElastiItself: true }))).toEqual(['ElastiItself']);
  });

  it('takes a port without a protocol for TCP, as Kubernetes does', () => {
    expect(refusalsOf(aService({ ports: [{ port: 80 }] }))).toEqual([]);
  });

  it('warns of UDP ports beside TCP ones', () => {
    expect(warningsOf(aService({ ports: [tcp, { name: 'dns', port: 53, protocol: 'UDP' }] }))).toEqual(['UdpPorts']);
  });

  it('warns of a load balancer that targets pods, and not of one that targets nodes', () => {
    const annotations = { 'service.beta.kubernetes.io/aws-load-balancer-nlb-target-type': 'ip' };

    expect(warningsOf(aService({ type: 'LoadBalancer' }, { annotations }))).toEqual(['LoadBalancerKnowsPods']);
    expect(warningsOf(aService({ type: 'LoadBalancer' }))).toEqual([]);
  });

  it.each(['aws-load-balancer-nlb-target-type: ip', 'aws-load-balancer-type: nlb-ip'])(
    'minds what is said to the load balancers of AWS only where there is one: %s',
    (said) => {
      const [key = '', value = ''] = said.split(': ');
      const annotations = { [`service.beta.kubernetes.io/${key}`]: value };

      expect(warningsOf(aService({ type: 'LoadBalancer' }, { annotations }))).toEqual(['LoadBalancerKnowsPods']);
      expect(warningsOf(aService({ type: 'NodePort' }, { annotations }))).toEqual([]);
    },
  );

  it.each([
    ['ClusterIP', '{"ingress": true}', ['LoadBalancerKnowsPods']],
    ['NodePort', '{"ingress":true}', ['LoadBalancerKnowsPods']],
    ['ClusterIP', '{"exposed_ports": {"80": {}}}', ['LoadBalancerKnowsPods']],
    ['LoadBalancer', '{"ingress": true}', ['LoadBalancerKnowsPods']],
    ['ClusterIP', '{"ingress": false}', []],
  ])('warns of the network endpoint groups of GKE, which a Service of any type may have: %s %s', (type, neg, expected) => {
    expect(warningsOf(aService({ type }, { annotations: { 'cloud.google.com/neg': neg } }))).toEqual(expected);
  });

  it('warns of other Services that select the same pods, and not of itself or of strangers', () => {
    const otherServices = [
      aService(),
      aService({ selector: { app: 'web', tier: 'canary' } }, { name: 'web-canary' }),
      aService({ selector: { app: 'api' } }, { name: 'api' }),
      aService({ selector: {} }, { name: 'manual' }),
    ];

    const { warnings } = decideServiceFitness(aService(), surroundings({ otherServices }));

    expect(warnings).toMatchObject([{ reason: 'SharedPods' }]);
    expect(warnings[0]?.message).toContain('web-canary');
    expect(warnings[0]?.message).not.toMatch(/api|manual/);
  });

  it('warns of ingress-nginx only where a Service has several ports', () => {
    const around = surroundings({ bypassingIngresses: ['shop'] });
    const grpc = { name: 'grpc', port: 90, protocol: 'TCP' };

    expect(warningsOf(aService({ ports: [tcp, grpc] }), around)).toEqual(['IngressBypassesService']);
    expect(warningsOf(aService(), around)).toEqual([]);
  });
});
