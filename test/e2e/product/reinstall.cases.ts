import { eventually } from '../../eventually';
import { operatorName, resolverName } from '../resolver/installation';
import type { Tally } from '../resolver/caller';
import { sharedPort, type SleeperOptions } from '../resolver/sleepers';
import type { World } from '../resolver/world';

/** Who is awake, who is woken meanwhile, and who sleeps on. */
export const reinstallStock: Readonly<Record<string, SleeperOptions>> = {
  steady: { replicas: 1 },
  'woken-meanwhile': {},
  'sleeping-on': {},
};

/** An upgrade is an apply over what runs. */
export function describeReinstall(world: World): void {
  const everyRequest = ({ sent }: Tally) => ({ sent, statuses: { 200: sent }, failures: [] });

  it('changes nothing when the same manifests are applied again', async () => {
    const before = await world.elasti.podNames();

    await world.elasti.apply();
    await world.elasti.rolledOut();

    expect((await world.elasti.podNames()).sort()).toEqual(before.sort());
  });

  it('loses no request, wakes nobody and forgets nobody while a new version of everything is applied over a running system', async () => {
    const { sleepers, caller, elasti } = world;
    await sleepers.awake('steady');
    for (const name of ['woken-meanwhile', 'sleeping-on']) await sleepers.asleep(name, caller);
    const host = `steady.${sleepers.namespace}`;
    const straight = await caller.begin<Tally>({ kind: 'traffic', everyMs: 20, ...sleepers.addressOf('steady', 'http') });
    const throughResolvers = await caller.begin<Tally>({ kind: 'traffic', everyMs: 20, ...sharedPort, headers: { host } });
    await throughResolvers.seen(1);
    const before = await elasti.podNames();

    await elasti.apply('second');
    await eventually('the first new pod', async () => ((await elasti.podNames()).some((pod) => !before.includes(pod)) ? true : undefined));
    const woken = await caller.begin<Tally>({ kind: 'burst', count: 20, ...sleepers.addressOf('woken-meanwhile', 'http') });
    await elasti.rolledOut();
    const tallies = [await woken.result(), await straight.stop(), await throughResolvers.stop()];
    await sleepers.asleep('sleeping-on', caller);

    for (const tally of tallies) expect(tally).toMatchObject(everyRequest(tally));
    expect((await elasti.podNames()).filter((pod) => before.includes(pod))).toEqual([]);
    expect(await sleepers.replicasOf('sleeping-on')).toBe(0);
    for (const program of [operatorName, resolverName]) expect(await elasti.logs(program)).not.toMatch(/"level":"error"/);
  });
}
