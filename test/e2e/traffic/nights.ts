import { eventually } from '../../eventually';
import { kubectl } from '../kubectl';
import type { World } from '../resolver/world';
import { Traffic, type TrafficOptions, type TrafficTally } from './traffic';

/** How long traffic flows between two nights. */
const dayMs = 1_500;

/** Takes targets through sleep and wake under traffic. Nothing here waits by the clock. */
export class Nights {
  constructor(private readonly world: World) {}

  trafficTo(name: string, options?: TrafficOptions): Promise<Traffic> {
    return Traffic.begin(this.world.caller, this.world.sleepers.addressOf(name, 'http'), options);
  }

  /**
   * Gaps in the traffic, each so long that the target is put to sleep; the traffic that comes back wakes it: in one night the moment the pods are told
   * to go, in the next when the last of them is gone.
   */
  async fallingAsleepInGaps(name: string, times: number): Promise<TrafficTally> {
    const traffic = await this.trafficTo(name);
    // It may have fallen asleep before anybody came.
    await this.awakeAgain(name);
    for (let night = 1; night <= times; night++) {
      await traffic.goesOnFor(dayMs);
      const before = await this.podsNow(name);
      await traffic.pause();
      await this.toldToGo(name, before);
      if (night % 2 === 0) await this.world.sleepers.asleep(name, this.world.caller);
      await traffic.resume();
      await this.awakeAgain(name);
    }
    await traffic.goesOnFor(dayMs);
    return traffic.stop();
  }

  /** A hand takes the last pod away under traffic that never stops. */
  async putToSleepByHand(name: string, times: number): Promise<TrafficTally> {
    const traffic = await this.trafficTo(name);
    for (let night = 1; night <= times; night++) {
      await traffic.goesOnFor(dayMs);
      await this.scaledToZero(name);
      await this.awakeAgain(name);
    }
    await traffic.goesOnFor(dayMs);
    return traffic.stop();
  }

  /** What any Deployment goes through with a new version. */
  async restarts(name: string, times: number): Promise<TrafficTally> {
    const { namespace } = this.world.sleepers;
    const traffic = await this.trafficTo(name);
    for (let restart = 1; restart <= times; restart++) {
      await traffic.goesOnFor(dayMs);
      await kubectl('rollout', 'restart', `deployment/${name}`, '-n', namespace);
      await kubectl('rollout', 'status', `deployment/${name}`, '-n', namespace, '--timeout=90s');
    }
    await traffic.goesOnFor(dayMs);
    return traffic.stop();
  }

  /** Awake, whether or not its pod waits to be told to be ready. */
  async rousedAndStarted(name: string): Promise<void> {
    const { sleepers, caller } = this.world;
    if ((await sleepers.replicasOf(name)) === 0) {
      await sleepers.asleep(name, caller);
      const call = await caller.begin({ kind: 'request', ...sleepers.addressOf(name, 'http') });
      await sleepers.letStart(name, caller);
      await call.result();
    }
    await sleepers.awake(name);
  }

  /** By hand, and until none of the pods is left that nobody has told to go. */
  async scaledToZero(name: string): Promise<void> {
    const before = await this.podsNow(name);
    await kubectl('scale', `deployment/${name}`, '-n', this.world.sleepers.namespace, '--replicas=0');
    await this.toldToGo(name, before);
  }

  /** Another pod, ready, and the traffic at it. */
  async awakeAgain(name: string): Promise<void> {
    const { sleepers } = this.world;
    await eventually(
      `a ready pod of ${name}`,
      async () => {
        const pods = await sleepers.podsOf(name);
        return pods.some(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
          ? true
          : undefined;
      },
      120_000,
    );
    await sleepers.awake(name);
  }

  private async podsNow(name: string): Promise<ReadonlySet<string | undefined>> {
    return new Set((await this.world.sleepers.podsOf(name)).map(({ metadata }) => metadata.uid));
  }

  private async toldToGo(name: string, pods: ReadonlySet<string | undefined>): Promise<void> {
    const look = async () => {
      const left = await this.world.sleepers.podsOf(name);
      return left.every(({ metadata }) => !pods.has(metadata.uid)) ? true : undefined;
    };
    await eventually(`the old pods of ${name} told to go`, look, 90_000);
  }
}
