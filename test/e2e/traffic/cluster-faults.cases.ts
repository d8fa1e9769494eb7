import { eventually } from '../../eventually';
import { kubectl } from '../kubectl';
import type { World } from '../resolver/world';
import { itWithApiServer, itWithKubelet, withKubeletPaused, withoutApiServerFor } from './components';
import { type Ledger, rules, within } from './ledger';
import { Nights } from './nights';
import { NodeVigil } from './node-vigil';
import { Traffic } from './traffic';

const outageMs = 20_000;
/** Kubernetes itself takes its time to recover. */
const patient = { deadlineMs: 150_000 };

/** Kubernetes brings a node back within seconds of hearing from it; more than five seconds' traffic to a target is lost by somebody else. */
const atMostWhileGivenUp = 5 * Traffic.perSecond;

/** Resolvers hear by a watch of their own, when the machine is busy somewhat later than whoever asks. */
const resolversHearWithinMs = 2_000;
/** Of the word that a pod is no more: its kubelet ends it then. Whoever comes to a resolver later comes to no pod, and is lost by somebody else. */
const killedWithinMs = 1_000;

/** What is lost when parts of the cluster and the targets themselves fail: nothing, but what a pod takes with it. */
export function describeClusterFaults(world: World, ledger: Ledger): void {
  const nights = new Nights(world);

  itWithApiServer(
    'loses nothing while the API server is away for 20 s, of targets asleep, waking and awake',
    async () => {
      const { sleepers, caller } = world;
      await using vigil = await NodeVigil.begin(world.client, caller);
      await nights.rousedAndStarted('outage-awake');
      await nights.rousedAndStarted('outage-waking');
      await sleepers.asleep('outage-asleep', caller);
      const awake = await nights.trafficTo('outage-awake', patient);
      const waking = await nights.trafficTo('outage-waking', patient);
      await nights.scaledToZero('outage-waking');
      const { metadata, status } = await sleepers.podOf('outage-waking');
      await sleepers.noneLeaving('outage-waking');
      await waking.goesOnFor(2_000);
      // Both come when nobody can be told any more.
      const asleep = await nights.trafficTo('outage-asleep', { ...patient, afterMs: outageMs / 2 });
      await caller.begin({ kind: 'request', afterMs: outageMs / 2, host: status?.podIP, port: 9000, path: '/start', method: 'POST' });

      await withoutApiServerFor(outageMs);
      for (const name of ['outage-asleep', 'outage-waking']) await nights.awakeAgain(name);
      const tallies = { asleep: await asleep.stop(), waking: await waking.stop(), awake: await awake.stop() };

      const excuses = [within(await vigil.end(), rules.nodeGivenUp)];
      const lost = Object.entries(tallies).flatMap(([state, tally]) =>
        ledger.enter(`no API server for 20 s, target ${state}`, tally, excuses, atMostWhileGivenUp),
      );
      expect(lost).toEqual([]);
      expect(tallies.asleep.pods.length).toBe(1);
      expect(tallies.waking.pods).toContain(metadata.name);
    },
    300_000,
  );

  itWithKubelet('loses nothing while the kubelet stands still for 15 s and a target is to be woken', async () => {
    const name = 'kubelet-paused';
    await nights.rousedAndStarted(name);
    const traffic = await nights.trafficTo(name);
    await traffic.goesOnFor(500);

    await withKubeletPaused(async () => {
      await nights.scaledToZero(name);
      await traffic.goesOnFor(15_000);
    });
    await nights.awakeAgain(name);
    const tally = await traffic.stop();

    expect(ledger.enter('kubelet still for 15 s, target waking', tally)).toEqual([]);
    expect(tally.pods.length).toBeGreaterThan(1);
  });

  it('loses nothing of what comes to a target that crashes again and again until it is fixed', async () => {
    const name = 'crash-loop';
    const { sleepers, caller } = world;
    await sleepers.asleep(name, caller);
    await sleepers.runs(name, ['node', '-e', 'process.exit(1)']);
    const traffic = await nights.trafficTo(name);

    await eventually('two crashes', async () => {
      const [pod] = await sleepers.podsOf(name);
      return (pod?.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 2 ? true : undefined;
    });
    await sleepers.runs(name, ['node', '/app/main.mjs']);
    await nights.awakeAgain(name);
    const tally = await traffic.stop();

    expect(ledger.enter('target crash-looping, then fixed', tally)).toEqual([]);
    expect(tally.pods.length).toBe(1);
  });

  it('loses of a pod that is killed while it answers only what may not be sent twice and what it had begun to answer', async () => {
    const name = 'pod-killed';
    const { sleepers, caller, elasti } = world;
    await nights.rousedAndStarted(name);
    const pod = (await sleepers.podOf(name)).metadata.name ?? '';
    const route = { host: (await elasti.resolver()).ip, port: await sleepers.routeOf(name, 'http') };
    const beganMs = await caller.nowMs();
    const silent = await Traffic.begin(caller, route, { path: `/?unless=${pod}` });
    const halfway = await Traffic.begin(caller, route, { path: `/?half=${pod}` });
    await Promise.all([silent.goesOnFor(1_000), halfway.goesOnFor(1_000)]);

    await kubectl('delete', 'pod', pod, '-n', sleepers.namespace, '--grace-period=0', '--force');
    await sleepers.namedNowhere(pod);
    const goneMs = await caller.nowMs();
    await nights.awakeAgain(name);
    const readyMs = await caller.nowMs();
    const successor = (await sleepers.podOf(name)).metadata.name;
    await Promise.all([silent.goesOnFor(1_000), halfway.goesOnFor(1_000)]);
    const [silently, begun] = [await silent.stop(), await halfway.stop()];

    const title = 'target pod killed while answering, through a resolver';
    const sentToIt = [{ fromMs: 0, toMs: goneMs + resolversHearWithinMs }];
    // The pod answers none of them to the end: all that came before its own end may be open then, and nothing that comes later.
    const openAtMost = Traffic.sentAtMost(goneMs + killedWithinMs - beganMs);
    const [posted, answering] = [within(sentToIt, rules.postSentInFull), within(sentToIt, rules.answerBegun)];
    const lost = [
      ...ledger.enter(`${title}: nothing said yet`, silently, [posted], openAtMost / 2),
      ...ledger.enter(`${title}: in the middle of it`, begun, [answering, posted], openAtMost),
    ];
    expect(lost).toEqual([]);
    for (const tally of [silently, begun]) {
      expect(tally.lost.length).toBeGreaterThan(0);
      expect(tally.lost.filter(({ atMs }) => atMs >= readyMs)).toEqual([]);
      expect(tally.pods).toEqual([successor]);
    }
  });
}
