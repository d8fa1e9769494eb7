export interface LoggedLine {
  readonly atMs: number;
  /** Which start of the container it comes from, counted from 1. */
  readonly start: number;
  readonly text: string;
}

/** What a pod has written, as far as it is kept. */
export interface PodLog {
  /** How often the container was started. */
  readonly starts: number;
  lines(): readonly LoggedLine[];
  /** Tells of new lines, and once of the end of the container; the answer ends it. */
  follow(onLine: (line: LoggedLine) => void, onEnd: () => void): () => void;
}
