import { Secret } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';

describe('streaming lists', () => {
  const server = useServer();
  const secrets = server.of(Secret);
  const streaming = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };

  beforeAll(async () => {
    for (const name of ['a', 'b', 'c']) await secrets.given({ metadata: { name, labels: { name } } });
  });

  it('sends everything there is as added, then a bookmark that says so', async () => {
    const watch = await secrets.watch(streaming);

    const end = await watch.initialEventsEnd();

    expect(watch.events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'BOOKMARK']);
    expect(watch.summary.sort()).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    expect(end.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('dates the bookmark not older than a list that was finished before', async () => {
    const list = succeeded(await secrets.list());

    const watch = await secrets.watch(streaming);

    const { object } = await watch.initialEventsEnd();
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(list.metadata.resourceVersion));
  });

  it('goes on with changes on the same stream', async () => {
    const watch = await secrets.watch(streaming);
    await watch.initialEventsEnd();

    await secrets.given({ metadata: { name: 'later' } });
    await secrets.delete('later');

    await watch.seen('DELETED', 'later');
    expect(watch.summary.slice(-2)).toEqual(['ADDED later', 'DELETED later']);
  });

  it('sends the bookmark alone when there is nothing', async () => {
    const watch = await secrets.watch({ ...streaming, labelSelector: 'name=nobody' });

    await watch.initialEventsEnd();

    expect(watch.summary).toEqual([]);
  });

  it('sends only what a selector asks for', async () => {
    const watch = await secrets.watch({ ...streaming, labelSelector: 'name in (a, c)' });

    await watch.initialEventsEnd();

    expect(watch.summary.sort()).toEqual(['ADDED a', 'ADDED c']);
  });

  it('waits until it is as new as the version that was asked for', async () => {
    const { metadata } = await secrets.given({ metadata: { name: 'fresh' } });

    const watch = await secrets.watch({ ...streaming, resourceVersion: metadata.resourceVersion });
    await watch.initialEventsEnd();
    await secrets.delete('fresh');

    expect(watch.summary).toContain('ADDED fresh');
  });

  it('sends nothing of what there is when initial events are declined', async () => {
    const { metadata } = await secrets.given({ metadata: { name: 'known' } });
    const watch = await secrets.watch({ ...streaming, sendInitialEvents: false, resourceVersion: metadata.resourceVersion });

    await secrets.delete('known');

    await watch.seen('DELETED', 'known');
    expect(watch.summary).toEqual(['DELETED known']);
  });

  it('refuses initial events without a resourceVersionMatch', async () => {
    const { code, status } = await secrets.list({ watch: true, sendInitialEvents: true, allowWatchBookmarks: true });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueForbidden', field: 'resourceVersionMatch' }]);
  });

  it('refuses initial events with an exact match', async () => {
    const { code, status } = await secrets.list({ watch: true, ...streaming, resourceVersionMatch: 'Exact' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([
      { reason: 'FieldValueForbidden', field: 'resourceVersionMatch' },
      { reason: 'FieldValueNotSupported', field: 'resourceVersionMatch' },
    ]);
  });

  it('refuses a list that asks for initial events', async () => {
    const { code, status } = await secrets.list({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ reason: 'FieldValueForbidden', field: 'sendInitialEvents' })]),
    );
  });
});
