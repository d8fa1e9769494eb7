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

  /** The client answers; true when the pod that is there waits for it. */
  hear(): boolean {
    if (this.lost > 0) {
      this.lost--;
      return false;
    }
    if (this.open === 0) return false;
    this.open--;
    return true;
  }

  losePod(): void {
    this.lost += this.open;
    this.open = 0;
  }
}
