import { ConfigMap } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';

describe('JSON patches and merge patches', () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);
  const things = server.docs(kindOf(server.group, 'Thing'));

  beforeAll(async () => {
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await server.installCrd(aCrd(server.group, 'Thing', { spec }));
  });

  it('adds, replaces and removes by path', async () => {
    await configMaps.given({ metadata: { name: 'ops' }, data: { old: '1', gone: '2' } });

    const { code, body } = await configMaps.patch('ops', 'json', [
      { op: 'add', path: '/data/new', value: '3' },
      { op: 'replace', path: '/data/old', value: '4' },
      { op: 'remove', path: '/data/gone' },
    ]);

    expect(code).toBe(200);
    expect(body.data).toEqual({ new: '3', old: '4' });
  });

  it('moves and copies by path', async () => {
    await configMaps.given({ metadata: { name: 'move' }, data: { a: '1', b: '2' } });

    const { body } = await configMaps.patch('move', 'json', [
      { op: 'move', from: '/data/a', path: '/data/c' },
      { op: 'copy', from: '/data/b', path: '/data/d' },
    ]);

    expect(body.data).toEqual({ b: '2', c: '1', d: '2' });
  });

  it('reads ~1 in a path as a slash', async () => {
    await configMaps.given({ metadata: { name: 'slash', labels: { 'example.com/a': 'x' } } });

    const { body } = await configMaps.patch('slash', 'json', [{ op: 'replace', path: '/metadata/labels/example.com~1a', value: 'y' }]);

    expect(body.metadata.labels).toEqual({ 'example.com/a': 'y' });
  });

  it('appends to an array with a dash and inserts by index', async () => {
    await things.given({ metadata: { name: 'array' }, spec: { list: ['b'] } });

    const { body } = await things.patch('array', 'json', [
      { op: 'add', path: '/spec/list/-', value: 'c' },
      { op: 'add', path: '/spec/list/0', value: 'a' },
    ]);

    expect(body.spec).toEqual({ list: ['a', 'b', 'c'] });
  });

  it('changes nothing when a test of a JSON patch fails', async () => {
    await configMaps.given({ metadata: { name: 'test' }, data: { a: '1' } });

    const { code, status } = await configMaps.patch('test', 'json', [
      { op: 'replace', path: '/data/a', value: '2' },
      { op: 'test', path: '/data/a', value: '3' },
    ]);

    expect(code).toBe(422);
    expect(status.reason).toBe('Invalid');
    expect((await configMaps.read('test')).data).toEqual({ a: '1' });
  });

  it('refuses to remove by JSON patch what is not there', async () => {
    await configMaps.given({ metadata: { name: 'missing' }, data: { a: '1' } });

    const { code, status } = await configMaps.patch('missing', 'json', [{ op: 'remove', path: '/data/b' }]);

    expect(code).toBe(422);
    expect(status.reason).toBe('Invalid');
  });

  it('refuses a JSON patch that is no list of operations', async () => {
    await configMaps.given({ metadata: { name: 'nolist' } });

    const { code, status } = await configMaps.patch('nolist', 'json', { data: { a: '1' } });

    expect(code).toBe(400);
    expect(status.reason).toBe('BadRequest');
  });

  it('merges maps, and removes what a merge patch sets to null', async () => {
    await configMaps.given({ metadata: { name: 'merge', labels: { keep: 'x', drop: 'y' } }, data: { a: '1', b: '2' } });

    const { body } = await configMaps.patch('merge', 'merge', { metadata: { labels: { drop: null } }, data: { b: '3', c: '4' } });

    expect(body.metadata.labels).toEqual({ keep: 'x' });
    expect(body.data).toEqual({ a: '1', b: '3', c: '4' });
  });

  it('replaces arrays as a whole by a merge patch', async () => {
    await things.given({ metadata: { name: 'whole' }, spec: { list: [{ name: 'a' }, { name: 'b' }] } });

    const { body } = await things.patch('whole', 'merge', { spec: { list: [{ name: 'c' }] } });

    expect(body.spec).toEqual({ list: [{ name: 'c' }] });
  });

  it('makes the maps that a merge patch goes through', async () => {
    await things.given({ metadata: { name: 'deep' } });

    const { body } = await things.patch('deep', 'merge', { spec: { a: { b: { c: 1, d: null } } } });

    expect(body.spec).toEqual({ a: { b: { c: 1 } } });
  });

  it('keeps the version when a patch changes nothing', async () => {
    const made = await configMaps.given({ metadata: { name: 'noop' }, data: { a: '1' } });

    const { body } = await configMaps.patch('noop', 'merge', { data: { a: '1' } });

    expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  it('refuses a patch that names an older version', async () => {
    const made = await configMaps.given({ metadata: { name: 'guarded' }, data: { a: '1' } });
    succeeded(await configMaps.patch('guarded', 'merge', { data: { a: '2' } }));

    const { code, status } = await configMaps.patch('guarded', 'merge', {
      metadata: { resourceVersion: made.metadata.resourceVersion },
      data: { a: '3' },
    });

    expect(code).toBe(409);
    expect(status.reason).toBe('Conflict');
  });

  it('takes a patch that names the present version', async () => {
    const { metadata } = await configMaps.given({ metadata: { name: 'current' } });

    const { code, body } = await configMaps.patch('current', 'merge', {
      metadata: { resourceVersion: metadata.resourceVersion },
      data: { a: '1' },
    });

    expect(code).toBe(200);
    expect(body.data).toEqual({ a: '1' });
  });

  it('refuses a patch of what is not there', async () => {
    const { code, status } = await configMaps.patch('nobody', 'merge', { data: {} });

    expect(code).toBe(404);
    expect(status.reason).toBe('NotFound');
  });

  it('refuses a patch that changes the name', async () => {
    await configMaps.given({ metadata: { name: 'fixed' } });

    const { code } = await configMaps.patch('fixed', 'merge', { metadata: { name: 'other' } });

    expect(code).toBe(400);
  });

  it('refuses a patch to something that no validation allows', async () => {
    await configMaps.given({ metadata: { name: 'valid' } });

    const { code, status } = await configMaps.patch('valid', 'merge', { data: { 'not a key!': '' } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'data[not a key!]' }]);
  });

  it('refuses a kind of patch that it does not know', async () => {
    await configMaps.given({ metadata: { name: 'media' } });

    const { code, status } = await server.wire.call('PATCH', configMaps.path('media'), { body: {}, contentType: 'application/json' });

    expect(code).toBe(415);
    expect(status.reason).toBe('UnsupportedMediaType');
  });

  it('refuses a strategic patch of a custom object', async () => {
    await things.given({ metadata: { name: 'custom' } });

    const { code, status } = await things.patch('custom', 'strategic', { spec: { a: 1 } });

    expect(code).toBe(415);
    expect(status.reason).toBe('UnsupportedMediaType');
  });
});
