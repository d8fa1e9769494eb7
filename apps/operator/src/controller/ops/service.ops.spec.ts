import { ElastiService } from '@elasti/api';
import { ConflictError, Service } from '@elasti/operator-kit';
import { privateServiceLabel } from '../../names';
import { anElastiService, aService } from '../objects.fixture';
import { privateServiceName } from '../resources/child-names';
import { Shop } from '../shop.fixture';

const privateRef = { namespace: 'shop', name: privateServiceName('web') };

function setup() {
  const shop = new Shop();
  const { cluster, replica, signal } = shop;
  const { services } = replica;
  const web = replica.elastiService();
  const follow = (spec?: Parameters<typeof aService>[1]) => services.follow(web, aService('web', spec), signal);
  const specNow = () => cluster.look(Service, privateRef).spec;
  return { cluster, replica, services, web, follow, specNow, signal };
}

describe('ServiceOps', () => {
  it('makes a private Service, owned by the ElastiService, once', async () => {
    const { cluster, follow } = setup();

    await expect(follow()).resolves.toBe('applied');
    await expect(follow()).resolves.toBe('unchanged');

    expect(cluster.look(Service, privateRef).metadata).toMatchObject({
      labels: { [privateServiceLabel]: 'web' },
      ownerReferences: [{ kind: 'ElastiService', name: 'web', controller: true }],
    });
  });

  it.each<[string, Parameters<typeof aService>[1], Parameters<typeof aService>[1]]>([
    ['a selector that changes', { selector: { app: 'web' } }, { selector: { app: 'web-2' } }],
    ['a selector that loses a label', { selector: { app: 'web', track: 'stable' } }, { selector: { app: 'web' } }],
    [
      'a port that goes',
      {
        ports: [
          { name: 'http', port: 80 },
          { name: 'admin', port: 90 },
        ],
      },
      { ports: [{ name: 'http', port: 80 }] },
    ],
    [
      'a port that comes',
      { ports: [{ name: 'http', port: 80 }] },
      {
        ports: [
          { name: 'http', port: 80 },
          { name: 'admin', port: 90 },
        ],
      },
    ],
    ['a target port that moves', { ports: [{ port: 80, targetPort: 8080 }] }, { ports: [{ port: 80, targetPort: 9090 }] }],
    ['a protocol that goes', { ports: [{ port: 80, appProtocol: 'grpc' }] }, { ports: [{ port: 80 }] }],
  ])('follows %s', async (_what, before, after) => {
    const { follow, specNow } = setup();
    await follow(before);

    await expect(follow(after)).resolves.toBe('applied');

    const { selector, ports } = aService('web', after).spec ?? {};
    expect(specNow()).toMatchObject({ selector, ports });
    expect(Object.keys(specNow()?.selector ?? {})).toEqual(Object.keys(selector ?? {}));
    await expect(follow(after)).resolves.toBe('unchanged');
  });

  it('knows which Services it follows, and removes the private ones of all but those it is told', async () => {
    const { cluster, services, web, follow, signal } = setup();
    await follow();
    await services.follow(web, aService('api'), signal);
    expect(services.followed(web).sort()).toEqual(['api', 'web']);

    await services.keepOnly(web, ['web'], signal);
    await services.keepOnly(web, ['web'], signal);

    expect(services.followed(web)).toEqual(['web']);
    expect(cluster.peek(Service, { namespace: 'shop', name: 'web' })).toBeDefined();
  });

  it('never removes a Service of others', async () => {
    const { cluster, services, web, follow, signal } = setup();
    const other = cluster.put(ElastiService, anElastiService('api'));
    await services.follow(other, aService('api'), signal);
    await follow();
    cluster.put(Service, { ...aService('owned'), metadata: { namespace: 'shop', name: 'owned', ownerReferences: [ownedBy(web)] } });

    await services.keepOnly(web, [], signal);

    const names = cluster.all(Service).map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual([privateServiceName('api'), 'owned', 'web'].sort());
  });

  it('never removes a private Service that has changed hands since', async () => {
    const { cluster, replica, services, web, follow, signal } = setup();
    await follow();
    replica.caches.holdBack();
    cluster.change(Service, privateRef, ({ metadata }) => (metadata.ownerReferences = []));

    await expect(services.keepOnly(web, [], signal)).rejects.toThrow(ConflictError);

    expect(cluster.peek(Service, privateRef)).toBeDefined();
  });
});

function ownedBy({ apiVersion, kind, metadata: { name = '', uid = '' } }: ElastiService) {
  return { apiVersion, kind, name, uid };
}
