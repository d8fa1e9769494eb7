import type { World } from '../resolver/world';
import { type Ledger, rules } from './ledger';
import { Nights } from './nights';
import { Traffic, type TrafficTally } from './traffic';

const nightsOfAKind = 5;
const restartsInAll = 2 * nightsOfAKind;

/**
 * What a target that exits at SIGTERM may lose at each end of a pod: what is sent until the data plane has heard of it. kube-proxy writes its rules
 * at most once a second, so it hears within one, and somewhat later on a busy machine.
 */
const atMostPerEnd = 2 * Traffic.perSecond;
/**
 * Where in that second a pod ends is a matter of chance, for Elasti and for a rolling restart alike: one end loses anything from nothing to a second's
 * traffic, evenly, with a deviation of 0.29 of it. The difference between the means of five ends and of ten deviates by 0.16 of it; thrice that is half.
 */
const margin = Traffic.perSecond / 2;

interface Nightly {
  readonly inGaps: TrafficTally;
  readonly byHand: TrafficTally;
}

/** Ten nights of targets with better and worse manners, and as many restarts of one that Elasti has nothing to do with. */
export function describeCycles(world: World, ledger: Ledger): void {
  let mannered: Nightly;
  let preStopOnly: Nightly;
  let abrupt: Nightly;
  let restarts: TrafficTally;

  // All at the same time: they are to be compared.
  beforeAll(async () => {
    const nights = new Nights(world);
    const ten = async (name: string): Promise<Nightly> => ({
      inGaps: await nights.fallingAsleepInGaps(name, nightsOfAKind),
      byHand: await nights.putToSleepByHand(name, nightsOfAKind),
    });
    [mannered, preStopOnly, abrupt, restarts] = await Promise.all([
      ten('mannered'),
      ten('pre-stop-only'),
      ten('abrupt'),
      nights.restarts('plain', restartsInAll),
    ]);
  }, 400_000);

  it('loses nothing while a target with a preStop sleep falls asleep and is woken ten times', () => {
    const inGaps = ledger.enter('preStop sleep: asleep in 5 gaps, woken by traffic', mannered.inGaps);
    const byHand = ledger.enter('preStop sleep: put to sleep by hand under traffic, 5 times', mannered.byHand);

    expect([...inGaps, ...byHand]).toEqual([]);
    for (const { sent, answered } of [mannered.inGaps, mannered.byHand]) expect(answered).toBe(sent);
    for (const { pods } of [mannered.inGaps, mannered.byHand]) expect(pods.length).toBeGreaterThan(nightsOfAKind);
  });

  it('loses nothing of a target that has a preStop sleep and then exits at once, but what it is answering on kept connections', () => {
    // Requests take far less time than passes between two: one at most is under way.
    const allowed = [[rules.keptConnectionCut], nightsOfAKind] as const;
    const inGaps = ledger.enter('preStop sleep, then exits: asleep in 5 gaps, woken by traffic', preStopOnly.inGaps, ...allowed);
    const byHand = ledger.enter('preStop sleep, then exits: put to sleep by hand under traffic, 5 times', preStopOnly.byHand, ...allowed);

    expect([...inGaps, ...byHand]).toEqual([]);
    for (const { pods } of [preStopOnly.inGaps, preStopOnly.byHand]) expect(pods.length).toBeGreaterThan(nightsOfAKind);
  });

  it('loses of a target that exits at SIGTERM only what it cuts off itself, as a rolling restart does', () => {
    const allowed = [rules.exitAtOnce, rules.postSentInFull, rules.answerBegun];
    const enter = (name: string, tally: TrafficTally, ends: number) => ledger.enter(name, tally, allowed, ends * atMostPerEnd);
    // In some nights the traffic comes back when the pod has just been told to go: the data plane may not have heard of it yet.
    const inGaps = enter('exits at SIGTERM: asleep in 5 gaps, woken by traffic', abrupt.inGaps, nightsOfAKind);
    const byHand = enter('exits at SIGTERM: put to sleep by hand under traffic, 5 times', abrupt.byHand, nightsOfAKind);
    const restarted = enter('exits at SIGTERM, without Elasti: 10 rolling restarts', restarts, restartsInAll);

    expect([...inGaps, ...byHand, ...restarted]).toEqual([]);
    for (const { sent, answered, lost } of [abrupt.inGaps, abrupt.byHand, restarts]) expect(answered + lost.length).toBe(sent);
  });

  it('loses of a target that exits at SIGTERM no more at each end of a pod than a rolling restart does', () => {
    const inGaps = abrupt.inGaps.lost.length / nightsOfAKind;
    const byHand = abrupt.byHand.lost.length / nightsOfAKind;
    const restarted = restarts.lost.length / restartsInAll;

    const figures = [`in gaps ${inGaps}`, `by hand ${byHand}`, `rolling restarts without Elasti ${restarted}, and ${margin} for chance`];
    ledger.remark(`Lost at each end of a pod that exits at SIGTERM: ${figures.join('; ')}`);
    for (const lost of [inGaps, byHand]) expect(lost).toBeLessThanOrEqual(restarted + margin);
  });
}
