import { type EndpointSlice, WaitingError } from '@elasti/operator-kit';
import type { ResolverPod } from '../../resolvers';
import { aService } from '../objects.fixture';
import { FakeRehearsals } from '../replica.fixture';
import { buildResolverSlices } from '../resources/build-resolver-slices';
import { ResolverMembershipOps } from './resolver-membership.ops';

const routes = [{ namespace: 'shop', service: 'web', port: 80, resolverPort: 20_000 }];
const pod = (address: string, state: ResolverPod['state'] = 'ready'): ResolverPod => ({
  address,
  family: 'IPv4',
  state,
  podName: `pod-${address}`,
});
const listing = (...addresses: string[]): EndpointSlice[] =>
  buildResolverSlices(
    aService(),
    'proxy',
    routes,
    addresses.map((address) => pod(address)),
  );

function setup(...pods: ResolverPod[]) {
  const rehearsals = new FakeRehearsals();
  const known = { hasSynced: true, list: () => pods };
  const membership = new ResolverMembershipOps(known, rehearsals);
  const membersOf = async (slices: EndpointSlice[], freshness: 'known' | 'fresh' = 'known', wanted = routes) => {
    const { members, ...rest } = await membership.membersOf(aService(), slices, wanted, freshness, new AbortController().signal);
    return { ...rest, members: members.map(({ address }) => address) };
  };
  return { known, rehearsals, membersOf };
}

describe('ResolverMembershipOps', () => {
  it('asks a new pod before it joins, and once', async () => {
    const { rehearsals, membersOf } = setup(pod('10.0.0.1'));

    await membersOf([]);
    const { members } = await membersOf([]);

    expect(members).toEqual(['10.0.0.1']);
    expect(rehearsals.asked).toEqual(['web@10.0.0.1']);
  });

  it('asks every pod again when it must be fresh, those that are listed, too', async () => {
    const { rehearsals, membersOf } = setup(pod('10.0.0.1'), pod('10.0.0.2'));

    await membersOf(listing('10.0.0.1'), 'fresh');
    await membersOf(listing('10.0.0.1'), 'fresh');

    expect(rehearsals.asked).toHaveLength(4);
  });

  it('trusts a pod that a former process has listed', async () => {
    const { rehearsals, membersOf } = setup(pod('10.0.0.1'));

    await expect(membersOf(listing('10.0.0.1'))).resolves.toMatchObject({ members: ['10.0.0.1'] });

    expect(rehearsals.asked).toEqual([]);
  });

  it('does not trust a listing for other ports than these', async () => {
    const { rehearsals, membersOf } = setup(pod('10.0.0.1'));
    const wanted = [...routes, { namespace: 'shop', service: 'web', port: 90, resolverPort: 20_001 }];

    await membersOf(listing('10.0.0.1'), 'known', wanted);

    expect(rehearsals.asked).toEqual(['web@10.0.0.1']);
  });

  it('leaves out a pod that cannot, and says which and why', async () => {
    const { rehearsals, membersOf } = setup(pod('10.0.0.1'), pod('10.0.0.2'));
    rehearsals.answer = ({ address }) => (address === '10.0.0.2' ? { cannot: 'does not listen' } : 'can');

    await expect(membersOf([])).resolves.toEqual({
      members: ['10.0.0.1'],
      change: 'everything',
      problem: 'resolver pod pod-10.0.0.2 does not listen',
    });
  });

  it('leaves a draining resolver where it is listed and lets it join nowhere', async () => {
    const { rehearsals, membersOf } = setup(pod('10.0.0.1'), pod('10.0.0.2', 'draining'));

    await expect(membersOf(listing('10.0.0.2'))).resolves.toMatchObject({ members: ['10.0.0.1', '10.0.0.2'] });
    await expect(membersOf([])).resolves.toMatchObject({ members: ['10.0.0.1'] });

    expect(rehearsals.asked).toEqual(['web@10.0.0.1']);
  });

  it('keeps what is listed when nobody can take new ports yet', async () => {
    const { rehearsals, membersOf } = setup(pod('10.0.0.1'));
    rehearsals.answer = () => ({ cannot: 'does not listen on port 20001' });
    const wanted = [{ namespace: 'shop', service: 'web', port: 90, resolverPort: 20_001 }];

    await expect(membersOf(listing('10.0.0.1'), 'known', wanted)).resolves.toMatchObject({ members: [], change: 'nothing' });
  });

  it('waits until the resolver pods are known, and takes nobody out before', async () => {
    const { known, membersOf } = setup();
    known.hasSynced = false;

    await expect(membersOf(listing('10.0.0.9'))).rejects.toThrow(WaitingError);
  });

  it('empties what lists only pods that are gone', async () => {
    const { membersOf } = setup();

    await expect(membersOf(listing('10.0.0.9'))).resolves.toEqual({ members: [], change: 'everything' });
  });
});
