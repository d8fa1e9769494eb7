import { ConfigMap, Service } from '../client';
import { FakeClock } from '../testing';
import { ManagedCaches } from './managed-caches';
import { FakeCaches } from './manager.fixture';

const failing = { synced: false, consecutiveFailures: 3 };

function setup() {
  const shared = new FakeCaches();
  const managed = new ManagedCaches(shared, [], 1_000, new FakeClock());
  return { shared, managed };
}

describe('ManagedCaches.stale', () => {
  it('names the kinds whose watch keeps failing', () => {
    const { shared, managed } = setup();
    managed.acquire(Service);
    shared.watches = [{ ...failing, resource: 'services' }];

    expect(managed.stale).toEqual(['services']);
  });

  it('leaves out the kinds that others took from the shared cache, because nobody vouched for those', () => {
    const { shared, managed } = setup();
    managed.acquire(Service);
    shared.acquire(ConfigMap);
    shared.watches = [{ ...failing, resource: 'configmaps' }];

    expect(managed.stale).toEqual([]);
  });

  it('forgets a kind that is released', () => {
    const { shared, managed } = setup();
    const services = managed.acquire(Service);
    shared.watches = [{ ...failing, resource: 'services' }];

    services.release();

    expect(managed.stale).toEqual([]);
  });
});
