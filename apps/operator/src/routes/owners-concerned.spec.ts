import { formatRouteRecord, type RouteRecord, shardName } from '@elasti/api';
import type { ConfigMap } from '@elasti/operator-kit';
import { ownersConcerned } from './owners-concerned';

const record = (service: string, freedAtMs?: number): RouteRecord => ({ namespace: 'shop', service, port: 80, freedAtMs });

function shard(number: number, lines: Record<string, RouteRecord | string>): ConfigMap {
  const text = (line: RouteRecord | string) => (typeof line === 'string' ? line : formatRouteRecord(line));
  const data = Object.fromEntries(Object.entries(lines).map(([port, line]) => [port, text(line)]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'elasti', name: shardName(number) }, data };
}

const namesOf = (...change: Parameters<typeof ownersConcerned>) => ownersConcerned(...change).map(({ service }) => service);

describe('ownersConcerned', () => {
  it('are none where ports are given out that nobody had or that have rested, however many others are in the ConfigMap', () => {
    const kept = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [String(20_100 + n), record(`kept-${n}`)]));
    const before = shard(0, { ...kept, '20001': record('former', 1) });
    const after = shard(0, { ...kept, '20000': record('new'), '20001': record('next') });

    expect(namesOf(before, after, [])).toEqual([]);
  });

  it('are those whose line goes or becomes another, and those who come into its place', () => {
    const before = shard(0, { '20000': record('gone'), '20001': record('web'), '20002': 'broken' });
    const after = shard(0, { '20001': record('other'), '20002': record('mended') });

    expect(namesOf(before, after, [])).toEqual(['gone', 'web', 'other', 'mended']);
  });

  it('are all that claim the port, wherever they say so', () => {
    const home = shard(0, { '20000': record('web'), '20001': record('api') });
    const stray = shard(1, { '20000': record('other') });

    expect(namesOf(undefined, stray, [home])).toEqual(['other', 'web']);
    expect(namesOf(home, shard(0, { '20001': record('api') }), [stray])).toEqual(['web', 'other']);
  });
});
