import { StartingPods } from './starting-pods';

const lease = (podKey: string, startingSinceMs?: number) => ({
  podKey,
  startingSinceMs,
  address: '10.1.0.1',
  port: 80,
  release: () => undefined,
});

describe('StartingPods', () => {
  it('forgives a pod that may still start, however often, and no other', () => {
    const pods = new StartingPods();

    const forgiven = [lease('a', 1), lease('b', 2), lease('a', 1), lease('c')].map((one) => pods.forgives(one));

    expect(forgiven).toEqual([true, true, true, false]);
  });

  it('forgives nothing to a pod that became ready once more: it may have died of the request', () => {
    const pods = new StartingPods();

    const forgiven = [lease('a', 1), lease('a', 9), lease('a', 17)].map((one) => pods.forgives(one));

    expect(forgiven).toEqual([true, false, false]);
  });
});
