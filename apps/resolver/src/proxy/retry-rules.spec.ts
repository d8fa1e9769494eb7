import { decideRetry } from './retry-rules';
import type { LostRequest } from './retry-rules';

const lost = (overrides: Partial<LostRequest> = {}): LostRequest => ({
  connected: true,
  reused: false,
  sentWhole: true,
  replayable: true,
  method: 'GET',
  lostBefore: 0,
  podIsStarting: false,
  ...overrides,
});

describe('decideRetry', () => {
  it.each(['GET', 'POST'])('tries another pod when %s found no connection, since nobody has seen it', (method) => {
    expect(decideRetry(lost({ connected: false, method, replayable: false, lostBefore: 9 }))).toBe('another pod');
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])('repeats %s, which changes nothing the second time', (method) => {
    expect(decideRetry(lost({ method }))).toBe('another pod');
  });

  it.each(['POST', 'PATCH', 'PURGE'])('never repeats %s once it was sent in full', (method) => {
    expect(decideRetry(lost({ method }))).toBe('give up');
    expect(decideRetry(lost({ method, reused: true }))).toBe('give up');
  });

  it('repeats a POST that was not sent in full', () => {
    expect(decideRetry(lost({ method: 'POST', sentWhole: false }))).toBe('another pod');
  });

  it('gives up when a part of the body is gone', () => {
    expect(decideRetry(lost({ replayable: false }))).toBe('give up');
  });

  it('holds nothing against a pod that closed a kept connection', () => {
    expect(decideRetry(lost({ reused: true }))).toBe('same pod');
  });

  it('takes a request that three pods dropped for the cause', () => {
    expect(decideRetry(lost({ lostBefore: 1 }))).toBe('another pod');
    expect(decideRetry(lost({ lostBefore: 2 }))).toBe('give up');
  });

  it('gives up on no pod that may still start, but never repeats there what it may have seen', () => {
    expect(decideRetry(lost({ lostBefore: 9, podIsStarting: true }))).toBe('another pod');
    expect(decideRetry(lost({ method: 'POST', podIsStarting: true }))).toBe('give up');
  });
});
