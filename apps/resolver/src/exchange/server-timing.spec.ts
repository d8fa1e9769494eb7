import { readyToSentMs } from './hold-moments';
import { serverTiming } from './server-timing';

const moments = { heldAtMs: 1_000, wakeAcceptedAtMs: 1_012.34, readyAtMs: 1_800, leasedAtMs: 1_800.5, sentAtMs: 1_802 };

describe('serverTiming', () => {
  it('tells each phase from the arrival of the request, and the connection by itself', () => {
    expect(serverTiming(moments)).toBe('held;dur=800.5, wake;dur=12.3, ready;dur=800.0, connect;dur=1.5');
  });

  it('leaves out what is not known', () => {
    expect(serverTiming({ heldAtMs: 0, leasedAtMs: 5, sentAtMs: 6 })).toBe('held;dur=5.0, connect;dur=1.0');
  });

  it('counts nothing that was over before the request came', () => {
    expect(serverTiming({ ...moments, wakeAcceptedAtMs: 900, readyAtMs: 950 })).toContain('wake;dur=0.0, ready;dur=0.0');
  });

  it('says so when the request was not held', () => {
    expect(serverTiming(undefined)).toBe('held;dur=0');
  });
});

describe('readyToSentMs', () => {
  it('runs from the ready pod, or from the request when that came later', () => {
    expect(readyToSentMs(moments)).toBe(2);
    expect(readyToSentMs({ ...moments, readyAtMs: 0 })).toBe(802);
  });

  it('is unknown when the gate does not tell', () => {
    expect(readyToSentMs({ heldAtMs: 0, leasedAtMs: 5, sentAtMs: 6 })).toBeUndefined();
  });
});
