import { ReadTurns } from './read-turns';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Reads of a crowd, each of which takes a millisecond. */
class Crowd {
  readonly served: number[] = [];
  writtenAfter: number[] = [];
  readonly turns = new ReadTurns({ monotonic: () => this.served.length }, { flush: () => this.writtenAfter.push(this.served.length) });

  read(number: number): void {
    if (this.turns.take()) this.serve(number);
    else this.turns.wait({ onTurn: () => this.serve(number) });
  }

  private serve(number: number): void {
    this.served.push(number);
  }
}

describe('ReadTurns', () => {
  it('lets a turn last for some ten milliseconds and serves the rest in the next ones, in order', async () => {
    const crowd = new Crowd();
    for (let number = 0; number < 40; number++) crowd.read(number);
    const perTurn = [crowd.served.length];
    for (let count = 0; crowd.served.length < 40; count++) {
      await turn();
      perTurn.push(crowd.served.length);
    }

    expect(perTurn).toEqual([15, 30, 40]);
    expect(crowd.served).toEqual(Array.from({ length: 40 }, (_, number) => number));
  });

  it('serves what waits before what has just come', async () => {
    const crowd = new Crowd();
    for (let number = 0; number < 60; number++) crowd.read(number);
    await turn();

    crowd.read(60);
    while (crowd.turns.waiting > 0) await turn();

    expect(crowd.served.indexOf(60)).toBe(60);
  });

  it('has time again in the next turn when nobody waited', async () => {
    const crowd = new Crowd();
    for (let number = 0; number < 12; number++) crowd.read(number);
    await turn();

    for (let number = 12; number < 24; number++) crowd.read(number);

    expect(crowd.served).toHaveLength(24);
  });

  it.each([
    ['crowded', 8],
    ['not crowded', 2],
  ])('tells after turns with as many reads that they are %s', async (word, reads) => {
    const crowd = new Crowd();
    for (let count = 0; count < 10; count++) {
      for (let number = 0; number < reads; number++) crowd.read(number);
      await turn();
    }

    expect(crowd.turns.isCrowded).toBe(word === 'crowded');
  });

  it('lets the answers to what was read go before it serves what waits', async () => {
    const crowd = new Crowd();
    for (let number = 0; number < 40; number++) crowd.read(number);

    await turn();

    expect(crowd.writtenAfter).toEqual([15]);
  });

  it('keeps nothing of what has had its turn, also while it never gets to the end of those who wait', async () => {
    const crowd = new Crowd();
    for (let number = 0; number < 60; number++) crowd.read(number);

    for (let number = 60; number < 240; number++) {
      if (number % 20 === 0) await turn();
      crowd.read(number);
    }

    expect(crowd.turns.waiting).toBeGreaterThan(0);
    expect(crowd.turns.waiting).toBe(240 - crowd.served.length);
  });
});
