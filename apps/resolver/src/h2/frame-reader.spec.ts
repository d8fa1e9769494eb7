import fc from 'fast-check';

import { FRAME, frameHead, LARGEST_PAYLOAD_BYTES, writePing } from './frame';
import { FrameReader } from './frame-reader';

describe('FrameReader', () => {
  const data = (length: number): string => frameHead(length, FRAME.data, 0, 1) + 'x'.repeat(length);

  function readAll(pieces: readonly Buffer[]): { frames: string[]; ends: string[] } {
    const reader = new FrameReader();
    const frames: string[] = [];
    const onFrame = (bytes: Buffer, start: number, end: number): boolean => frames.push(bytes.toString('latin1', start, end)) > 0;
    return { ends: pieces.map((piece) => reader.read(piece, 0, piece.length, { onFrame })), frames };
  }

  it('gives whole frames, wherever the reads break them', () => {
    const frames = [data(0), data(5), writePing('12345678', 'question'), data(LARGEST_PAYLOAD_BYTES), data(1)];
    const bytes = Buffer.from(frames.join(''), 'latin1');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), (cuts) => {
        const ends = [...cuts, bytes.length].sort((a, b) => a - b);
        const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));

        expect(readAll(pieces).frames).toEqual(frames);
      }),
    );
  });

  it('gives whole frames byte by byte', () => {
    const frames = [data(3), data(0), data(20)];
    const pieces = [...Buffer.from(frames.join(''), 'latin1')].map((byte) => Buffer.from([byte]));

    expect(readAll(pieces).frames).toEqual(frames);
  });

  it('refuses a frame larger than the default as soon as its head is here, in one piece or two', () => {
    const head = Buffer.from(frameHead(LARGEST_PAYLOAD_BYTES + 1, FRAME.data, 0, 1), 'latin1');

    expect(readAll([head]).ends).toEqual(['too large']);
    expect(readAll([head.subarray(0, 4), head.subarray(4)]).ends).toEqual(['read', 'too large']);
  });

  it('stops when no more is wanted', () => {
    const reader = new FrameReader();
    const bytes = Buffer.from(data(1) + data(2), 'latin1');
    let frames = 0;

    expect(reader.read(bytes, 0, bytes.length, { onFrame: () => ++frames > 1 })).toBe('stopped');
    expect(frames).toBe(1);
  });
});
