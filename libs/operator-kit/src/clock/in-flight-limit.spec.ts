import { settle } from '../testing';
import { InFlightLimit } from './in-flight-limit';

const { signal } = new AbortController();

function setup() {
  const limit = new InFlightLimit(1);
  const begun: string[] = [];
  const piece = (name: string, until = signal) => {
    const end = Promise.withResolvers<string>();
    const done = limit.run(() => {
      begun.push(name);
      return end.promise;
    }, until);
    return { done, end };
  };
  return { begun, piece };
}

describe('InFlightLimit', () => {
  it('begins each piece when the one before is over, however that went', async () => {
    const { begun, piece } = setup();
    const [a, b, c] = [piece('a'), piece('b'), piece('c')];
    const failed = expect(a.done).rejects.toThrow('broken');
    await settle();
    const atFirst = [...begun];

    a.end.reject(new Error('broken'));
    await failed;
    await settle();
    const then = [...begun];
    b.end.resolve('b');
    c.end.resolve('c');

    await expect(Promise.all([b.done, c.done])).resolves.toEqual(['b', 'c']);
    expect([atFirst, then]).toEqual([['a'], ['a', 'b']]);
  });

  it('never does the work of one that gave up, and lets nobody past the one under way', async () => {
    const { begun, piece } = setup();
    const leave = new AbortController();
    const [a, b, c] = [piece('a'), piece('b', leave.signal), piece('c')];
    await settle();

    leave.abort(new Error('left'));
    await expect(b.done).rejects.toThrow('left');
    await settle();
    const whileUnderWay = [...begun];
    a.end.resolve('a');
    await settle();
    c.end.resolve('c');
    await c.done;

    expect([whileUnderWay, begun]).toEqual([['a'], ['a', 'c']]);
  });

  it('lets as many at once as there are places, and says when nobody else should wait', async () => {
    const limit = new InFlightLimit(2, 1);
    const end = Promise.withResolvers<undefined>();
    let running = 0;
    const work = () => (running++, end.promise);

    const all = [limit.run(work), limit.run(work)];
    const isFullWithoutWaiters = limit.isFull;
    all.push(limit.run(work));
    const atOnce = running;
    const { isFull } = limit;
    end.resolve(undefined);
    await Promise.all(all);

    expect({ isFullWithoutWaiters, atOnce, isFull, isFullAfter: limit.isFull, running }).toEqual({
      isFullWithoutWaiters: false,
      atOnce: 2,
      isFull: true,
      isFullAfter: false,
      running: 3,
    });
  });
});
