import { FakeClock } from '@elasti/operator-kit/testing';
import { ExpiringCache } from './expiring-cache';

describe('ExpiringCache', () => {
  it('forgets after its time, however often it was asked', async () => {
    const clock = new FakeClock();
    const cache = new ExpiringCache<string>(clock, 10, 1_000);
    cache.put('a', 'one');

    await clock.advance(999);
    const before = cache.get('a');
    await clock.advance(1);

    expect([before, cache.get('a')]).toEqual(['one', undefined]);
  });

  it('lets go of the one that was asked for longest ago', () => {
    const cache = new ExpiringCache<string>(new FakeClock(), 2, 1_000);
    cache.put('a', 'one');
    cache.put('b', 'two');
    cache.get('a');

    cache.put('c', 'three');

    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['one', undefined, 'three']);
  });
});
