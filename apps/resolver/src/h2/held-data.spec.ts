import { FLAG, FRAME, frameHead } from './frame';
import { HeldData } from './held-data';
import { Outlet } from './outlet';

describe('HeldData', () => {
  function sent(data: HeldData, end: 'ends stream' | 'goes on'): string {
    let text = '';
    const write = (latin1: string): boolean => ((text += latin1), true);
    const writeWith = (latin1: string, bytes: Buffer, from: number, to: number): boolean =>
      write(latin1 + bytes.toString('latin1', from, to));
    const outlet = new Outlet({ write, writeWith, isCongested: false });
    data.sendTo(outlet, 7, end);
    outlet.flush();
    return text;
  }

  it('sends what came in crumbs in few frames, in order', () => {
    const data = new HeldData();
    const whole = Array.from({ length: 60_000 }, (_, at) => String.fromCharCode(at % 251)).join('');
    const bytes = Buffer.from(whole, 'latin1');

    for (let at = 0; at < bytes.length; at++) data.add(bytes, at, at + 1);
    const text = sent(data, 'ends stream');

    let body = '';
    let frames = 0;
    for (let at = 0; at < text.length; frames++) {
      const length = Buffer.from(text.slice(at, at + 3), 'latin1').readUIntBE(0, 3);
      const ends = at + 9 + length === text.length;
      expect(text.slice(at, at + 9)).toBe(frameHead(length, FRAME.data, ends ? FLAG.endStream : 0, 7));
      body += text.slice(at + 9, at + 9 + length);
      at += 9 + length;
    }
    expect(body === whole).toBe(true);
    expect(frames).toBeLessThan(16);
  });

  it('leaves a stream open that goes on', () => {
    const data = new HeldData();

    data.add(Buffer.from('-abc-'), 1, 4);

    expect(sent(data, 'goes on')).toBe(`${frameHead(3, FRAME.data, 0, 7)}abc`);
  });
});
