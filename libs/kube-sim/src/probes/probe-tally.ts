export type ProbeOutcome = 'passed' | 'failed';
export type ProbeVerdict = 'undecided' | 'passing' | 'failing';

export interface ProbeThresholds {
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** Makes a verdict of single outcomes: it changes only after as many equal ones in a row as its threshold says. */
export class ProbeTally {
  private run = 0;
  private last?: ProbeOutcome;

  constructor(
    private readonly thresholds: ProbeThresholds,
    private current: ProbeVerdict,
  ) {}

  get verdict(): ProbeVerdict {
    return this.current;
  }

  add(outcome: ProbeOutcome): ProbeVerdict {
    this.run = outcome === this.last ? this.run + 1 : 1;
    this.last = outcome;
    const { successThreshold, failureThreshold } = this.thresholds;
    if (outcome === 'passed' && this.run >= successThreshold) this.current = 'passing';
    if (outcome === 'failed' && this.run >= failureThreshold) this.current = 'failing';
    return this.current;
  }
}
