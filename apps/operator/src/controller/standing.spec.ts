import { FakeClock } from '@elasti/operator-kit/testing';
import { Standing } from './standing';

function setup() {
  const clock = new FakeClock();
  return { clock, standing: new Standing(clock) };
}

describe('Standing', () => {
  it('counts from the first look that saw the fact, without a break', async () => {
    const { clock, standing } = setup();

    expect(standing.holdsForMs('shop/web', 'is ready', true)).toBe(0);
    await clock.advance(3_000);
    expect(standing.holdsForMs('shop/web', 'is ready', true)).toBe(3_000);
  });

  it('begins anew after a break', async () => {
    const { clock, standing } = setup();
    standing.holdsForMs('shop/web', 'is ready', true);
    await clock.advance(3_000);

    expect(standing.holdsForMs('shop/web', 'is ready', false)).toBeUndefined();

    expect(standing.holdsForMs('shop/web', 'is ready', true)).toBe(0);
  });

  it('keeps services and facts apart', async () => {
    const { clock, standing } = setup();
    standing.holdsForMs('shop/web', 'is ready', true);
    await clock.advance(1_000);

    expect(standing.holdsForMs('shop/api', 'is ready', true)).toBe(0);
    expect(standing.holdsForMs('shop/web', 'is prepared', true)).toBe(0);
  });

  it('forgets what is gone', async () => {
    const { clock, standing } = setup();
    standing.holdsForMs('shop/web', 'is ready', true);
    await clock.advance(1_000);

    standing.forget('shop/web', ['is ready']);

    expect(standing.holdsForMs('shop/web', 'is ready', true)).toBe(0);
  });
});
