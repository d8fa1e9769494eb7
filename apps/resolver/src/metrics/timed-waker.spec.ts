import { FakeClock } from '@elasti/operator-kit/testing';
import type { ReadyPod } from '../endpoints';
import { TimedWaker } from './timed-waker';

function setup() {
  const clock = new FakeClock();
  const pods: ReadyPod[] = [];
  const took: number[] = [];
  const passedOn: string[] = [];
  const waker = { want: () => void passedOn.push('want'), satisfied: () => void passedOn.push('satisfied') };
  const timed = new TimedWaker(waker, { of: () => pods }, { woken: (_service, tookMs) => void took.push(tookMs) }, clock);
  return { clock, pods, took, passedOn, timed };
}

const demand = { namespace: 'shop', service: 'web', held: 1 };
const pod: ReadyPod = { podKey: 'a', address: '10.0.0.1', ports: new Map() };

describe('TimedWaker', () => {
  it('measures from the first wish to the first ready pod', async () => {
    const { clock, pods, took, passedOn, timed } = setup();
    timed.want(demand);
    await clock.advance(2_000);
    timed.want(demand);
    await clock.advance(1_000);

    pods.push(pod);
    timed.satisfied(demand);

    expect([took, passedOn]).toEqual([[3_000], ['want', 'want', 'satisfied']]);
  });

  it('measures nothing when everyone left before a pod was ready', async () => {
    const { clock, pods, took, timed } = setup();
    timed.want(demand);
    await clock.advance(2_000);

    timed.satisfied(demand);
    pods.push(pod);
    timed.satisfied(demand);

    expect(took).toEqual([]);
  });
});
