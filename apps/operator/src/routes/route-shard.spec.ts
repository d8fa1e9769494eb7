import type { RouteRecord } from '@elasti/api';
import type { ConfigMap } from '@elasti/operator-kit';
import { buildShard, parseShard } from './route-shard';

const aShard = (name: string, data: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'elasti', name },
  data,
});

describe('route shards', () => {
  it('read back what was written', () => {
    const records = new Map<number, RouteRecord>([
      [20_001, { namespace: 'shop', service: 'web', port: 443, freedAtMs: Date.UTC(2030, 0, 1) }],
      [20_000, { namespace: 'shop', service: 'web', port: 80 }],
    ]);

    const { records: read, broken } = parseShard(buildShard('elasti', 0, records));

    expect(new Map(read)).toEqual(records);
    expect(broken).toEqual([]);
  });

  it.each([
    ['a key that is no port', 'eighty', '{"namespace":"a","service":"b","port":80}'],
    ['a port outside the range', '8080', '{"namespace":"a","service":"b","port":80}'],
    ['a port of another shard', '25000', '{"namespace":"a","service":"b","port":80}'],
    ['text that is no JSON', '20000', 'web'],
    ['a record without a service', '20000', '{"namespace":"a","port":80}'],
    ['a time that is none', '20000', '{"namespace":"a","service":"b","port":80,"freedAt":"soon"}'],
  ])('set %s aside and say so', (_what, key, text) => {
    const { records, broken } = parseShard(
      aShard('elasti-routes-0', { [key]: text, '20001': '{"namespace":"a","service":"b","port":81}' }),
    );

    expect([...records.keys()]).toEqual([20_001]);
    expect(broken).toMatchObject([{ shard: 'elasti-routes-0', key }]);
  });

  it('stay below the size of an object with the longest names in every port', () => {
    const longest = { namespace: 'n'.repeat(63), service: 's'.repeat(63), port: 65_535, freedAtMs: Date.UTC(2030, 0, 1) };
    const full = new Map(Array.from({ length: 2_500 }, (_, index) => [20_000 + index, longest]));

    expect(JSON.stringify(buildShard('elasti', 0, full)).length).toBeLessThan(1_000_000);
  });
});
