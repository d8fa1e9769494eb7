import { FakeClock } from '@elasti/operator-kit/testing';
import type { Held, Holder, HoldMoments, PodLease } from '../exchange';
import { PodSearch } from './pod-search';
import type { ProxyContext } from './proxy-context';

const web = { namespace: 'shop', service: 'web', port: 80 };

/** A search, what it tells the gate each time it waits there, the gate's answer to it, and what the listener hears. */
function setup() {
  const clock = new FakeClock();
  const told: Held[] = [];
  const heard: HoldMoments[] = [];
  const listener = { sentAfterHold: (_target: unknown, moments: HoldMoments) => void heard.push(moments) };
  let holder: Holder | undefined;
  const gate = {
    hold: (_target: unknown, held: Held, one: Holder) => {
      told.push(held);
      holder = one;
      return { leave: () => undefined };
    },
  };
  const search = new PodSearch({ clock, gate, listener } as unknown as ProxyContext, web, {
    onLease: () => undefined,
    onNoPod: () => undefined,
  });
  const letGo = (waitedFor?: PodLease['waitedFor']) =>
    holder?.entered({ address: '10.0.0.1', port: 8080, podKey: 'uid-a', ...(waitedFor && { waitedFor }), release: () => undefined });
  return { clock, search, told, heard, letGo };
}

describe('PodSearch', () => {
  it('keeps its deadline, and the place that it once had in the queue, through all pods that refuse it', async () => {
    const { clock, search, told, letGo } = setup();
    search.wait(100);
    await clock.advance(20);
    letGo({ readyAtMs: 20 });
    search.wait(100);
    await clock.advance(30);
    letGo();
    search.wait(100);

    expect(told.map(({ waitedMs, wasLetGo }) => [waitedMs, wasLetGo])).toEqual([
      [0, false],
      [20, true],
      [50, true],
    ]);
  });

  it('has had no place in the queue when a pod was free for it at once', () => {
    const { search, told, letGo } = setup();
    search.wait(100);
    letGo();

    search.wait(100);

    expect(told.map(({ wasLetGo }) => wasLetGo)).toEqual([false, false]);
  });

  it('has had its place in the queue when it goes along with another that was let go', async () => {
    const { clock, search, told } = setup();
    search.wait(100);
    await clock.advance(20);

    search.goAlong();
    await clock.advance(30);
    search.wait(100);

    expect(told.at(-1)).toMatchObject({ waitedMs: 50, wasLetGo: true });
  });

  it('tells what it waited for with the pod that it was sent to last, and the listener of the first alone', async () => {
    const { clock, search, heard, letGo } = setup();
    search.wait(100);
    await clock.advance(20);
    letGo({ readyAtMs: 15 });
    search.markSent();
    search.wait(100);
    const between = search.moments;
    await clock.advance(30);
    letGo({ readyAtMs: 45 });
    await clock.advance(1);

    search.markSent();

    expect([between, search.moments]).toEqual([undefined, { heldAtMs: 0, readyAtMs: 45, leasedAtMs: 50, sentAtMs: 51 }]);
    expect(heard).toEqual([{ heldAtMs: 0, readyAtMs: 15, leasedAtMs: 20, sentAtMs: 20 }]);
  });
});
