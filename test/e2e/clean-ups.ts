/**
 * Takes down what a suite has set up, in the opposite order.
 *
 * One that fails does not keep the others from being done: what is left behind would fail the next suite. What failed is thrown when all are through.
 */
export class CleanUps {
  private readonly left: (() => Promise<unknown>)[] = [];

  /** To be done before those that are there already. */
  add(cleanUp: () => Promise<unknown>): void {
    this.left.push(cleanUp);
  }

  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let cleanUp = this.left.pop(); cleanUp; cleanUp = this.left.pop()) await cleanUp().catch((error: unknown) => errors.push(error));
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
  }
}
