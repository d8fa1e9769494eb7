import type { World } from '../resolver/world';
import { type Ledger, rules } from './ledger';
import { Nights } from './nights';
import type { TrafficTally } from './traffic';

const nightsOfAKind = 5;

interface Nightly {
  readonly inGaps: TrafficTally;
  readonly byHand: TrafficTally;
}

/** Ten nights of a target that minds its manners, of one that does not, and as many restarts of one that Elasti has nothing to do with. */
export function describeCycles(world: World, ledger: Ledger): void {
  let mannered: Nightly;
  let abrupt: Nightly;
  let restarts: TrafficTally;

  // All at the same time: they are to be compared.
  beforeAll(async () => {
    const nights = new Nights(world);
    const ten = async (name: string): Promise<Nightly> => ({
      inGaps: await nights.fallingAsleepInGaps(name, nightsOfAKind),
      byHand: await nights.putToSleepByHand(name, nightsOfAKind),
    });
    [mannered, abrupt, restarts] = await Promise.all([ten('mannered'), ten('abrupt'), nights.restarts('plain', nightsOfAKind)]);
  }, 400_000);

  it('loses nothing while a target with a preStop sleep falls asleep and is woken ten times', () => {
    const inGaps = ledger.enter('preStop sleep: asleep in 5 gaps, woken by traffic', mannered.inGaps);
    const byHand = ledger.enter('preStop sleep: put to sleep by hand under traffic, 5 times', mannered.byHand);

    expect([...inGaps, ...byHand]).toEqual([]);
    for (const { sent, answered } of [mannered.inGaps, mannered.byHand]) expect(answered).toBe(sent);
    for (const { pods } of [mannered.inGaps, mannered.byHand]) expect(pods.length).toBeGreaterThan(nightsOfAKind);
  });

  it('loses of a target that exits at SIGTERM only what it cuts off itself, as a rolling restart does', () => {
    const allowed = [rules.exitAtOnce, rules.postSentInFull, rules.answerBegun];
    // In some nights the traffic comes back when the pod has just been told to go: the data plane may not have heard of it yet.
    const inGaps = ledger.enter('exits at SIGTERM: asleep in 5 gaps, woken by traffic', abrupt.inGaps, allowed);
    const byHand = ledger.enter('exits at SIGTERM: put to sleep by hand under traffic, 5 times', abrupt.byHand, allowed);
    const restarted = ledger.enter('exits at SIGTERM, without Elasti: 5 rolling restarts', restarts, allowed);

    expect([...inGaps, ...byHand, ...restarted]).toEqual([]);
    for (const { sent, answered, lost } of [abrupt.inGaps, abrupt.byHand, restarts]) expect(answered + lost.length).toBe(sent);
  });
}
