/** About what a few milliseconds take: requests of everybody else wait for as long. */
const stepsPerRequest = 200_000;

/**
 * The steps that matching one request may take, for all patterns that look at it together.
 *
 * Counted is the most that a pattern can take for a value. Once one would have taken more than is left, no pattern matches any more:
 * which of the later ones were cheap enough would depend on what came before them.
 */
export class StepBudget {
  private left = stepsPerRequest;

  /** False when it is used up. */
  take(steps: number): boolean {
    const suffices = steps <= this.left;
    this.left = suffices ? this.left - steps : 0;
    return suffices;
  }
}
