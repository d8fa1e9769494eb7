import { FLAG, FRAME, frameHead } from './frame';
import { HeldData } from './held-data';
import { Outlet } from './outlet';

describe('HeldData', () => {
  function written(send: (outlet: Outlet) => void): string {
    let text = '';
    const write = (latin1: string): boolean => ((text += latin1), true);
    const writeWith = (latin1: string, bytes: Buffer, from: number, to: number): boolean =>
      write(latin1 + bytes.toString('latin1', from, to));
    const outlet = new Outlet({ write, writeWith, isCongested: false });
    send(outlet);
    outlet.flush();
    return text;
  }

  /** The payloads of DATA frames of which only the last ends the stream. */
  function payloadsIn(text: string): string[] {
    const payloads: string[] = [];
    for (let at = 0; at < text.length;) {
      const length = Buffer.from(text.slice(at, at + 3), 'latin1').readUIntBE(0, 3);
      const ends = at + 9 + length === text.length;
      expect(text.slice(at, at + 9)).toBe(frameHead(length, FRAME.data, ends ? FLAG.endStream : 0, 7));
      payloads.push(text.slice(at + 9, at + 9 + length));
      at += 9 + length;
    }
    return payloads;
  }

  const aBody = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => at % 251));

  it('sends what came in crumbs in few frames, in order', () => {
    const data = new HeldData();
    const body = aBody(60_000);

    for (let at = 0; at < body.length; at++) data.add(body, at, at + 1);
    const payloads = payloadsIn(written((outlet) => data.sendTo(outlet, 7, 'ends stream')));

    expect(payloads.join('') === body.toString('latin1')).toBe(true);
    expect(payloads.length).toBeLessThan(16);
  });

  it('leaves a stream open that goes on', () => {
    const data = new HeldData();

    data.add(Buffer.from('-abc-'), 1, 4);

    expect(written((outlet) => data.sendTo(outlet, 7, 'goes on'))).toBe(`${frameHead(3, FRAME.data, 0, 7)}abc`);
  });

  it('gives away what it holds part by part, in order, whatever comes meanwhile', () => {
    const data = new HeldData();
    const body = aBody(80_000);

    const text = written((outlet) => {
      for (let at = 0; at < body.length; at += 4_000) {
        data.add(body, at, at + 4_000);
        data.moveTo(outlet, 7, at % 12_000 === 0 ? data.length : 1_500, 'goes on');
      }
      data.moveTo(outlet, 7, data.length, 'ends stream');
    });

    const payloads = payloadsIn(text);
    expect(payloads.join('') === body.toString('latin1')).toBe(true);
    expect([data.length, payloads.includes('')]).toEqual([0, false]);
  });

  it('ends a stream with nothing left to send by an empty frame', () => {
    expect(written((outlet) => new HeldData().moveTo(outlet, 7, 0, 'ends stream'))).toBe(frameHead(0, FRAME.data, FLAG.endStream, 7));
  });

  it('is copied as far as it was not given away', () => {
    const data = new HeldData();
    const copy = new HeldData();
    const body = aBody(40_000);

    data.add(body, 0, 40_000);
    written((outlet) => data.moveTo(outlet, 7, 20_000, 'goes on'));
    data.copyTo(copy);

    const payloads = payloadsIn(written((outlet) => copy.sendTo(outlet, 7, 'ends stream')));
    expect(payloads.join('') === body.toString('latin1', 20_000)).toBe(true);
  });
});
