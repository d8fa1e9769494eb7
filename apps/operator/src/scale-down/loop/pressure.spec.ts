import { FakeClock } from '@elasti/operator-kit/testing';
import { Pressure } from './pressure';

function setup() {
  const clock = new FakeClock();
  const waker = { isRushed: false };
  const listeners: (() => void)[] = [];
  const pressure = new Pressure(waker, { onChange: (listener) => void listeners.push(listener) }, clock);
  return { clock, waker, pressure, changeResolvers: () => listeners.forEach((listener) => listener()) };
}

describe('Pressure', () => {
  it('is on while many wakes are under way', () => {
    const { waker, pressure } = setup();
    expect(pressure.isOn).toBe(false);

    waker.isRushed = true;

    expect(pressure.isOn).toBe(true);
  });

  it('is on for a moment after the resolvers have changed', async () => {
    const { clock, pressure, changeResolvers } = setup();

    changeResolvers();
    await clock.advance(2_999);
    expect(pressure.isOn).toBe(true);
    await clock.advance(1);

    expect(pressure.isOn).toBe(false);
  });
});
