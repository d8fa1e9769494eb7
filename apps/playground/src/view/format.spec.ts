import type { ServiceSight } from '../sights';
import { formatTable } from './format';

const web: ServiceSight = {
  name: 'web',
  url: 'http://127.96.0.10:6480',
  state: 'awake',
  mode: 'proxy',
  replicas: { ready: 1, wanted: 1 },
  held: 0,
  lastWake: {
    atMs: 1_000,
    phases: [
      { name: 'asked', durationMs: 9.6 },
      { name: 'started', durationMs: 20 },
      { name: 'ready', durationMs: 1_290 },
    ],
  },
};
const api: ServiceSight = {
  ...web,
  name: 'api',
  state: 'asleep',
  mode: undefined,
  replicas: { ready: 0, wanted: 0 },
  held: 12,
  lastWake: undefined,
};

describe('formatTable', () => {
  it('shows each service with its mode, replicas, requests held, and how long each phase of its last wake took', () => {
    expect(formatTable([web, api], 6_000, 200)).toEqual([
      'SERVICE  ADDRESS                  STATE   MODE   REPLICAS  HELD  LAST WAKE',
      'web      http://127.96.0.10:6480  awake   proxy  1/1       0     5 s ago, 1.32 s: asked 10 ms, started 20 ms, ready 1.29 s',
      'api      http://127.96.0.10:6480  asleep  -      0/0       12    none',
    ]);
  });

  it('is never wider than the terminal', () => {
    expect(formatTable([web], 6_000, 40).every((line) => line.length <= 40)).toBe(true);
  });
});
