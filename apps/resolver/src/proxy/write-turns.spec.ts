import { WriteTurns } from './write-turns';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writers that note when they were called. */
function setup() {
  const turns = new WriteTurns();
  const called: string[] = [];
  const writer = (name: string) => ({ flush: () => void called.push(name) });
  return { turns, called, writer };
}

describe('WriteTurns', () => {
  it('calls those who wait when the turn is over: who writes to pods first, each side in its order', async () => {
    const { turns, called, writer } = setup();
    turns.wait(writer('client 1'), 'client');
    turns.wait(writer('pod 1'), 'pod');
    turns.wait(writer('client 2'), 'client');
    turns.wait(writer('pod 2'), 'pod');
    const before = [...called];

    await turn();

    expect([before, called]).toEqual([[], ['pod 1', 'pod 2', 'client 1', 'client 2']]);
  });

  it('calls each once, and those of the next turn in the next', async () => {
    const { turns, called, writer } = setup();
    turns.wait(writer('first'), 'pod');
    await turn();
    turns.wait(writer('second'), 'pod');
    await turn();
    await turn();

    expect(called).toEqual(['first', 'second']);
  });

  it('gives memory that no other write of the turn lies in', () => {
    const { turns } = setup();

    const reserved = Array.from({ length: 40 }, (_, index) => turns.reserve(5_000)?.fill(index));

    expect(reserved.map((bytes) => bytes?.every((byte) => byte === bytes[0]) && bytes[0])).toEqual(
      Array.from({ length: 40 }, (_, index) => index),
    );
  });

  it('gives no more than half a megabyte in a turn, and all of it again in the next', async () => {
    const { turns, writer } = setup();
    const reserveAll = () => {
      let bytes = 0;
      for (let reserved = turns.reserve(16_384); reserved && bytes < 1e6; reserved = turns.reserve(16_384)) bytes += reserved.length;
      return bytes;
    };

    const before = reserveAll();
    turns.wait(writer('any'), 'client');
    await turn();

    expect([before, reserveAll()]).toEqual([512 * 1024, 512 * 1024]);
  });

  it('never uses a desk again on which a write still lies that the kernel has not taken', async () => {
    const { turns, writer } = setup();
    const late = turns.reserve(1_000)?.fill('a') ?? Buffer.alloc(0);

    turns.giveDeskAway(late);
    turns.wait(writer('any'), 'client');
    await turn();
    turns.reserve(32 * 1024)?.fill('b');

    expect(late.toString()).toBe('a'.repeat(1_000));
  });
});
