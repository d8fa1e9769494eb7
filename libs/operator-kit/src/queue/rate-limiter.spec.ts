import { RateLimiter } from './rate-limiter';

const noJitter = { random: () => 0 };
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('RateLimiter', () => {
  it('Backoff per key doubles from its base (default 1 s) to its cap (default 5 min), with jitter', () => {
    const longest = new RateLimiter({ random: () => 0 });
    const shortest = new RateLimiter({ random: () => 1 });
    const doubling = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1000);

    expect(times(11, () => longest.next('a'))).toEqual(doubling);
    expect(times(11, () => shortest.next('a'))).toEqual(doubling.map((delayMs) => delayMs * 0.8));
  });

  it('other keys are independent', () => {
    const limiter = new RateLimiter(noJitter);

    times(5, () => limiter.next('a'));

    expect(limiter.next('b')).toBe(1_000);
    expect([limiter.failures('a'), limiter.failures('b'), limiter.failures('c')]).toEqual([5, 1, 0]);
  });

  it('forget resets', () => {
    const limiter = new RateLimiter(noJitter);
    times(5, () => limiter.next('a'));

    limiter.forget('a');

    expect(limiter.failures('a')).toBe(0);
    expect(limiter.next('a')).toBe(1_000);
  });

  it('no overflow after 1,000 failures', () => {
    const limiter = new RateLimiter(noJitter);

    const delaysMs = times(2_000, () => limiter.next('a')).slice(9);

    expect(new Set(delaysMs)).toEqual(new Set([300_000]));
  });

  it('takes a base and a cap of its own, and keys that are objects', () => {
    const limiter = new RateLimiter<{ id: number }>({ ...noJitter, baseMs: 5, capMs: 8, keyOf: ({ id }) => String(id) });

    expect([limiter.next({ id: 1 }), limiter.next({ id: 1 }), limiter.next({ id: 2 })]).toEqual([5, 8, 5]);
  });

  it.each([
    [{ baseMs: 0 }, 'baseMs is 0: give a delay above 0'],
    [{ baseMs: 10, capMs: 5 }, 'capMs is 5: give a delay of at least baseMs (10)'],
    [{ jitter: 2 }, 'jitter is 2: give a share between 0 and 1'],
  ])('refuses %j', (options, message) => {
    expect(() => new RateLimiter(options)).toThrow(message);
  });
});
