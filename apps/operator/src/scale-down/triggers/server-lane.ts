import { InFlightLimit } from '@elasti/operator-kit';
import { TriggerError, type TriggerFailure } from './trigger-outcome';

/**
 * The queries to one server in one round, a few at a time and in the order they came.
 *
 * A server that lets a query time out and has answered none until then is asked no more, so that a round ends soon however many wait.
 */
export class ServerLane {
  private readonly limit: InFlightLimit;
  private heard: 'nothing' | 'an answer' | 'a timeout first' = 'nothing';

  constructor(
    width: number,
    private readonly host: string,
  ) {
    this.limit = new InFlightLimit(width);
  }

  run<T>(query: () => Promise<T>): Promise<T> {
    return this.limit.run(() => {
      if (this.heard !== 'a timeout first') return this.observe(query);
      throw new TriggerError('timeout', `${this.host} answered none of the queries of this round`);
    });
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
