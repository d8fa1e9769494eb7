import { ElastiService } from '@elasti/api';
import { Deployment, Service } from '@elasti/operator-kit';
import { Ingress } from '../../apps/operator/src/informer';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';

jest.setTimeout(180_000);

type ServiceSpec = Partial<NonNullable<Service['spec']>>;

describe('a Service that cannot be put to sleep safely', () => {
  let world: ElastiWorld;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  it.each<[string, ServiceSpec]>([
    ['HeadlessService', { clusterIP: 'None' }],
    ['ExternalNameService', { type: 'ExternalName', externalName: 'example.com', selector: undefined }],
    ['ServiceWithoutSelector', { selector: undefined }],
    ['ServiceWithoutTcpPort', { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] }],
    ['PublishesNotReadyAddresses', { publishNotReadyAddresses: true }],
  ])('is refused as %s: said, and nothing is scaled or published', async (reason, spec) => {
    const name = reason.toLowerCase();
    await world.deploy(name, 1, spec);
    await world.manage(name);

    const { message } = await world.condition(name, 'Ready', 'False', reason);
    await world.polled(3);

    expect(message.length).toBeGreaterThan(20);
    expect(await world.scaleOf(name)).toBe(1);
    expect([await world.slicesOf(name, 'proxy'), await world.slicesOf(name, 'standby')]).toEqual([[], []]);
  });

  it('is refused with internalTrafficPolicy Local only while a node has no resolver', async () => {
    await world.deploy('local', 1, { internalTrafficPolicy: 'Local' });
    await world.listResolvers({ nodeName: 'another-node' });
    await world.manage('local');
    await world.condition('local', 'Ready', 'False', 'LocalTrafficPolicy');

    await world.listResolvers();

    await world.condition('local', 'Ready', 'True');
    await world.asleep('local');
  });

  it('is refused when the target is Elasti itself', async () => {
    const name = 'elasti-resolver';
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'resolver', image: 'resolver' }] } };
    await world.client.create(Deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'elasti', name },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    await world.client.create(Service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'elasti', name },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
    await world.client.create(ElastiService, ElastiService.create(name, { scaleTargetRef, service: name }, { namespace: 'elasti' }));

    await world.condition(name, 'Ready', 'False', 'ElastiItself', 'elasti');
  });

  it('wakes and is given back when it becomes unfit in its sleep', async () => {
    await world.deploy('turned');
    await world.manage('turned');
    await world.asleep('turned');

    await world.client.patch(
      Service,
      { namespace: shop, name: 'turned' },
      { type: 'merge', body: { spec: { publishNotReadyAddresses: true } } },
    );

    await world.condition('turned', 'Ready', 'False', 'PublishesNotReadyAddresses');
    await world.mode('turned', 'serve');
    expect(await world.scaleOf('turned')).toBe(1);
    expect(Object.keys(await world.slices('turned'))).toEqual(['pods']);
    expect(world.log.emptyMoments('turned')).toEqual([]);
  });

  describe('but with a warning', () => {
    it.each<[string, string, ServiceSpec]>([
      [
        'UdpPorts',
        'udp',
        {
          ports: [
            { name: 'http', port: 80 },
            { name: 'voice', port: 5060, protocol: 'UDP' },
          ],
        },
      ],
    ])('%s is said, and it sleeps', async (reason, name, spec) => {
      await world.deploy(name, 1, spec);
      await world.manage(name);

      await world.condition(name, 'ServiceFound', 'True', reason);
      await world.asleep(name);
    });

    it('SharedPods names the other Services', async () => {
      await world.deploy('shared');
      await world.expose('shared-too', { app: 'shared' });
      await world.manage('shared');

      const { message } = await world.condition('shared', 'ServiceFound', 'True', 'SharedPods');

      expect(message).toContain('shared-too');
    });

    it('LoadBalancerKnowsPods names the annotation', async () => {
      const annotations = { 'service.beta.kubernetes.io/aws-load-balancer-nlb-target-type': 'ip' };
      world.prometheus.say('balanced', NaN);
      await world.deploy('balanced', 1, { type: 'LoadBalancer' });
      await world.client.patch(Service, { namespace: shop, name: 'balanced' }, { type: 'merge', body: { metadata: { annotations } } });
      await world.manage('balanced');

      const { message } = await world.condition('balanced', 'ServiceFound', 'True', 'LoadBalancerKnowsPods');

      expect(message).toContain('aws-load-balancer-nlb-target-type');
    });

    it('IngressBypassesService names the Ingress', async () => {
      world.prometheus.say('entered', NaN);
      await world.deploy('entered', 1, {
        ports: [
          { name: 'http', port: 80 },
          { name: 'admin', port: 81 },
        ],
      });
      const backend = { service: { name: 'entered', port: { number: 80 } } };
      const rules = [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
      const ingress: Ingress = {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { namespace: shop, name: 'front-door' },
        spec: { ingressClassName: 'nginx', rules },
      };
      await world.client.create(Ingress, ingress);
      await world.manage('entered');

      const { message } = await world.condition('entered', 'ServiceFound', 'True', 'IngressBypassesService');

      expect(message).toContain('front-door');
    });

    it('what is said follows what it is about: Services and Ingresses that come, change and go', async () => {
      world.prometheus.say('followed', NaN);
      const ports = [
        { name: 'http', port: 80 },
        { name: 'admin', port: 81 },
      ];
      await world.deploy('followed', 1, { ports });
      await world.manage('followed');
      await world.condition('followed', 'ServiceFound', 'True', 'ServiceFound');

      await world.expose('follower', { app: 'followed' });
      await world.condition('followed', 'ServiceFound', 'True', 'SharedPods');
      await world.client.delete(Service, { namespace: shop, name: 'follower' });
      await world.condition('followed', 'ServiceFound', 'True', 'ServiceFound');

      const backend = { service: { name: 'followed', port: { number: 80 } } };
      await world.client.create(Ingress, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { namespace: shop, name: 'side-door' },
        spec: { ingressClassName: 'nginx', defaultBackend: backend },
      });
      await world.condition('followed', 'ServiceFound', 'True', 'IngressBypassesService');
      const annotations = { 'nginx.ingress.kubernetes.io/service-upstream': 'true' };
      await world.client.patch(Ingress, { namespace: shop, name: 'side-door' }, { type: 'merge', body: { metadata: { annotations } } });
      await world.condition('followed', 'ServiceFound', 'True', 'ServiceFound');
    });
  });
});
