import { formatRouteRecord, parseRouteLine, resolverPorts, type RouteRecord, shardName, shardOf } from './route-lines';

const web: RouteRecord = { namespace: 'shop', service: 'web', port: 80 };

describe('a line of a route ConfigMap', () => {
  it.each<[string, RouteRecord]>([
    ['in use', web],
    ['whose server speaks first', { ...web, speaksFirst: 'server' }],
    ['that was freed', { ...web, freedAtMs: Date.UTC(2030, 0, 1) }],
    ['that was freed and whose server spoke first', { ...web, speaksFirst: 'server', freedAtMs: Date.UTC(2030, 0, 1) }],
  ])('reads back as written for a port %s', (_what, record) => {
    const line = parseRouteLine('elasti-routes-0', '20000', formatRouteRecord(record));

    expect(line).toEqual({ kind: 'record', resolverPort: 20_000, record, place: 'home' });
  });

  it('is written as it always was, so that older resolvers can read it', () => {
    expect([web, { ...web, freedAtMs: Date.UTC(2030, 0, 1) }].map(formatRouteRecord)).toEqual([
      '{"namespace":"shop","service":"web","port":80}',
      '{"namespace":"shop","service":"web","port":80,"freedAt":"2030-01-01T00:00:00.000Z"}',
    ]);
  });

  it('leaves alone what a later version may say', () => {
    const text = JSON.stringify({ ...web, speaksFirst: 'nobody', colour: 'blue' });

    expect(parseRouteLine('elasti-routes-0', '20000', text)).toMatchObject({ kind: 'record', record: web });
    expect(JSON.stringify(parseRouteLine('elasti-routes-0', '20000', text))).not.toMatch(/nobody|blue/);
  });

  it('is a stray in any ConfigMap but its own', () => {
    const placeIn = (configMap: string, key: string) => {
      const line = parseRouteLine(configMap, key, formatRouteRecord(web));
      return line.kind === 'record' ? line.place : undefined;
    };

    expect([placeIn('elasti-routes-1', '22499'), placeIn('elasti-routes-1', '22500'), placeIn('routes', '22500')]).toEqual([
      'stray',
      'home',
      'stray',
    ]);
  });

  it.each([
    ['eighty', 'key'],
    ['19999', 'key'],
    ['30000', 'key'],
    ['020000', 'key'],
    ['2e4', 'key'],
    ['', 'key'],
  ])('is broken under the key %j', (key, problem) => {
    expect(parseRouteLine('elasti-routes-0', key, formatRouteRecord(web))).toEqual({
      kind: 'broken',
      problem: expect.stringContaining(problem),
    });
  });

  it.each([
    ['no JSON', 'web', 'namespace, service'],
    ['null', 'null', 'namespace, service'],
    ['no service', '{"namespace":"a","port":80}', 'namespace, service'],
    ['a slash in a name', '{"namespace":"a","service":"b/c","port":80}', 'namespace, service'],
    ['a port in quotes', '{"namespace":"a","service":"b","port":"80"}', 'namespace, service'],
    ['a port that is none', '{"namespace":"a","service":"b","port":70000}', 'namespace, service'],
    ['a time that is none', '{"namespace":"a","service":"b","port":80,"freedAt":"soon"}', 'freedAt'],
  ])('is broken, and tells which port it is about, with %s', (_what, text, problem) => {
    expect(parseRouteLine('elasti-routes-0', '20001', text)).toEqual({
      kind: 'broken',
      resolverPort: 20_001,
      problem: expect.stringContaining(problem),
    });
  });
});

describe('the ConfigMaps of routes', () => {
  it('are four for all ports', () => {
    const names = [resolverPorts.first, 22_499, 22_500, resolverPorts.last].map((port) => shardName(shardOf(port)));

    expect(names).toEqual(['elasti-routes-0', 'elasti-routes-0', 'elasti-routes-1', 'elasti-routes-3']);
  });
});
