import { KitMetrics, LeaderElector, Lease, LeaseLostError, silentLogger, systemClock } from '@elasti/operator-kit';
import type { KubeClient } from '@elasti/operator-kit';
import { eventually } from './eventually';
import { useServer } from './harness';

interface Candidate {
  elector: LeaderElector;
  client: KubeClient;
  shutdown: AbortController;
  /** What its run ended with: nothing, or an error. */
  ended: Promise<unknown>;
}

/** A busy API server takes its time: whoever need not lose a lease has one that lasts. */
const lasting = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000 };
/** For those who wait until it has run out. */
const short = { leaseDurationMs: 6_000, renewDeadlineMs: 4_000 };

describe("the kit's leader election", () => {
  const server = useServer();
  const leases = server.of(Lease);
  const running: Candidate[] = [];

  afterEach(async () => {
    for (const { shutdown } of running) shutdown.abort();
    await Promise.all(running.splice(0).map(({ ended }) => ended));
  });

  const stand = (name: string, identity: string, lease = lasting): Candidate => {
    const client = server.newClient();
    const timing = { ...lease, retryPeriodMs: 200 };
    const parts = { client, clock: systemClock, logger: silentLogger, metrics: new KitMetrics() };
    const elector = new LeaderElector({ namespace: server.namespace, name, identity, ...timing }, parts);
    const shutdown = new AbortController();
    const onStartedLeading = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    const ended = elector.run({ onStartedLeading }, shutdown.signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    const candidate = { elector, client, shutdown, ended };
    running.push(candidate);
    return candidate;
  };
  const leads = ({ elector }: Candidate) => eventually(() => expect(elector.isLeader).toBe(true));
  const specOf = async (name: string) => (await leases.read(name)).spec;

  it('creates a lease that is missing, with times of six digits', async () => {
    await leads(stand('created', 'a'));

    const spec = await specOf('created');

    expect(spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(spec?.acquireTime).toMatch(/\.\d{6}Z$/);
    expect(spec?.renewTime).toMatch(/\.\d{6}Z$/);
  });

  it('renews the lease and keeps the time of its acquisition', async () => {
    await leads(stand('renewed', 'a'));
    const before = await specOf('renewed');

    await eventually(async () => expect((await specOf('renewed'))?.renewTime).not.toBe(before?.renewTime));

    expect((await specOf('renewed'))?.acquireTime).toBe(before?.acquireTime);
  });

  it('takes a lease that nobody holds', async () => {
    await leases.given({ metadata: { name: 'empty' }, spec: { holderIdentity: '', leaseDurationSeconds: 3600, leaseTransitions: 4 } });

    await leads(stand('empty', 'a'));

    expect(await specOf('empty')).toMatchObject({ holderIdentity: 'a', leaseTransitions: 5 });
  });

  it('leaves a lease alone that another renews', async () => {
    const first = stand('live', 'a');
    await leads(first);
    const second = stand('live', 'b');

    await eventually(() => expect(second.elector.leaderIdentity).toBe('a'));
    const { renewTime } = (await specOf('live')) ?? {};
    await eventually(async () => expect((await specOf('live'))?.renewTime).not.toBe(renewTime));

    expect(second.elector.isLeader).toBe(false);
    expect(first.elector.isLeader).toBe(true);
  });

  it('gives the lease back at shutdown, and another takes it at once', async () => {
    const first = stand('released', 'a');
    await leads(first);
    const second = stand('released', 'b');
    await eventually(() => expect(second.elector.leaderIdentity).toBe('a'));

    first.shutdown.abort();

    expect(await first.ended).toBeUndefined();
    await leads(second);
    expect(await specOf('released')).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('takes over from one who fell silent, who stops leading before', async () => {
    const first = stand('silent', 'a', short);
    await leads(first);
    const second = stand('silent', 'b', short);
    await eventually(() => expect(second.elector.leaderIdentity).toBe('a'));

    await first.client.close();

    await leads(second);
    expect(first.elector.isLeader).toBe(false);
    expect(await first.ended).toBeInstanceOf(LeaseLostError);
    expect(await specOf('silent')).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('lets one of three lead', async () => {
    const candidates = ['a', 'b', 'c'].map((identity) => stand('three', identity));

    await eventually(() => expect(candidates.filter(({ elector }) => elector.isLeader)).toHaveLength(1));
    const { holderIdentity } = (await specOf('three')) ?? {};
    await eventually(() =>
      expect(candidates.map(({ elector }) => elector.leaderIdentity)).toEqual([holderIdentity, holderIdentity, holderIdentity]),
    );

    expect(candidates.filter(({ elector }) => elector.isLeader).map(({ elector }) => elector.config.identity)).toEqual([holderIdentity]);
  });
});
