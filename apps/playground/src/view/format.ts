import type { ServiceSight, WakeSight } from '../sights';

const columns = ['SERVICE', 'ADDRESS', 'STATE', 'MODE', 'REPLICAS', 'HELD', 'LAST WAKE'] as const;

/** The table of services, a line each, none longer than the terminal is wide. */
export function formatTable(sights: readonly ServiceSight[], nowMs: number, width: number): string[] {
  const rows = [columns, ...sights.map((sight) => rowOf(sight, nowMs))];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return cells.join('  ').trimEnd().slice(0, width);
  });
}

function rowOf({ name, url, state, mode, replicas, held, lastWake }: ServiceSight, nowMs: number): string[] {
  const wake = lastWake ? `${formatAge(nowMs - lastWake.atMs)} ago, ${formatWake(lastWake)}` : 'none';
  return [name, url, state, mode ?? '-', `${replicas.ready}/${replicas.wanted}`, String(held), wake];
}

/** `1.32 s: asked 10 ms, started 20 ms, ready 1.29 s` */
export function formatWake({ phases }: WakeSight): string {
  const wholeMs = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return `${formatDuration(wholeMs)}: ${phases.map(({ name, durationMs }) => `${name} ${formatDuration(durationMs)}`).join(', ')}`;
}

function formatDuration(durationMs: number): string {
  return durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(2)} s`;
}

function formatAge(ageMs: number): string {
  const seconds = Math.max(0, Math.round(ageMs / 1_000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
