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
        patch: { type: 'merge', body: { status: { size: null, notes: ['x', 'y'] } } },
        subresource: 'status',
      },
    ]);
  });

  it('writes the first status', async () => {
    const { client, patches } = fakeClient();

    await patchStatus(client, Widget, aWidget('a'), { ready: false });

    expect(patches[0]?.patch).toEqual({ type: 'merge', body: { status: { ready: false } } });
  });
});
