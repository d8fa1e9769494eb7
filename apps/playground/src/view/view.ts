import type { ServiceSight } from '../sights';

/** Where the playground is looked at. */
export interface View {
  /** For good: it stays above what comes later. */
  say(text: string): void;
  show(sights: readonly ServiceSight[]): void;
  close(): void;
}

/** The part of `process.stdout` that views need. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  getWindowSize?(): [columns: number, rows: number];
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}
