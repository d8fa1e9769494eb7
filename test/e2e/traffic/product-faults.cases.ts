import { eventually } from '../../eventually';
import type { World } from '../resolver/world';
import type { Ledger } from './ledger';
import { Nights } from './nights';

/** What is lost when resolvers and operators come and go while a target is being woken under traffic: nothing. */
export function describeProductFaults(world: World, ledger: Ledger): void {
  const nights = new Nights(world);

  /** A hand puts the target to sleep; `fault` strikes while requests are held for it; then its pod is let go on. */
  async function struckWhileHeld(name: string, title: string, fault: () => Promise<void>): Promise<void> {
    const { sleepers, caller } = world;
    await nights.rousedAndStarted(name);
    const traffic = await nights.trafficTo(name);
    await traffic.goesOnFor(500);
    await nights.scaledToZero(name);
    await world.untilOpen(name, 20, await world.elasti.resolvers());

    await fault();
    await sleepers.letStart(name, caller);
    await nights.awakeAgain(name);
    await traffic.goesOnFor(500);
    const tally = await traffic.stop();

    expect(ledger.enter(title, tally)).toEqual([]);
    expect(tally.pods.length).toBeGreaterThan(1);
  }

  it('loses nothing when a resolver pod is deleted', () =>
    struckWhileHeld('resolver-deleted', 'a resolver pod deleted', async () => {
      const leaving = await world.elasti.resolver();
      await world.elasti.dismiss(leaving);
      await eventually('another resolver', async () => ((await world.elasti.resolvers()).length === 2 ? true : undefined));
    }));

  it('loses nothing when all resolvers are replaced', () =>
    struckWhileHeld('resolver-rolled', 'resolvers rolled', () => world.elasti.rollResolvers()));

  it('loses nothing when the leader of the operators is killed', () =>
    struckWhileHeld('leader-killed', 'the leading operator killed', async () => {
      const leader = await eventually('a leader', async () => (await world.elasti.leader()) || undefined);
      await world.elasti.kill(leader);
      await eventually('another leader', async () => {
        const next = await world.elasti.leader();
        return next !== '' && next !== leader ? true : undefined;
      });
    }));

  it('loses nothing of what comes to a target at zero while there is no operator for 20 s', async () => {
    const name = 'no-operator';
    await world.sleepers.asleep(name, world.caller);
    await world.elasti.scaleOperator(0);

    const traffic = await nights.trafficTo(name);
    await traffic.goesOnFor(20_000);
    const replicasThen = await world.sleepers.replicasOf(name);
    await world.elasti.scaleOperator(2);
    await nights.awakeAgain(name);
    const tally = await traffic.stop();

    expect(replicasThen).toBe(0);
    expect(ledger.enter('no operator for 20 s, target at zero', tally)).toEqual([]);
    expect(tally.longestMs).toBeGreaterThan(15_000);
  });
}
