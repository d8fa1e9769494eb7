import { Secret } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';

describe('watches', () => {
  const server = useServer();
  const secrets = server.of(Secret);
  // A kind that came after version 1: a server that has just begun still knows that version of the others.
  const latecomers = server.docs(kindOf(server.group, 'Latecomer'));

  beforeAll(() => server.installCrd(aCrd(server.group, 'Latecomer', { spec: { type: 'object' } })));

  const currentVersion = async () => succeeded(await secrets.list()).metadata.resourceVersion;

  it('tells what happened after the version it starts from, in order', async () => {
    await secrets.given({ metadata: { name: 'before' } });
    const watch = await secrets.watch({ resourceVersion: await currentVersion() });

    const made = await secrets.given({ metadata: { name: 'life' } });
    await secrets.patch('life', 'merge', { metadata: { labels: { a: 'b' } } });
    await secrets.delete('life');

    await watch.seen('DELETED', 'life');
    expect(watch.summary).toEqual(['ADDED life', 'MODIFIED life', 'DELETED life']);
    expect(watch.events[0]?.object).toEqual(made);
  });

  it('gives every event a later version than the one before', async () => {
    const watch = await secrets.watch({ resourceVersion: await currentVersion() });

    await secrets.given({ metadata: { name: 'growing' } });
    await secrets.patch('growing', 'merge', { metadata: { labels: { a: 'b' } } });
    await secrets.delete('growing');

    await watch.seen('DELETED', 'growing');
    const versions = watch.events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
  });

  it('tells the last state of what was deleted, with the version of its deletion', async () => {
    const made = await secrets.given({ metadata: { name: 'last' }, stringData: { word: 'x' } });
    const watch = await secrets.watch({ resourceVersion: made.metadata.resourceVersion });

    await secrets.delete('last');

    const { object } = await watch.seen('DELETED', 'last');
    expect(object.data).toEqual(made.data);
    expect(object.metadata.uid).toBe(made.metadata.uid);
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
  });

  it('replays from a version in the past what has happened since', async () => {
    const from = await currentVersion();
    await secrets.given({ metadata: { name: 'replayed' } });
    await secrets.delete('replayed');

    const watch = await secrets.watch({ resourceVersion: from });

    await watch.seen('DELETED', 'replayed');
    expect(watch.summary).toEqual(['ADDED replayed', 'DELETED replayed']);
  });

  it('begins with what there is when no version is given', async () => {
    await secrets.given({ metadata: { name: 'there', labels: { case: 'unversioned' } } });

    const watch = await secrets.watch({ labelSelector: 'case=unversioned' });

    await watch.seen('ADDED', 'there');
  });

  it('begins with what there is when the version is 0', async () => {
    await secrets.given({ metadata: { name: 'zero', labels: { case: 'zero' } } });

    const watch = await secrets.watch({ labelSelector: 'case=zero', resourceVersion: '0' });

    await watch.seen('ADDED', 'zero');
  });

  it('tells an object that leaves the selection as deleted, with its labels from before', async () => {
    const made = await secrets.given({ metadata: { name: 'leaver', labels: { in: 'yes' } } });
    const watch = await secrets.watch({ labelSelector: 'in=yes', resourceVersion: made.metadata.resourceVersion });

    const changed = succeeded(await secrets.patch('leaver', 'merge', { metadata: { labels: { in: 'no' } } }));

    const { object } = await watch.seen('DELETED', 'leaver');
    expect(object.metadata.labels).toEqual({ in: 'yes' });
    expect(object.metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
  });

  it('tells an object that enters the selection as added', async () => {
    const made = await secrets.given({ metadata: { name: 'joiner', labels: { in: 'no' } } });
    const watch = await secrets.watch({ labelSelector: 'in=yes', resourceVersion: made.metadata.resourceVersion });

    await secrets.patch('joiner', 'merge', { metadata: { labels: { in: 'yes' } } });

    await watch.seen('ADDED', 'joiner');
    expect(watch.summary).toEqual(['ADDED joiner']);
  });

  it('says nothing about an object outside the selection', async () => {
    const watch = await secrets.watch({ labelSelector: 'case=loud', resourceVersion: await currentVersion() });

    await secrets.given({ metadata: { name: 'quiet' } });
    await secrets.delete('quiet');
    await secrets.given({ metadata: { name: 'loud', labels: { case: 'loud' } } });

    await watch.seen('ADDED', 'loud');
    expect(watch.summary).toEqual(['ADDED loud']);
  });

  it('watches one object by its name', async () => {
    const watch = await secrets.watch({ fieldSelector: 'metadata.name=one', resourceVersion: await currentVersion() });

    await secrets.given({ metadata: { name: 'two' } });
    await secrets.given({ metadata: { name: 'one' } });

    await watch.seen('ADDED', 'one');
    expect(watch.summary).toEqual(['ADDED one']);
  });

  it('watches over all namespaces', async () => {
    const watch = await secrets.in().watch({ labelSelector: 'case=everywhere', resourceVersion: await currentVersion() });

    await secrets.given({ metadata: { name: 'anywhere', labels: { case: 'everywhere' } } });

    const { object } = await watch.seen('ADDED', 'anywhere');
    expect(object.metadata.namespace).toBe(server.namespace);
  });

  it('says nothing when a write changes nothing', async () => {
    const made = await secrets.given({ metadata: { name: 'idle', labels: { a: 'b' } } });
    const watch = await secrets.watch({ resourceVersion: made.metadata.resourceVersion });

    await secrets.patch('idle', 'merge', { metadata: { labels: { a: 'b' } } });
    await secrets.given({ metadata: { name: 'marker' } });

    await watch.seen('ADDED', 'marker');
    expect(watch.summary).toEqual(['ADDED marker']);
  });

  it('tells each deletion of a collection by itself', async () => {
    for (const name of ['c1', 'c2', 'c3']) await secrets.given({ metadata: { name, labels: { case: 'bulk' } } });
    const watch = await secrets.watch({ labelSelector: 'case=bulk', resourceVersion: await currentVersion() });

    await secrets.deleteAll({ labelSelector: 'case=bulk' });

    await watch.seen('DELETED', 'c3');
    await watch.seen('DELETED', 'c2');
    await watch.seen('DELETED', 'c1');
    expect(watch.summary).toHaveLength(3);
  });

  it('carries the kind in every event', async () => {
    await secrets.given({ metadata: { name: 'typed' } });

    const watch = await secrets.watch({ fieldSelector: 'metadata.name=typed' });

    const { object } = await watch.seen('ADDED', 'typed');
    expect(object).toMatchObject({ apiVersion: 'v1', kind: 'Secret' });
  });

  it('ends after the seconds that were asked for', async () => {
    const watch = await secrets.watch({ timeoutSeconds: 1 });

    await watch.end();

    expect(watch.code).toBe(200);
  });

  it('sends a bookmark with a version and nothing else before it ends, when asked for', async () => {
    await secrets.given({ metadata: { name: 'bookmarked' } });
    const from = await currentVersion();

    // A server sends no bookmark that is not newer than where the watch began, so something must happen meanwhile.
    const watch = await secrets.watch({ allowWatchBookmarks: true, timeoutSeconds: 5, resourceVersion: from });
    await secrets.given({ metadata: { name: 'written-meanwhile' } });
    await watch.end();

    const object = watch.events.find(({ type }) => type === 'BOOKMARK')?.object;
    if (!object) throw new Error('the watch ended without a bookmark');
    expect(object).toMatchObject({ apiVersion: 'v1', kind: 'Secret' });
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(from));
    expect(object.metadata).not.toHaveProperty('name');
    expect(object.metadata).not.toHaveProperty('annotations');
  });

  it('sends no bookmark unasked', async () => {
    const watch = await secrets.watch({ timeoutSeconds: 3, resourceVersion: await currentVersion() });

    await watch.end();

    expect(watch.events.filter(({ type }) => type === 'BOOKMARK')).toEqual([]);
  });

  it('answers a version that is forgotten with an error of 410 Expired', async () => {
    const watch = await latecomers.watch({ resourceVersion: '1' });

    const status = await watch.failure();

    expect(watch.code).toBe(200);
    expect(status).toMatchObject({ kind: 'Status', status: 'Failure', code: 410, reason: 'Expired' });
    expect(status.message).toMatch(/^too old resource version: 1 \(\d+\)$/);
  });

  it('ends a watch after its error', async () => {
    const watch = await latecomers.watch({ resourceVersion: '1' });

    await watch.end();

    expect(watch.events).toHaveLength(1);
  });
});
