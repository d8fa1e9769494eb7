import type { EndpointSlice, Service } from '@elasti/operator-kit';
import { slimOwnSlice, slimPodSlice, slimService } from './slim-objects';

const privateLabel = 'elasti.truefoundry.com/private-service-of';
const aService = (overrides: Partial<Service['metadata']> = {}, spec: Service['spec'] = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'web', uid: '1', resourceVersion: '7', labels: { team: 'a' }, ...overrides },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }], clusterIP: '10.96.0.1', type: 'ClusterIP', ...spec },
  status: { loadBalancer: {} },
});
const aSlice = (endpoints: EndpointSlice['endpoints']): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { namespace: 'shop', name: 'x', labels: { 'kubernetes.io/service-name': 'pvt', [privateLabel]: 'web', team: 'a' } },
  addressType: 'IPv4',
  endpoints,
  ports: [{ name: 'http', port: 8080 }],
});

describe('slimService', () => {
  it('keeps what makes it fit or unfit, and what the private one follows', () => {
    const spec = { clusterIP: 'None', internalTrafficPolicy: 'Local', publishNotReadyAddresses: true, sessionAffinity: 'ClientIP' };

    const slim = slimService(aService({}, spec));

    expect(slim.spec).toMatchObject({ ...spec, selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }] });
    expect(slim.metadata).toEqual({ namespace: 'shop', name: 'web', uid: '1', resourceVersion: '7' });
    expect(slim).not.toHaveProperty('status');
  });

  it('keeps the labels and the owner of a private Service, by which it is found and compared', () => {
    const labels = { [privateLabel]: 'web', 'app.kubernetes.io/managed-by': 'elasti' };
    const ownerReferences = [{ apiVersion: 'elasti.truefoundry.com/v1alpha1', kind: 'ElastiService', name: 'web', uid: '9' }];

    expect(slimService(aService({ labels, ownerReferences })).metadata).toMatchObject({ labels, ownerReferences });
  });

  it('keeps the annotations of load balancers that know pods and of servers that speak first, and no others', () => {
    const kept = { 'cloud.google.com/neg': '{"ingress": true}', 'elasti.truefoundry.com/protocol': 'tcp-server-first' };

    expect(slimService(aService({ annotations: { ...kept, note: 'long' } })).metadata.annotations).toEqual(kept);
  });
});

describe('slimPodSlice', () => {
  it('keeps whether a pod is ready, and whose it is', () => {
    const slim = slimPodSlice(aSlice([{ addresses: ['10.0.0.1'], conditions: { ready: false } }, { addresses: ['10.0.0.2'] }]));

    expect(slim.endpoints).toEqual([{ addresses: [], conditions: { ready: true } }]);
    expect(slim.metadata.labels).toEqual({ 'kubernetes.io/service-name': 'pvt', [privateLabel]: 'web' });
  });

  it('has nobody where none is ready', () => {
    const slices = [slimPodSlice(aSlice([{ addresses: ['10.0.0.1'], conditions: { ready: false } }])), slimPodSlice(aSlice(undefined))];

    expect(slices.map(({ endpoints }) => endpoints)).toEqual([[], []]);
  });
});

describe('slimOwnSlice', () => {
  it('keeps all that ours say', () => {
    const endpoints = [{ addresses: ['10.0.0.1'], conditions: { ready: true } }];

    expect(slimOwnSlice(aSlice(endpoints))).toMatchObject({ endpoints, ports: [{ name: 'http', port: 8080 }], addressType: 'IPv4' });
  });
});
