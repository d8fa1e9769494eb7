// One table for every bench of the resolver: what was measured, beside whom, and whether the bar is met.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';

export function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
}

export function median(values) {
  return quantile(values, 0.5);
}

/** Rows with bars; a row without a bar only informs. */
export class Report {
  #rows = [];
  // Who reads the table must know whether the machine was quiet.
  #loadBefore = loadavg()[0];

  /** `bar` is `{ atLeast }` or `{ atMost }`; absent, the row only informs. */
  add({ what, ours, theirs = '', value, bar = {} }) {
    const row = { what, ours, theirs, value, bar };
    this.#rows.push(row);
    process.stderr.write(`${line(row)}\n`);
  }

  /** `name` is the npm script; the table is kept under the part behind `bench:`, or all of it. `appendix` comes below the table. */
  finish(name, subtitle, appendix) {
    const text = [
      `# ${name}`,
      '',
      `${subtitle}; load average before it ${this.#loadBefore.toFixed(1)}; Node ${process.version}, ${new Date().toISOString().slice(0, 10)}.`,
      '',
      '| what | resolver | beside it | ratio or value | bar | |',
      '|---|---|---|---|---|---|',
      ...this.#rows.map(line),
      '',
      ...(appendix === undefined ? [] : [appendix]),
    ].join('\n');
    process.stdout.write(text);
    writeFileSync(join(import.meta.dirname, '../results', `${name.replace(/^bench:/, '').replace(':', '-')}.md`), text);
    process.exitCode = this.#rows.every(isMet) ? 0 : 1;
  }
}

function line({ what, ours, theirs, value, bar }) {
  const [side, limit] = Object.entries(bar)[0] ?? [];
  const words = side ? `${side === 'atLeast' ? 'at least' : 'at most'} ${limit}` : '';
  return `| ${what} | ${ours} | ${theirs} | ${format(value)} | ${words} | ${side ? (isMet({ value, bar }) ? 'ok' : 'MISSED') : ''} |`;
}

// A value that is not a number meets no bar.
function isMet({ value, bar }) {
  if (bar.atLeast !== undefined) return value >= bar.atLeast;
  if (bar.atMost !== undefined) return value <= bar.atMost;
  return true;
}

function format(value) {
  if (typeof value !== 'number') return value ?? '';
  if (Number.isNaN(value)) return 'not measurable';
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
