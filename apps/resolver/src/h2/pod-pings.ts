/** Who has asked for the answer to a ping. */
type Asker = 'the pod' | 'a lost pod' | 'nobody';

/**
 * The pings of pods that a client has not answered yet.
 *
 * Answers come in the order of the questions. One that was meant for a pod that is lost by now must not reach the next, which would take it for a fault
 * of the connection; neither must one that nobody asked for.
 */
export class PodPings {
  private open = 0;
  private lost = 0;

  ask(): void {
    this.open++;
  }

  /** The client answers; says who waits for it. */
  hear(): Asker {
    if (this.lost > 0) {
      this.lost--;
      return 'a lost pod';
    }
    if (this.open === 0) return 'nobody';
    this.open--;
    return 'the pod';
  }

  losePod(): void {
    this.lost += this.open;
    this.open = 0;
  }
}
