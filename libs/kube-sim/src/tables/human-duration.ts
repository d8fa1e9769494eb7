const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Step {
  readonly belowSeconds: number;
  readonly print: (seconds: number) => string;
}

/** Two units while they tell something, then one: 119s, 2m30s, 45m, 3h5m, 30h, 2d4h, 40d, 2y30d. */
const steps: readonly Step[] = [
  { belowSeconds: 2 * MINUTE, print: (s) => `${s}s` },
  { belowSeconds: 10 * MINUTE, print: (s) => pair(s, MINUTE, 'm', 1, 's') },
  { belowSeconds: 3 * HOUR, print: (s) => `${Math.floor(s / MINUTE)}m` },
  { belowSeconds: 8 * HOUR, print: (s) => pair(s, HOUR, 'h', MINUTE, 'm') },
  { belowSeconds: 2 * DAY, print: (s) => `${Math.floor(s / HOUR)}h` },
  { belowSeconds: 8 * DAY, print: (s) => pair(s, DAY, 'd', HOUR, 'h') },
  { belowSeconds: 2 * YEAR, print: (s) => `${Math.floor(s / DAY)}d` },
  { belowSeconds: 8 * YEAR, print: (s) => pair(s, YEAR, 'y', DAY, 'd') },
];

/** A duration as kubectl prints ages. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const step = steps.find(({ belowSeconds }) => seconds < belowSeconds);
  return step === undefined ? `${Math.floor(seconds / YEAR)}y` : step.print(seconds);
}

/** The age of a timestamp, or what kubectl shows when there is none. */
export function ageOf(timestamp: string, nowMs: number): string {
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<unknown>' : humanDuration(nowMs - then);
}

function pair(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % large) / small);
  const head = `${Math.floor(seconds / large)}${largeUnit}`;
  return rest === 0 ? head : `${head}${rest}${smallUnit}`;
}
