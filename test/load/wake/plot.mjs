// Two drawings in one SVG: a bar for each wake, made of its phases; and how long the first byte took from the ready slice on, resolver and bare program.
import { phases } from './phases.mjs';

const colours = ['#4c78a8', '#72b7b2', '#f2cf5b', '#f58518', '#e45756'];
const width = 960;
const left = 60;
const plotWidth = width - left - 30;
const barHeight = 10;

export function buildPlot(wakes) {
  const barsHeight = wakes.length * barHeight;
  const curvesTop = barsHeight + 130;
  const height = curvesTop + 260;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(left, 22, `${wakes.length} wakes: from the request to the first byte of its answer`, 'font-size="15"'),
    ...phases.map(({ name }, index) => legend(left + index * 130, 34, colours[index], name)),
    group(left, 60, bars(wakes)),
    text(left, curvesTop - 14, 'From the ready EndpointSlice to the first byte: share of the wakes, by milliseconds', 'font-size="15"'),
    group(left, curvesTop, curves(wakes)),
    legend(left, height - 22, colours[0], 'through the resolver'),
    legend(left + 170, height - 22, colours[4], 'bare program that watches and sends'),
    '</svg>',
    '',
  ].join('\n');
}

function bars(wakes) {
  const longestMs = Math.max(...wakes.map(({ answered }) => answered));
  const x = (ms) => (Math.max(0, ms) / longestMs) * plotWidth;
  const segments = wakes.flatMap((wake, row) =>
    phases.map(({ from, to }, index) => {
      const wide = Math.max(0, x(wake[to]) - x(wake[from]));
      return `<rect x="${n(x(wake[from]))}" y="${row * barHeight}" width="${n(wide)}" height="${barHeight - 2}" fill="${colours[index]}"/>`;
    }),
  );
  return [...segments, ...axis(longestMs, wakes.length * barHeight, (ms) => `${(ms / 1000).toFixed(1)} s`)];
}

function curves(wakes) {
  const tall = 180;
  const resolver = wakes.map(({ answered, ready }) => answered - ready);
  const bare = wakes.map(({ bare: at, ready }) => at - ready);
  const longestMs = Math.max(...resolver, ...bare);
  const curve = (durations, colour) => {
    const points = durations
      .toSorted((a, b) => a - b)
      .map((ms, index) => `${n((Math.max(0, ms) / longestMs) * plotWidth)},${n(tall - ((index + 1) / durations.length) * tall)}`);
    return `<polyline points="0,${tall} ${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
  };
  const shares = [0, 0.5, 1].map((share) => text(-8, tall - share * tall + 4, `${share * 100} %`, 'text-anchor="end"'));
  return [curve(resolver, colours[0]), curve(bare, colours[4]), ...shares, ...axis(longestMs, tall, (ms) => `${ms.toFixed(0)} ms`)];
}

function axis(longest, y, format) {
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const label = (part) => text(n(part * plotWidth), y + 16, format(part * longest), 'text-anchor="middle"');
  return [`<line x1="0" y1="${y}" x2="${plotWidth}" y2="${y}" stroke="#888"/>`, ...ticks.map(label)];
}

const n = (value) => Number(value.toFixed(1));
const text = (x, y, words, style = '') => `<text x="${x}" y="${y}" fill="#222" ${style}>${words}</text>`;
const group = (x, y, parts) => `<g transform="translate(${x} ${y})">${parts.join('')}</g>`;
const legend = (x, y, colour, words) => `<rect x="${x}" y="${y}" width="10" height="10" fill="${colour}"/>${text(x + 15, y + 10, words)}`;
