import { FakeClock } from '@elasti/operator-kit/testing';

import { Deadlines } from './deadlines';
import { FakeLink } from './link.fixture';
import { Tunnel } from './tunnel';

function setup() {
  const clock = new FakeClock();
  const onOver = jest.fn();
  const sides = { client: new FakeLink(), pod: new FakeLink() };
  const tunnel = new Tunnel(sides.client, sides.pod, onOver, { deadlines: new Deadlines(clock, 250), oneWayMs: 300_000 });
  return { clock, onOver, tunnel, ...sides };
}

describe('Tunnel, of which one direction has ended', () => {
  it.each([
    ['client', 'pod'],
    ['pod', 'client'],
  ] as const)('is cut off when the other says nothing for the limit: the %s ended', async (first, other) => {
    const { clock, onOver, ...sides } = setup();

    sides[first].endsItsSide();
    await clock.advance(299_000);
    const before = [sides[first].state, sides[other].state];
    await clock.advance(2_000);

    expect(before).toEqual(['open', 'ended']);
    expect([sides.client.state, sides.pod.state, clock.pendingTimers]).toEqual(['reset', 'reset', 0]);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('goes on for as long as the other direction is used', async () => {
    const { clock, onOver, client, pod } = setup();
    client.endsItsSide();

    for (let times = 0; times < 5; times++) {
      await clock.advance(250_000);
      pod.says('.');
    }

    expect([client.written, client.state, pod.state]).toEqual(['.....', 'open', 'ended']);
    expect(onOver).not.toHaveBeenCalled();
  });

  it('goes on for as long as what was said is taken', async () => {
    const { clock, onOver, client, pod } = setup();
    client.isSlow = true;
    pod.says('a long answer');
    client.endsItsSide();

    for (let times = 0; times < 3; times++) {
      await clock.advance(250_000);
      client.takesAll();
      pod.says('.');
    }

    expect(onOver).not.toHaveBeenCalled();
  });

  it('takes as long to fall silent as it likes while both directions are open', async () => {
    const { clock, onOver } = setup();

    await clock.advance(3_600_000);

    expect([onOver.mock.calls.length, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('leaves no timer behind when it ends in order', async () => {
    const { clock, onOver, client, pod } = setup();

    client.endsItsSide();
    pod.endsItsSide();
    for (const link of [client, pod]) link.owner.onClosed(undefined);

    expect([onOver.mock.calls.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('has the time of a goodbye instead once both are told the end', async () => {
    const { clock, tunnel, onOver, client, pod } = setup();
    client.endsItsSide();

    tunnel.end(2_000);
    await clock.advance(3_000);

    expect([client.state, pod.state, onOver.mock.calls.length, clock.pendingTimers]).toEqual(['destroyed', 'destroyed', 1, 0]);
  });
});
