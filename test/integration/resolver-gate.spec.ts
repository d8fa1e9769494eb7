import { systemClock } from '@elasti/operator-kit';
import { HoldingGate, TurnClock } from '../../apps/resolver/src/gate';
import type { WakeDemand } from '../../apps/resolver/src/wake';
import type { PodLease } from '../../apps/resolver/src/exchange';
import { eventually } from '../conformance/eventually';
import { ResolverRooms, web } from './resolver-rooms';

const config = {
  requestTimeoutMs: 60_000,
  maxRequests: 1_000,
  maxBytes: 1_000_000,
  maxRequestsPerService: 1_000,
  maxBytesPerService: 1_000_000,
  maxConcurrencyPerFreshPod: 100,
};

describe('the gate on a cluster', () => {
  let rooms: ResolverRooms;
  let gate: HoldingGate;
  const wanted = new Set<WakeDemand>();

  beforeEach(async () => {
    rooms = await ResolverRooms.start();
    await rooms.deployAsleep();
    const waker = { want: (demand: WakeDemand) => void wanted.add(demand), satisfied: (demand: WakeDemand) => void wanted.delete(demand) };
    const { directory, services, pods } = rooms;
    gate = new HoldingGate(config, { directory, services, pods, waker, clock: new TurnClock(systemClock) });
    await eventually(() => expect([directory.find(web), services.find(web)]).not.toContain(undefined));
  });

  afterEach(async () => {
    gate.close();
    await rooms.stop();
  });

  const hold = () =>
    new Promise<PodLease>((entered, refused) => {
      gate.hold(web, { bytesHeld: 100 }, { entered, refused });
    });

  it('holds while the Service sleeps and goes to the pod, at the number of its named port, the moment it is ready', async () => {
    const waiting = [hold(), hold()];
    await eventually(() => expect(wanted.size).toBe(1));

    await rooms.scale(1);
    const leases = await Promise.all(waiting);

    const [pod] = rooms.pods.of(web);
    expect(leases.map(({ address, port }) => [address, port])).toEqual([
      [pod?.address, 8080],
      [pod?.address, 8080],
    ]);
    expect([wanted.size, gate.tryEnter({ ...web, port: 9090 })?.port]).toEqual([0, 9191]);
  });

  it('spreads over pods as they come and leaves them as they go', async () => {
    await rooms.scale(3);
    await eventually(() => expect(rooms.pods.of(web)).toHaveLength(3));
    const spread = new Set(Array.from({ length: 3 }, () => gate.tryEnter(web)?.podKey));

    await rooms.scale(0);
    await eventually(() => expect(rooms.pods.of(web)).toHaveLength(0));

    expect([spread.size, gate.tryEnter(web)]).toEqual([3, undefined]);
  });

  it('loses nobody when the watches break while a pod becomes ready', async () => {
    const waiting = hold();
    rooms.sim.faults.dropWatches();

    await rooms.scale(1);

    expect((await waiting).port).toBe(8080);
  });
});
