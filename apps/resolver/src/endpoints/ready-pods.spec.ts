import { EndpointSlice, Service } from '@elasti/operator-kit';
import { FakeCaches } from '@elasti/operator-kit/testing';
import { aPrivateService, aSlice } from './endpoints.fixture';
import { PrivateServices } from './private-services';
import { ReadyPods } from './ready-pods';

const web = { namespace: 'shop', service: 'web' };

function setup() {
  const caches = new FakeCaches();
  const services = new PrivateServices(caches);
  const pods = new ReadyPods(caches, services);
  const addresses = (ref = web) => pods.of(ref).map(({ address }) => address);
  return { services, pods, addresses, slices: caches.of(EndpointSlice), serviceCache: caches.of(Service) };
}

describe('ReadyPods', () => {
  it('watches the slices of private Services and no others', () => {
    const { slices, serviceCache } = setup();

    expect(slices.options?.labelSelector).toBe('elasti.truefoundry.com/private-service-of');
    expect(serviceCache.options?.labelSelector).toBe('elasti.truefoundry.com/private-service-of');
  });

  it('has the pods that are ready, or of which nothing else is said, and not those that go', () => {
    const { slices, addresses } = setup();

    slices.put(
      aSlice([
        { pod: 'a', address: '10.0.0.1', ready: true },
        { pod: 'b', address: '10.0.0.2', ready: false },
        { pod: 'c', address: '10.0.0.3' },
        { pod: 'd', address: '10.0.0.4', ready: true, terminating: true },
      ]),
    );

    expect(addresses()).toEqual(['10.0.0.1', '10.0.0.3']);
  });

  it('tells of each pod that is ready no more, and of no other', () => {
    const { slices, pods } = setup();
    const gone: string[] = [];
    pods.watchGone((podKey) => gone.push(podKey));
    const a = { pod: 'a', address: '10.0.0.1' };
    slices.put(aSlice([a, { pod: 'b', address: '10.0.0.2' }, { pod: 'c', address: '10.0.0.3' }]));

    slices.put(aSlice([a, { pod: 'b', address: '10.0.0.2', ready: false }]));

    expect(gone).toEqual(['uid-b', 'uid-c']);
  });

  it('joins the slices of a Service and keeps Services and namespaces apart', () => {
    const { slices, addresses } = setup();

    slices.put(aSlice([{ pod: 'a', address: '10.0.0.1' }]));
    slices.put(aSlice([{ pod: 'b', address: '10.0.0.2' }], { name: 'web-2' }));
    slices.put(aSlice([{ pod: 'c', address: '10.0.0.3' }], { namespace: 'other' }));
    slices.put(aSlice([{ pod: 'd', address: '10.0.0.4' }], { name: 'api-1', service: 'api' }));

    expect(addresses()).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(addresses({ ...web, namespace: 'other' })).toEqual(['10.0.0.3']);
  });

  it('gives the ports of TCP by name, as each slice has them', () => {
    const { slices, pods } = setup();
    const ports = [{ name: 'http', port: 3000, protocol: 'TCP' }, { port: 3001 }, { name: 'dns', port: 53, protocol: 'UDP' }];

    slices.put(aSlice([{ pod: 'a', address: '10.0.0.1' }], { ports }));

    expect([...(pods.of(web)[0]?.ports ?? [])]).toEqual([
      ['http', 3000],
      ['', 3001],
    ]);
  });

  it.each([
    { families: ['IPv4', 'IPv6'], address: '10.0.0.1' },
    { families: ['IPv6', 'IPv4'], address: 'fd00::1' },
  ])('takes a pod of two families for one, at its address of the first of $families', ({ families, address }) => {
    const { slices, serviceCache, addresses } = setup();
    slices.put(aSlice([{ pod: 'a', address: 'fd00::1' }], { name: 'web-6', addressType: 'IPv6' }));
    slices.put(aSlice([{ pod: 'a', address: '10.0.0.1' }]));

    serviceCache.put(aPrivateService({ ipFamilies: families }));

    expect(addresses()).toEqual([address]);
  });

  it('says that something changed when it did, to those whom it concerns', () => {
    const { slices, pods } = setup();
    let heard = 0;
    pods.watch(web, () => heard++);

    slices.put(aSlice([{ pod: 'a', address: '10.0.0.1' }]));
    slices.put(aSlice([{ pod: 'a', address: '10.0.0.1' }]));
    slices.put(aSlice([{ pod: 'c', address: '10.0.0.3' }], { namespace: 'other' }));
    const afterTheFirst = heard;
    slices.remove({ namespace: 'shop', name: 'web-1' });

    expect([afterTheFirst, heard, pods.of(web)]).toEqual([1, 2, []]);
  });

  it('leaves its watches when closed', () => {
    const { pods, services, slices, serviceCache } = setup();

    pods.close();
    services.close();

    expect([slices.users, slices.handlerCount, serviceCache.users, serviceCache.handlerCount]).toEqual([0, 0, 0, 0]);
  });
});

describe('PrivateServices', () => {
  it('tells the TCP ports of a Service by number', () => {
    const { services, serviceCache } = setup();
    const ports = [
      { name: 'grpc', port: 9000, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
      { name: 'dns', port: 53, protocol: 'UDP' },
      { port: 81 },
    ];

    serviceCache.put(aPrivateService({ ports }));

    expect([...(services.find(web)?.ports ?? [])]).toEqual([
      [9000, { name: 'grpc', appProtocol: 'kubernetes.io/h2c' }],
      [81, { name: '' }],
    ]);
  });

  it('has no address for a Service without one', () => {
    const { services, serviceCache } = setup();

    serviceCache.put(aPrivateService({ clusterIP: 'None' }));

    expect(services.find(web)?.clusterIP).toBeUndefined();
  });

  it('forgets a Service whose private one is gone', () => {
    const { services, serviceCache } = setup();
    serviceCache.put(aPrivateService());

    serviceCache.remove({ namespace: 'shop', name: 'elasti-web-pvt-0123456789' });

    expect(services.find(web)).toBeUndefined();
  });
});
