import { KitLogger } from '../nest';

/** What Nest says of its modules and routes at every start is no change of state. */
export class NestLogger extends KitLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    this.debug(message, ...rest);
  }
}
