import { FakeClock } from '@elasti/operator-kit/testing';
import type { Held, Holder, PodLease } from '../exchange';
import { PodSearch } from './pod-search';
import type { ProxyContext } from './proxy-context';

const web = { namespace: 'shop', service: 'web', port: 80 };

/** A search, what it tells the gate each time it waits there, and the gate's answer to it. */
function setup() {
  const clock = new FakeClock();
  const told: Held[] = [];
  let holder: Holder | undefined;
  const gate = {
    hold: (_target: unknown, held: Held, one: Holder) => {
      told.push(held);
      holder = one;
      return { leave: () => undefined };
    },
  };
  const search = new PodSearch({ clock, gate } as unknown as ProxyContext, web, { onLease: () => undefined, onNoPod: () => undefined });
  const letGo = (waitedFor?: PodLease['waitedFor']) =>
    holder?.entered({ address: '10.0.0.1', port: 8080, podKey: 'uid-a', ...(waitedFor && { waitedFor }), release: () => undefined });
  return { clock, search, told, letGo };
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
});
