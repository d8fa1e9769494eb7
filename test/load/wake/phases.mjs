import { quantile } from '../resolver/report.mjs';

/** What a wake consists of, each from the end of the one before it. */
export const phases = [
  { name: 'scale accepted', from: 'held', to: 'scaled', says: 'the request at the resolver, until the API has the new scale' },
  { name: 'pod scheduled', from: 'scaled', to: 'scheduled', says: 'until a pod has its node' },
  { name: 'started', from: 'scheduled', to: 'started', says: 'until the kubelet says that its container runs' },
  { name: 'ready', from: 'started', to: 'ready', says: 'until the EndpointSlice names it as ready' },
  { name: 'forwarded', from: 'ready', to: 'answered', says: 'until the client has the first byte of its answer' },
];

/** The moments of one wake on one clock, in milliseconds after the client had sent its request. */
export function momentsOf({ held, dialled, scaled, scheduled, started, ready }) {
  const after = (atMs) => atMs - held.sentAtMs;
  return {
    held: 0,
    scaled: after(scaled),
    scheduled: after(scheduled),
    started: after(started),
    ready: after(ready),
    answered: after(held.firstByteAtMs),
    bare: after(dialled.firstByteAtMs),
    wakeCall: durationIn(held.head, 'wake'),
    heldFor: durationIn(held.head, 'held'),
  };
}

function durationIn(head, name) {
  return Number(new RegExp(`\\b${name};dur=([\\d.]+)`, 'i').exec(head)?.[1] ?? NaN);
}

export function phaseTable(wakes) {
  const ms = (value) => `${value.toFixed(1)} ms`;
  const row = (name, durations, says) => `| ${name} | ${ms(quantile(durations, 0.5))} | ${ms(quantile(durations, 0.99))} | ${says} |`;
  return [
    '| phase | p50 | p99 | what it is |',
    '|---|---|---|---|',
    ...phases.map(({ name, from, to, says }) =>
      row(
        name,
        wakes.map((wake) => wake[to] - wake[from]),
        says,
      ),
    ),
    row(
      'all of it',
      wakes.map(({ answered }) => answered),
      'from the request to the first byte of its answer',
    ),
    row(
      'held',
      wakes.map(({ heldFor }) => heldFor),
      'by the word of the resolver: from the arrival of the request until a pod was there for it',
    ),
    row(
      'wake call',
      wakes.map(({ wakeCall }) => wakeCall),
      'by the word of the resolver: from the arrival of the request to the 200 of the operator',
    ),
  ].join('\n');
}
