import { eventually } from '../../eventually';
import { kubectl } from '../kubectl';
import type { Tally } from '../resolver/caller';
import type { SleeperOptions } from '../resolver/sleepers';
import type { World } from '../resolver/world';

const monthsAway = new Date(Date.now() + 182 * 86_400_000).getUTCMonth() + 1;
/** A minute, half a year from now. */
const notNow = { schedule: `0 0 1 ${monthsAway} *`, duration: '1m' };

const prometheus = (serverAddress: string, query: string) => ({
  type: 'prometheus' as const,
  metadata: { serverAddress, query, threshold: '0.1' },
});

/** Services that Prometheus decides about. */
export function meteredStock(serverAddress: string): Readonly<Record<string, SleeperOptions>> {
  const rate = 'sum(rate(echo_requests_total{job="metered"}[5s])) or vector(0)';
  return {
    metered: { replicas: 1, spec: { cooldownPeriod: 4, triggers: [prometheus(serverAddress, rate)] } },
    'in-demand': { spec: { cooldownPeriod: 1, triggers: [prometheus(serverAddress, 'vector(1)')] } },
    clerk: {
      spec: { cooldownPeriod: 1, enabledPeriod: notNow, triggers: [prometheus(serverAddress, 'vector(0)')] },
    },
  };
}

/** Who decides when a target sleeps: a real Prometheus, and the clock. */
export function describeTriggers(world: World): void {
  async function stampedAgain(name: string): Promise<void> {
    const before = await world.sleepers.stampOf(name);
    await eventually(`${name} found busy again`, async () => ((await world.sleepers.stampOf(name)) !== before ? true : undefined));
  }

  it('stays awake while Prometheus counts requests, falls asleep when it counts none, and is woken by the next, while it is scraped on', async () => {
    const { sleepers, caller } = world;
    const address = sleepers.addressOf('metered', 'http');
    const traffic = await caller.begin<Tally>({ kind: 'traffic', everyMs: 50, ...address });
    await sleepers.awake('metered');
    for (let time = 1; time <= 3; time++) await stampedAgain('metered');

    const replicasUnderTraffic = await sleepers.replicasOf('metered');
    const tally = await traffic.stop();
    await sleepers.asleep('metered', caller);
    const replicasWithout = await sleepers.replicasOf('metered');
    // Its cooldown begins with the wake: of a pod that takes longer to start, nothing would be left to look for.
    await sleepers.stayAwakeNextTime('metered');
    const answer = await caller.request(address);

    expect(tally).toMatchObject({ statuses: { 200: tally.sent }, failures: [] });
    expect([replicasUnderTraffic, replicasWithout]).toEqual([1, 0]);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.trailers).toMatchObject({ 'x-pod': (await sleepers.podOf('metered')).metadata.name });
  });

  it('wakes a sleeping target when Prometheus says that it is in demand, with no request at all', async () => {
    await world.sleepers.awake('in-demand');

    expect(await world.sleepers.replicasOf('in-demand')).toBe(1);
  });

  it('keeps a target awake outside of its enabled period, however idle, and lets it sleep inside', async () => {
    await world.sleepers.awake('clerk');
    await stampedAgain('clerk');
    const replicasOutside = await world.sleepers.replicasOf('clerk');

    const allDay = JSON.stringify({ spec: { enabledPeriod: { schedule: '0 0 * * *', duration: '24h' } } });
    await kubectl('patch', 'esvc', 'clerk', '-n', world.sleepers.namespace, '--type=merge', '-p', allDay);
    await world.sleepers.asleep('clerk', world.caller);

    expect(replicasOutside).toBe(1);
    expect(await world.sleepers.replicasOf('clerk')).toBe(0);
  });
}
