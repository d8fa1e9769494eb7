import { ConnectionWindows } from './connection-windows';
import { FIRST_WINDOW } from './frame';
import { LATE_BYTES } from './limits';

describe('ConnectionWindows', () => {
  it('keeps from the pod what our own answers took', () => {
    const windows = new ConnectionWindows();

    windows.spend(1_000);

    expect([windows.widen(600), windows.widen(600)]).toEqual([0, 200]);
    expect(windows.clientTakes).toBe(FIRST_WINDOW + 200);
  });

  it('knows when the client sends more than it may', () => {
    const windows = new ConnectionWindows();

    expect(windows.receive(FIRST_WINDOW)).toBe(true);
    windows.allow(10);
    expect(windows.receive(10)).toBe(true);
    expect(windows.receive(1)).toBe(false);
  });

  it('has nothing to say to the first pod, whatever is held', () => {
    const windows = new ConnectionWindows();
    windows.receive(5_000);

    expect(windows.meetPod(5_000)).toEqual({ tellPod: 0, tellClient: 0 });
    expect(windows.widenForClient(5_000)).toBe(5_000);
  });

  it('keeps from the client what it had from the pod before', () => {
    const windows = new ConnectionWindows();
    windows.meetPod(0);
    windows.widenForClient(10_000);

    expect(windows.meetPod(0)).toEqual({ tellPod: 0, tellClient: 0 });

    expect([windows.widenForClient(9_000), windows.widenForClient(9_000)]).toEqual([0, 8_000]);
  });

  it('gives the client what the pod before took and never gave back, and the next pod what the client gave', () => {
    const windows = new ConnectionWindows();
    windows.meetPod(0);
    windows.receive(20_000);
    windows.widen(3_000);

    expect(windows.meetPod(0)).toEqual({ tellPod: 3_000, tellClient: 20_000 });
  });

  it('knows what the pod takes, also of what the client need not hear about', () => {
    const windows = new ConnectionWindows();
    windows.meetPod(0);
    windows.widenForClient(10_000);
    const before = windows.podTakes;

    windows.meetPod(0);
    const atFirst = windows.podTakes;
    windows.widenForClient(9_000);

    expect([before, atFirst, windows.podTakes]).toEqual([FIRST_WINDOW + 10_000, FIRST_WINDOW, FIRST_WINDOW + 9_000]);
  });

  it('expects no more for streams that are over than the client could send on all of them together', () => {
    const windows = new ConnectionWindows();
    windows.receive(60_000);

    windows.expectLate(4_000);
    windows.expectLate(4_000);

    expect([windows.takeLate(5_000), windows.takeLate(600), windows.takeLate(535), windows.takeLate(1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('expects only so much, however wide the windows are', () => {
    const windows = new ConnectionWindows();
    windows.widenForClient(2 ** 30);

    windows.expectLate(2 ** 30);

    expect([windows.takeLate(LATE_BYTES + 1), windows.takeLate(LATE_BYTES)]).toEqual([false, true]);
  });
});
