import { kubectl } from '../kubectl';
import type { World } from '../resolver/world';
import type { Ledger } from './ledger';
import { Nights } from './nights';

/** What is lost when ElastiServices are deleted under traffic: nothing, whether their targets are awake, being woken or asleep. */
export function describeDeparture(world: World, ledger: Ledger): void {
  const nights = new Nights(world);

  const deleted = async (name: string) => {
    await kubectl('delete', 'elastiservice', name, '-n', world.sleepers.namespace, '--wait=false');
  };

  it('loses nothing while ElastiServices are deleted, of targets awake, waking and asleep', async () => {
    const { sleepers, caller } = world;
    const [awake, waking, asleep] = ['deleted-awake', 'deleted-waking', 'deleted-asleep'] as const;
    await sleepers.awake(awake);
    for (const name of [waking, asleep]) await sleepers.asleep(name, caller);
    const toAwake = await nights.trafficTo(awake);
    const toWaking = await nights.trafficTo(waking);
    await toAwake.goesOnFor(500);
    await world.untilOpen(waking, 20, await world.elasti.resolvers());

    for (const name of [awake, waking, asleep]) await deleted(name);
    const toAsleep = await nights.trafficTo(asleep);
    await world.untilOpen(asleep, 20, await world.elasti.resolvers());
    for (const name of [waking, asleep]) await sleepers.letStart(name, caller);
    await sleepers.letGoOf([awake, waking, asleep]);
    // Long enough for clients of kept connections to find out whether anybody is left at the other end.
    const traffics = { awake: toAwake, waking: toWaking, asleep: toAsleep };
    await Promise.all(Object.values(traffics).map((traffic) => traffic.goesOnFor(5_000)));
    const tallies = await Promise.all(Object.entries(traffics).map(async ([state, traffic]) => [state, await traffic.stop()] as const));

    const lost = tallies.flatMap(([state, tally]) => ledger.enter(`ElastiService deleted, target ${state}`, tally));
    expect(lost).toEqual([]);
    for (const [, { sent, answered }] of tallies) expect(answered).toBe(sent);
    for (const name of [awake, waking, asleep]) expect(await sleepers.replicasOf(name)).toBe(1);
  });
}
