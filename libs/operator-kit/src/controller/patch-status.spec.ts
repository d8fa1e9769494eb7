import { ConflictError, apiErrorFor } from '../client';
import { fakeClient } from '../testing';
import { aWidget, Widget } from './controller.fixture';
import { patchStatus } from './patch-status';

describe('patchStatus', () => {
  it('writes nothing when the status says the same', async () => {
    const { client, patches } = fakeClient();
    const widget = aWidget('a', {}, { status: { ready: true, notes: ['x', 'y'] } });

    const outcome = await patchStatus(client, Widget, widget, { notes: ['x', 'y'], ready: true, size: undefined });

    expect(outcome).toBe('unchanged');
    expect(patches).toEqual([]);
  });

  it('sends only what differs, through the status subresource', async () => {
    const { client, patches } = fakeClient();
    const widget = aWidget('a', {}, { status: { ready: true, size: 3, notes: ['x'] } });

    const outcome = await patchStatus(client, Widget, widget, { ready: true, notes: ['x', 'y'] });

    expect(outcome).toBe('written');
    expect(patches).toEqual([
      {
        ref: { namespace: 'shop', name: 'a' },
        patch: { type: 'merge', body: { metadata: { resourceVersion: '1' }, status: { size: null, notes: ['x', 'y'] } } },
        subresource: 'status',
      },
    ]);
  });

  it('writes the first status', async () => {
    const { client, patches } = fakeClient();

    await patchStatus(client, Widget, aWidget('a'), { ready: false });

    expect(patches[0]?.patch).toEqual({ type: 'merge', body: { metadata: { resourceVersion: '1' }, status: { ready: false } } });
  });

  it('never mixes two statuses: a difference from a state that is no longer there is a conflict', async () => {
    const { client } = fakeClient({
      patch: ({ patch }) => {
        const { metadata } = (patch as { body: { metadata?: { resourceVersion?: string } } }).body;
        if ((metadata?.resourceVersion ?? '2') === '2') return aWidget('a');
        throw apiErrorFor(409, { kind: 'Status', apiVersion: 'v1', reason: 'Conflict' }, 'PATCH widgets');
      },
    });
    const stale = aWidget('a', { resourceVersion: '1' }, { status: { ready: true, size: 1 } });

    const writing = patchStatus(client, Widget, stale, { ready: true, size: 2 });

    await expect(writing).rejects.toThrow(ConflictError);
  });
});
