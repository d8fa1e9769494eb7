import { FakeClock } from '@elasti/operator-kit/testing';

import { Deadlines, NEVER } from './deadlines';

function setup() {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock, 100);
  const item = (delayMs: number) => ({ expiresAtTick: delayMs === NEVER ? NEVER : deadlines.after(delayMs), onExpired: jest.fn() });
  return { clock, deadlines, item };
}

describe('Deadlines', () => {
  it('expires what is due once, within a tick and never early', async () => {
    const { clock, deadlines, item } = setup();
    const one = item(250);
    deadlines.watch(one);

    await clock.advance(250);
    expect(one.onExpired).not.toHaveBeenCalled();

    await clock.advance(1000);
    expect(one.onExpired).toHaveBeenCalledTimes(1);
  });

  it('lets a limit be moved while it is watched', async () => {
    const { clock, deadlines, item } = setup();
    const one = item(200);
    deadlines.watch(one);
    await clock.advance(150);

    one.expiresAtTick = deadlines.after(500);
    await clock.advance(400);

    expect(one.onExpired).not.toHaveBeenCalled();
  });

  it('leaves alone what never expires or is watched no longer', async () => {
    const { clock, deadlines, item } = setup();
    const [endless, gone] = [item(NEVER), item(100)];
    deadlines.watch(endless);
    deadlines.watch(gone);
    deadlines.unwatch(gone);

    await clock.advance(10_000);

    expect(endless.onExpired).not.toHaveBeenCalled();
    expect(gone.onExpired).not.toHaveBeenCalled();
  });

  it('has no timer while nothing is watched, also when the last one leaves as it expires', async () => {
    const { clock, deadlines, item } = setup();
    const one = item(100);
    one.onExpired.mockImplementation(() => deadlines.unwatch(one));
    deadlines.watch(one);

    await clock.advance(1000);

    expect(clock.pendingTimers).toBe(0);
  });
});
