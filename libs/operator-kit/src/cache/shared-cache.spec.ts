import { ConfigMap } from '../client';
import { KitMetrics } from '../metrics';
import { FakeClock, settle } from '../testing';
import { aConfigMap, bookmark, silentLogger } from './cache.fixture';
import { ScriptedReader } from './scripted-reader.fixture';
import { SharedCache } from './shared-cache';

describe('SharedCache', () => {
  it('smoke', async () => {
    const reader = new ScriptedReader();
    const clock = new FakeClock();
    const caches = new SharedCache({ reader, clock, logger: silentLogger, metrics: new KitMetrics() });
    const cache = caches.acquire(ConfigMap);
    const seen: string[] = [];
    cache.subscribe((event) => void seen.push(event.type));
    await settle();
    reader.stream.send({ type: 'ADDED', object: aConfigMap('a') }, bookmark('5', 'end'));
    await settle();
    expect(cache.hasSynced).toBe(true);
    expect(cache.list()).toHaveLength(1);
    expect(seen).toEqual(['added']);
    cache.release();
    await settle();
    expect(clock.pendingTimers).toBe(0);
    expect(reader.openRequests).toBe(0);
    await caches.stop();
  });
});
