import { WakeTimeline } from './wake-timeline';

function asleep(): WakeTimeline {
  const timeline = new WakeTimeline();
  timeline.scaledTo(0, 0);
  return timeline;
}

describe('WakeTimeline', () => {
  it('tells how long each phase took, the first one by what the resolver says of the whole', () => {
    const timeline = asleep();

    timeline.scaledTo(1, 1_000);
    timeline.podRuns(1_020);
    timeline.podIsReady(1_320, 1_700_000_000_000);
    timeline.resolverSaw(330);

    expect(timeline.lastWake).toEqual({
      atMs: 1_700_000_000_000,
      phases: [
        { name: 'asked', durationMs: 10 },
        { name: 'started', durationMs: 20 },
        { name: 'ready', durationMs: 300 },
      ],
    });
  });

  it('has nothing to tell before a pod is ready, and no first phase where nobody waited', () => {
    const timeline = asleep();

    timeline.scaledTo(1, 1_000);
    timeline.podRuns(1_020);
    const early = timeline.lastWake;
    timeline.podIsReady(1_320, 0);

    expect(early).toBeUndefined();
    expect(timeline.lastWake?.phases.map(({ name }) => name)).toEqual(['started', 'ready']);
  });

  it('begins anew with the next wake, and takes further replicas for none', () => {
    const timeline = asleep();
    timeline.scaledTo(1, 1_000);
    timeline.podIsReady(1_300, 1);
    timeline.scaledTo(3, 2_000);
    timeline.podIsReady(2_500, 2);
    const first = timeline.lastWake;

    timeline.scaledTo(0, 3_000);
    timeline.scaledTo(1, 4_000);
    timeline.podIsReady(4_100, 3);

    expect(first?.atMs).toBe(1);
    expect(timeline.lastWake?.atMs).toBe(3);
  });

  it('gives a finished wake once', () => {
    const timeline = asleep();
    timeline.scaledTo(1, 1_000);
    timeline.podIsReady(1_300, 1);
    const early = timeline.takeFinished();
    timeline.resolverSaw(310);

    expect(early).toBeUndefined();
    expect(timeline.takeFinished()).toBeDefined();
    expect(timeline.takeFinished()).toBeUndefined();
  });
});
