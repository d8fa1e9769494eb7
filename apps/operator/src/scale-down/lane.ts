/** Lets a few things happen at the same time, and the others wait in the order they came. */
export class Lane {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly width: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.width) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place, so nobody who comes later can be faster.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
