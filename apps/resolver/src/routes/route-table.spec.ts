import { ConfigMap } from '@elasti/operator-kit';
import { FakeCaches, RecordingLogger } from '@elasti/operator-kit/testing';
import { RouteTable } from './route-table';
import { aShard } from './routes.fixture';

function setup() {
  const caches = new FakeCaches();
  const logger = new RecordingLogger();
  const table = new RouteTable(caches, 'elasti', logger);
  const shards = caches.of(ConfigMap);
  const changed: number[] = [];
  table.watch((port) => changed.push(port));
  return { table, shards, logger, changed };
}

const routed = (service: string, port = 80) => ({ is: 'routed', target: { namespace: 'shop', service, port } });

describe('RouteTable', () => {
  it('watches the ConfigMaps of routes in the namespace of the operator', () => {
    const { shards } = setup();

    expect(shards.options).toMatchObject({ namespace: 'elasti', labelSelector: 'elasti.truefoundry.com/routes=true' });
  });

  it('knows whom each port is for', () => {
    const { table, shards } = setup();

    shards.put(aShard({ 20000: 'shop/web/80', 22499: 'shop/api/8080' }));
    shards.put(aShard({ 22500: 'shop/db/5432' }, 1));

    expect([20000, 22499, 22500, 20001].map((port) => table.stateOf(port))).toEqual([
      routed('web'),
      routed('api', 8080),
      routed('db', 5432),
      { is: 'none' },
    ]);
  });

  it('serves no port that was freed, or whose line or ConfigMap went', () => {
    const { table, shards } = setup();
    shards.put(aShard({ 20000: 'shop/web/80', 20001: 'shop/api/80' }));
    shards.put(aShard({ 22500: 'shop/db/80' }, 1));

    shards.put(aShard({ 20000: 'shop/web/80 freed' }));
    shards.remove({ namespace: 'elasti', name: 'elasti-routes-1' });

    expect(table.ports()).toEqual([]);
  });

  it('serves a port for nobody while two claim it, says so, and serves it again when one is left', () => {
    const { table, shards, logger } = setup();
    shards.put(aShard({ 20000: 'shop/web/80' }));

    shards.put(aShard({ 20000: 'shop/thief/80' }, 3));
    const during = table.stateOf(20000);
    shards.remove({ namespace: 'elasti', name: 'elasti-routes-3' });

    expect([during, table.stateOf(20000)]).toEqual([{ is: 'disputed' }, routed('web')]);
    expect(logger.messages('error')).toEqual(['two services claim one port of the resolver, neither is served on it']);
  });

  it('serves nobody by a claim in the wrong ConfigMap, and minds neither a freed nor an equal one', () => {
    const { table, shards } = setup();

    shards.put(aShard({ 20000: 'shop/thief/80', 20001: 'shop/other/80 freed', 20002: 'shop/same/80' }, 3));
    shards.put(aShard({ 20001: 'shop/web/80', 20002: 'shop/same/80' }));

    expect([20000, 20001, 20002].map((port) => table.stateOf(port))).toEqual([{ is: 'none' }, routed('web'), routed('same')]);
  });

  it.each([
    ['19999', 'shop/web/80'],
    ['30000', 'shop/web/80'],
    ['2e4', 'shop/web/80'],
    ['20000', 'not json'],
    ['20000', '{"namespace":"shop","service":"web"}'],
    ['20000', '{"namespace":"shop","service":"web","port":"80"}'],
    ['20000', '{"namespace":"shop","service":"web","port":70000}'],
    ['20000', 'null'],
  ])('skips the line %s: %s, and says so once', (key, text) => {
    const { table, shards, logger } = setup();

    shards.put(aShard({ [key]: text, 20005: 'shop/api/80' }));
    shards.put(aShard({ [key]: text, 20005: 'shop/api/80', 20006: 'shop/db/80' }));

    expect(table.ports()).toEqual([20005, 20006]);
    expect(logger.messages('warn')).toEqual(['route line says nothing usable']);
  });

  it('tells when a server begins or ends to speak first, and keeps the target', () => {
    const { table, shards, changed } = setup();
    shards.put(aShard({ 20000: 'shop/web/80', 20001: 'shop/api/80 greets' }));
    const before = table.stateOf(20000);

    shards.put(aShard({ 20000: 'shop/web/80 greets', 20001: 'shop/api/80' }));

    expect([20000, 20001].map((port) => table.stateOf(port))).toEqual([{ ...routed('web'), speaksFirst: 'server' }, routed('api')]);
    expect(changed).toEqual([20000, 20001, 20000, 20001]);
    const after = table.stateOf(20000);
    expect(before.is === 'routed' && after.is === 'routed' && before.target === after.target).toBe(true);
  });

  it('tells of the ports that changed and of no others, and keeps the targets of the rest', () => {
    const { table, shards, changed } = setup();
    shards.put(aShard({ 20000: 'shop/web/80', 20001: 'shop/api/80' }));
    const before = table.stateOf(20000);

    shards.put(aShard({ 20000: 'shop/web/80', 20001: 'shop/api/81', 20002: 'shop/db/80' }));

    expect(changed).toEqual([20000, 20001, 20001, 20002]);
    expect(table.stateOf(20000)).toBe(before);
  });
});
