import type { Subscription } from '../cache';
import { untilAborted } from '../clock';
import { FakeCache, FakeCaches, RecordingLogger, settle } from '../testing';
import { ControllerCaches } from './controller-caches';
import type { WatchedKind } from './controller-caches';
import { Widget } from './controller.fixture';

function setup() {
  const cache = new FakeCache<Widget>();
  const delivered = Promise.withResolvers<undefined>();
  const synced = (signal: AbortSignal) => untilAborted(delivered.promise, signal);
  const subscription: Subscription = { hasSynced: false, synced, close: () => undefined };
  const kind: WatchedKind = { definition: Widget, acquire: () => ({ cache, subscribe: () => [subscription] }) };
  const caches = new ControllerCaches('widget', [kind]);
  caches.open(new FakeCaches(), { cache: (resource) => caches.lister(resource), logger: new RecordingLogger(), enqueue: () => undefined });
  return { caches, deliver: () => delivered.resolve(undefined) };
}

describe('ControllerCaches.synced', () => {
  it('waits until what was listed has also reached the queue', async () => {
    const { caches, deliver } = setup();
    let isDelivered = false;
    const synced = caches.synced(new AbortController().signal).then(() => (isDelivered = true));

    await settle();
    expect(isDelivered).toBe(false);

    deliver();
    await synced;
    expect(isDelivered).toBe(true);
  });

  it('can be given up while events are still on their way', async () => {
    const { caches } = setup();
    const giveUp = new AbortController();
    const synced = caches.synced(giveUp.signal);
    await settle();

    giveUp.abort(new Error('enough'));

    await expect(synced).rejects.toThrow('enough');
  });
});
