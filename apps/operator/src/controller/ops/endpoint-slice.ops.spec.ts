import { ConflictError, EndpointSlice, type Frozen } from '@elasti/operator-kit';
import type { ResolverPod } from '../../resolvers';
import { anElastiService, aService } from '../objects.fixture';
import { Shop } from '../shop.fixture';

const routes = [{ namespace: 'shop', service: 'web', port: 80, resolverPort: 20_000 }];
const pod = (address: string, state: ResolverPod['state'] = 'ready'): ResolverPod => ({ address, family: 'IPv4', state });

function setup() {
  const shop = new Shop();
  const { cluster, replica, signal } = shop;
  const { slices } = replica;
  const web = replica.elastiService();
  const publish = (members: ResolverPod[], role: 'proxy' | 'standby' = 'proxy') =>
    slices.publish(web, aService(), { role, routes, members, certainty: 'as seen' }, signal);
  return { shop, cluster, replica, slices, web, publish, signal };
}

function onlySlice(slices: readonly Frozen<EndpointSlice>[]): Frozen<EndpointSlice> {
  const [slice] = slices;
  if (!slice || slices.length > 1) throw new Error(`there are ${slices.length} slices`);
  return slice;
}

describe('EndpointSliceOps', () => {
  it('writes a slice once, owned by its ElastiService, and nothing when it is there', async () => {
    const { publish, slices, web } = setup();

    await expect(publish([pod('10.0.0.1')])).resolves.toBe('applied');
    await expect(publish([pod('10.0.0.1')])).resolves.toBe('unchanged');

    const { metadata, ports } = onlySlice(slices.published(web, 'web', 'proxy'));
    expect(metadata.ownerReferences).toEqual([expect.objectContaining({ kind: 'ElastiService', name: 'web', controller: true })]);
    expect(ports).toEqual([{ name: 'http', port: 20_000, protocol: 'TCP' }]);
  });

  it('writes what is there again to be certain', async () => {
    const { publish, slices, web, cluster, replica, signal } = setup();
    await publish([pod('10.0.0.1')]);
    replica.caches.holdBack();
    cluster.remove(EndpointSlice, { namespace: 'shop', name: onlySlice(slices.published(web, 'web', 'proxy')).metadata.name ?? '' });

    const members = [pod('10.0.0.1')];
    await slices.publish(web, aService(), { role: 'proxy', routes, members, certainty: 'certain' }, signal);

    replica.caches.letGo();
    expect(slices.hasReadyResolver(web, 'web')).toBe(true);
  });

  it('knows whom its slices name, also when an API server says null of one that names nobody', async () => {
    const { publish, slices, web, cluster } = setup();
    await publish([pod('10.0.0.1')]);
    expect(slices.addresses(web)).toEqual(['10.0.0.1']);

    const { namespace, name = '' } = onlySlice(slices.published(web, 'web', 'proxy')).metadata;
    cluster.change(EndpointSlice, { namespace, name }, (slice) => Object.assign(slice, { endpoints: null }));

    expect(slices.addresses(web)).toEqual([]);
  });

  it('begins no empty slice, but empties one that is there', async () => {
    const { publish, slices, web } = setup();

    await expect(publish([])).resolves.toBe('unchanged');
    await publish([pod('10.0.0.1')]);
    await expect(publish([])).resolves.toBe('applied');

    expect(onlySlice(slices.published(web, 'web', 'proxy')).endpoints).toEqual([]);
  });

  it('knows a ready resolver only where one is ready to take the traffic', async () => {
    const { publish, slices, web } = setup();

    await publish([pod('10.0.0.1')], 'standby');
    expect(slices.hasReadyResolver(web, 'web')).toBe(false);
    await publish([pod('10.0.0.1', 'draining')]);
    expect(slices.hasReadyResolver(web, 'web')).toBe(false);
    await publish([pod('10.0.0.1', 'draining'), pod('10.0.0.2')]);
    expect(slices.hasReadyResolver(web, 'web')).toBe(true);
  });

  it('withdraws the slices of one role and leaves the others', async () => {
    const { shop, publish, slices, web, signal } = setup();
    await publish([pod('10.0.0.1')], 'standby');
    await publish([pod('10.0.0.1')]);

    await slices.withdraw(web, 'web', 'proxy', signal);
    await slices.withdraw(web, 'web', 'proxy', signal);

    expect(shop.roles()).toEqual(['standby']);
  });

  it('never removes a slice that somebody has taken over since', async () => {
    const { cluster, replica, publish, slices, web, signal } = setup();
    await publish([pod('10.0.0.1')]);
    const { name = '' } = onlySlice(slices.published(web, 'web', 'proxy')).metadata;
    replica.caches.holdBack();
    cluster.change(
      EndpointSlice,
      { namespace: 'shop', name },
      ({ metadata }) => (metadata.labels = { ...metadata.labels, owner: 'another' }),
    );

    await expect(slices.withdraw(web, 'web', 'proxy', signal)).rejects.toThrow(ConflictError);

    expect(cluster.peek(EndpointSlice, { namespace: 'shop', name })).toBeDefined();
  });

  it('removes what belongs to Services that are no longer its own, and nothing of others', async () => {
    const { shop, slices, web, publish, signal } = setup();
    await publish([pod('10.0.0.1')]);
    const other = anElastiService('api');
    await slices.publish(other, aService('api'), { role: 'proxy', routes, members: [pod('10.0.0.1')], certainty: 'as seen' }, signal);

    await slices.keepOnly(web, ['web'], signal);
    expect(shop.named('web')).toHaveLength(1);
    await slices.keepOnly(web, [], signal);

    expect([shop.named('web'), shop.named('api')]).toEqual([[], ['proxy: 10.0.0.1 ready']]);
  });
});
