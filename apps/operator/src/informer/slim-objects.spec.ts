import type { EndpointSlice, Service } from '@elasti/operator-kit';
import { decideServiceFitness } from '../controller/decisions/service-fitness';
import { aService, podsOf } from '../controller/objects.fixture';
import { privateServiceLabel } from '../names';
import { slimOwnSlice, slimPodSlice, slimService } from './slim-objects';

const surroundings = { isElastiItself: false, everyNodeHasResolver: false, otherServices: [], bypassingIngresses: [] };
const udp = { name: 'dns', port: 53, protocol: 'UDP' };
const loadBalancer: Service = {
  ...aService('web', { type: 'LoadBalancer' }),
  metadata: {
    namespace: 'shop',
    name: 'web',
    annotations: { 'service.beta.kubernetes.io/aws-load-balancer-nlb-target-type': 'ip', team: 'shop' },
  },
};

describe('slimService', () => {
  it.each<[string, Service]>([
    ['a plain one', aService()],
    ['a headless one', aService('web', { clusterIP: 'None' })],
    ['an ExternalName', aService('web', { type: 'ExternalName', selector: undefined })],
    ['one without TCP', aService('web', { ports: [udp] })],
    ['one with UDP beside TCP', aService('web', { ports: [{ port: 80 }, udp] })],
    ['one that publishes what is not ready', aService('web', { publishNotReadyAddresses: true })],
    ['one of local traffic', aService('web', { internalTrafficPolicy: 'Local' })],
    ['one of a load balancer that knows pods', loadBalancer],
  ])('leaves the same findings of %s', (_what, service) => {
    expect(decideServiceFitness(slimService(structuredClone(service)), surroundings)).toEqual(decideServiceFitness(service, surroundings));
  });

  it('keeps label and owner of a private Service, and of a public one neither', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ElastiService', name: 'web', uid: 'u' }];
    const labels = { [privateServiceLabel]: 'web' };

    const kept = slimService({ ...aService(), metadata: { name: 'web', labels, ownerReferences } });
    const dropped = slimService({ ...aService(), metadata: { name: 'web', labels: { team: 'shop' }, ownerReferences } });

    expect(kept.metadata).toMatchObject({ labels, ownerReferences });
    expect(dropped.metadata).toEqual({ name: 'web' });
  });
});

describe('slimPodSlice', () => {
  it.each<[boolean, Parameters<typeof podsOf>[1]]>([
    [true, { '10.1.0.1': 'not ready', '10.1.0.2': 'ready', '10.1.0.3': 'ready' }],
    [false, { '10.1.0.1': 'not ready', '10.1.0.2': 'draining' }],
    [false, {}],
  ])('knows %s whether one is ready: %j', (expected, states) => {
    const slim = slimPodSlice(podsOf('web', states));

    expect(slim.endpoints?.some(({ conditions }) => conditions?.ready)).toBe(expected);
    expect(slim.endpoints?.length).toBeLessThanOrEqual(1);
    expect(slim.metadata.labels).toEqual(podsOf('web', {}).metadata.labels);
  });
});

describe('slimOwnSlice', () => {
  it('keeps all that is compared', () => {
    const slice: EndpointSlice = {
      ...podsOf('web', { '10.0.0.1': 'ready' }),
      ports: [{ name: 'http', port: 20_000, protocol: 'TCP' }],
    };
    const managed = { ...slice, metadata: { ...slice.metadata, managedFields: [{}], generation: 3 } };

    expect(slimOwnSlice(managed)).toEqual(slice);
  });
});
