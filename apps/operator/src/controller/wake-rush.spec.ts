import { FakeClock } from '@elasti/operator-kit/testing';
import { WakeRush } from './wake-rush';

function setup() {
  const clock = new FakeClock();
  const done: string[] = [];
  const rush = new WakeRush(clock);
  return { clock, done, rush, task: (name: string) => () => void done.push(name) };
}

describe('WakeRush', () => {
  it('does everything at once while few wakes are under way', () => {
    const { clock, done, rush, task } = setup();
    rush.note(16);

    rush.afterwards(task('event'));

    expect(done).toEqual(['event']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps what can wait, in order, until the rush is over', async () => {
    const { clock, done, rush, task } = setup();
    rush.note(17);
    rush.afterwards(task('first'));
    rush.afterwards(task('second'));
    await clock.advance(1_000);
    expect(done).toEqual([]);

    rush.note(16);
    await clock.advance(200);

    expect(done).toEqual(['first', 'second']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('holds nothing up for a rush that does not end', async () => {
    const { clock, done, rush, task } = setup();
    rush.note(100);
    rush.afterwards(task('event'));

    await clock.advance(3_200);

    expect(rush.isOn).toBe(false);
    expect(done).toEqual(['event']);
  });

  it('holds nothing up for rushes that follow each other without a pause', async () => {
    const { clock, done, rush, task } = setup();
    rush.note(17);
    rush.afterwards(task('event'));

    for (let passedMs = 0; passedMs < 3_200; passedMs += 100) {
      await clock.advance(100);
      rush.note(16);
      rush.note(17);
    }

    expect(rush.isOn).toBe(true);
    expect(done).toEqual(['event']);
  });
});
