import { TriggerError, type TriggerFailure } from './trigger-outcome';

/**
 * The queries to one server in one round, a few at a time and in the order they came.
 *
 * A server that lets a query time out and has answered none until then is asked no more, so that a round ends soon however many wait.
 */
export class ServerLane {
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private heard: 'nothing' | 'an answer' | 'a timeout first' = 'nothing';

  constructor(
    private readonly width: number,
    private readonly host: string,
  ) {}

  async run<T>(query: () => Promise<T>): Promise<T> {
    if (this.running >= this.width) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      if (this.heard === 'a timeout first') {
        throw new TriggerError('timeout', `${this.host} answered none of the queries of this round`);
      }
      return await this.observe(query);
    } finally {
      // Whoever waits takes over the place, so nobody who comes later can be faster.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async observe<T>(query: () => Promise<T>): Promise<T> {
    try {
      const answer = await query();
      this.heard = 'an answer';
      return answer;
    } catch (error) {
      if (error instanceof TriggerError) this.note(error.failure);
      throw error;
    }
  }

  private note(failure: TriggerFailure): void {
    if (failure === 'timeout' && this.heard === 'nothing') this.heard = 'a timeout first';
    // All other failures are judgements of something that the server said.
    else if (failure !== 'timeout' && failure !== 'unreachable') this.heard = 'an answer';
  }
}
