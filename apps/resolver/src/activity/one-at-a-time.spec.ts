import { settle } from '@elasti/operator-kit/testing';
import { OneAtATime } from './one-at-a-time';

const { signal } = new AbortController();

function setup() {
  const turns = new OneAtATime();
  const begun: string[] = [];
  const piece = (name: string, until = signal) => {
    const end = Promise.withResolvers<string>();
    const done = turns.run(() => {
      begun.push(name);
      return end.promise;
    }, until);
    return { done, end };
  };
  return { turns, begun, piece };
}

describe('OneAtATime', () => {
  it('begins each piece when the one before is over, however that went', async () => {
    const { turns, begun, piece } = setup();
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
    expect([atFirst, then, turns.size]).toEqual([['a'], ['a', 'b'], 0]);
  });

  it('never does the work of one that gave up, and lets nobody past the one under way', async () => {
    const { turns, begun, piece } = setup();
    const leave = new AbortController();
    const [a, b, c] = [piece('a'), piece('b', leave.signal), piece('c')];
    await settle();

    leave.abort(new Error('left'));
    await expect(b.done).rejects.toThrow('left');
    await settle();
    const whileUnderWay = [...begun];
    a.end.resolve('a');
    await settle();
    const after = turns.size;
    c.end.resolve('c');
    await c.done;

    expect([whileUnderWay, begun, after]).toEqual([['a'], ['a', 'c'], 1]);
  });
});
