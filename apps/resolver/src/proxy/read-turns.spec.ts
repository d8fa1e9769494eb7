import { ReadTurns } from './read-turns';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Reads of a crowd, each of which takes a millisecond. */
class Crowd {
  readonly served: number[] = [];
  readonly turns = new ReadTurns({ monotonic: () => this.served.length });

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
    for (let number = 0; number < 40; number++) crowd.read(number);
    await turn();

    crowd.read(40);
    await turn();
    await turn();

    expect(crowd.served.indexOf(40)).toBe(40);
  });

  it('has time again in the next turn when nobody waited', async () => {
    const crowd = new Crowd();
    for (let number = 0; number < 8; number++) crowd.read(number);
    await turn();

    for (let number = 8; number < 16; number++) crowd.read(number);

    expect(crowd.served).toHaveLength(16);
  });
});
