import { KubeSim } from '@elasti/kube-sim';
import { KitMetrics, KubeClient, Lease, LeaderElector, LeaseLostError, silentLogger, systemClock } from '@elasti/operator-kit';
import { eventually } from '../conformance/eventually';

const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 200 };
const lease = { namespace: 'default', name: 'operator' };

interface Candidate {
  readonly elector: LeaderElector;
  readonly client: KubeClient;
  readonly shutdown: AbortController;
  /** What it ended with: an error, or nothing. */
  readonly ended: Promise<unknown>;
}

interface Reign {
  readonly identity: string;
  readonly fromMs: number;
  untilMs?: number;
}

describe('leader election over a real connection', () => {
  let sim: KubeSim;
  const processes: Candidate[] = [];

  beforeEach(async () => {
    sim = await KubeSim.start();
  });

  afterEach(async () => {
    for (const { shutdown } of processes) shutdown.abort();
    await Promise.all(processes.splice(0).map(({ ended, client }) => ended.then(() => client.close())));
    await sim.stop();
  });

  /** One process: a connection of its own, and a note of every reign. */
  function stand(identity: string, reigns: Reign[]): Candidate {
    const client = KubeClient.forServer({ server: sim.url });
    const parts = { client, clock: systemClock, logger: silentLogger, metrics: new KitMetrics() };
    const elector = new LeaderElector({ ...lease, identity, ...timing }, parts);
    const shutdown = new AbortController();
    const onStartedLeading = (signal: AbortSignal) => {
      const reign: Reign = { identity, fromMs: performance.now() };
      reigns.push(reign);
      return new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          reign.untilMs = performance.now();
          resolve();
        });
      });
    };
    const ended = elector.run({ onStartedLeading }, shutdown.signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    const process = { elector, client, shutdown, ended };
    processes.push(process);
    return process;
  }

  const leadersOf = (candidates: readonly Candidate[]) => candidates.filter(({ elector }) => elector.isLeader);

  it('has one leader of three, and another soon after that one is cut off', async () => {
    const reigns: Reign[] = [];
    const candidates = ['a', 'b', 'c'].map((identity) => stand(identity, reigns));
    const [first] = await eventually(() => {
      const leaders = leadersOf(candidates);
      expect(leaders).toHaveLength(1);
      return leaders;
    });

    const cutOffMs = performance.now();
    await first?.client.close();
    const others = candidates.filter((candidate) => candidate !== first);
    await eventually(() => expect(leadersOf(others)).toHaveLength(1));

    const [before, after] = reigns;
    expect(await first?.ended).toBeInstanceOf(LeaseLostError);
    expect(reigns).toHaveLength(2);
    expect(before?.untilMs).toBeLessThan(after?.fromMs ?? 0);
    // The last renewal may have been seen one retry late, and the takeover itself takes a moment.
    expect((after?.fromMs ?? Infinity) - cutOffMs).toBeLessThan(timing.leaseDurationMs + 2_000);
  });

  it('hands the lead over at once when the leader is shut down', async () => {
    const reigns: Reign[] = [];
    const candidates = ['a', 'b', 'c'].map((identity) => stand(identity, reigns));
    const [first] = await eventually(() => {
      const leaders = leadersOf(candidates);
      expect(leaders).toHaveLength(1);
      return leaders;
    });

    first?.shutdown.abort();
    await first?.ended;
    await eventually(() => expect(leadersOf(candidates)).toHaveLength(1), { deadlineMs: timing.leaseDurationMs - 500 });

    expect(reigns).toHaveLength(2);
    const reader = candidates.find((candidate) => candidate !== first)?.client;
    expect((await reader?.get(Lease, lease))?.spec).toMatchObject({ leaseTransitions: 1, holderIdentity: reigns[1]?.identity });
  });

  it('keeps its leader through a short absence of the API server', async () => {
    const reigns: Reign[] = [];
    const candidates = ['a', 'b', 'c'].map((identity) => stand(identity, reigns));
    await eventually(() => expect(leadersOf(candidates)).toHaveLength(1));

    await sim.faults.refuseConnections();
    await eventually(() => expect(performance.now()).toBeGreaterThan((reigns[0]?.fromMs ?? 0) + 800));
    await sim.faults.acceptConnections();
    const renewedAfter = await currentRenewal(candidates[0]?.client);
    await eventually(async () => expect(await currentRenewal(candidates[0]?.client)).not.toBe(renewedAfter));

    expect(reigns).toHaveLength(1);
    expect(leadersOf(candidates)).toHaveLength(1);
  });

  async function currentRenewal(client?: KubeClient): Promise<string | undefined> {
    return (await client?.get(Lease, lease))?.spec?.renewTime;
  }
});
