import { FakeCache, FakeCaches, RecordingLogger, settle } from '../testing';
import { ControllerCaches } from './controller-caches';
import type { WatchedKind } from './controller-caches';
import { Widget } from './controller.fixture';

function setup() {
  const cache = new FakeCache<Widget>();
  const subscription = { hasSynced: false, close: () => undefined };
  const kind: WatchedKind = { definition: Widget, acquire: () => ({ cache, subscribe: () => [subscription] }) };
  const caches = new ControllerCaches('widget', [kind]);
  caches.open(new FakeCaches(), { cache: (resource) => caches.lister(resource), logger: new RecordingLogger(), enqueue: () => undefined });
  return { caches, subscription };
}

describe('ControllerCaches.delivered', () => {
  it('waits until what was listed has also reached the queue', async () => {
    const { caches, subscription } = setup();
    let isDelivered = false;
    const delivered = caches.delivered(new AbortController().signal).then(() => (isDelivered = true));

    await settle();
    expect(isDelivered).toBe(false);

    subscription.hasSynced = true;
    await delivered;
    expect(isDelivered).toBe(true);
  });

  it('can be given up while events are still on their way', async () => {
    const { caches } = setup();
    const giveUp = new AbortController();
    const delivered = caches.delivered(giveUp.signal);
    await settle();

    giveUp.abort(new Error('enough'));

    await expect(delivered).rejects.toThrow('enough');
  });
});
