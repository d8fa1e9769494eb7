import { FLAG, FRAME } from './frame';
import { FrameReader } from './frame-reader';
import { HpackDecoder } from './hpack-decoder';
import type { Answered } from './own-answer';
import { writeOwnAnswer } from './own-answer';

describe('writeOwnAnswer', () => {
  const GET: Answered = { id: 5, isGrpc: false, method: 'GET', clientOver: true };
  const PLENTY = 65_535;

  /** The frames as `type:flags` with their fields or their text. */
  function read(text: string): unknown[] {
    const frames: unknown[] = [];
    const bytes = Buffer.from(text, 'latin1');
    new FrameReader().read(bytes, 0, bytes.length, {
      onFrame: (frame, start, end) => {
        expect(frame.readUInt32BE(start + 5)).toBe(5);
        const fields: Record<string, string> = {};
        if (frame[start + 3] === FRAME.headers) {
          new HpackDecoder().decode(frame, start + 9, end, ({ name, value }) => (fields[name] = value));
          frames.push({ flags: frame[start + 4], fields });
        } else {
          frames.push({ type: frame[start + 3], flags: frame[start + 4], text: frame.toString('utf8', start + 9, end) });
        }
        return true;
      },
    });
    return frames;
  }

  it('is a line of plain text', () => {
    const { frames, dataBytes } = writeOwnAnswer(GET, { status: 503, text: 'näh', retryAfterSeconds: 5 }, PLENTY);

    expect(dataBytes).toBe(5);
    expect(read(frames)).toEqual([
      {
        flags: FLAG.endHeaders,
        fields: {
          ':status': '503',
          date: expect.any(String) as string,
          'retry-after': '5',
          'content-type': 'text/plain; charset=utf-8',
          'content-length': '5',
        },
      },
      { type: FRAME.data, flags: FLAG.endStream, text: 'näh\n' },
    ]);
  });

  it.each([
    [404, '12'],
    [502, '14'],
    [503, '14'],
    [504, '4'],
    [508, '13'],
    [418, '2'],
  ])('tells a gRPC client of %d in its status %s, with no body', (status, grpcStatus) => {
    const { frames, dataBytes } = writeOwnAnswer({ ...GET, isGrpc: true }, { status, text: '100% näh' }, PLENTY);

    expect(dataBytes).toBe(0);
    expect(read(frames)).toEqual([
      {
        flags: FLAG.endHeaders | FLAG.endStream,
        fields: {
          ':status': '200',
          'content-type': 'application/grpc',
          'grpc-status': grpcStatus,
          'grpc-message': '100%25 n%C3%A4h',
        },
      },
    ]);
  });

  it('asks a client that is still sending to stop, without an error', () => {
    const frames = read(writeOwnAnswer({ ...GET, clientOver: false }, { status: 204, text: '' }, PLENTY).frames);

    expect(frames.at(-1)).toEqual({ type: FRAME.rstStream, flags: 0, text: '\0\0\0\0' });
  });

  it.each([
    ['for HEAD', { ...GET, method: 'HEAD' }, 200, PLENTY],
    ['with 204', GET, 204, PLENTY],
    ['when the window is too small', GET, 200, 2],
  ])('has no body %s', (_, stream, status, window) => {
    const { frames, dataBytes } = writeOwnAnswer(stream, { status, text: 'ok' }, window);

    expect(dataBytes).toBe(0);
    expect(read(frames)).toMatchObject([{ flags: FLAG.endHeaders | FLAG.endStream }]);
  });

  it('is just the body that was given with a type of its own, with the headers that were given', () => {
    const answer = { status: 200, text: '{}', contentType: 'application/json', headers: { 'Cache-Control': 'no-store' } };

    expect(read(writeOwnAnswer(GET, answer, PLENTY).frames)).toMatchObject([
      { fields: { 'content-type': 'application/json', 'content-length': '2', 'cache-control': 'no-store' } },
      { text: '{}' },
    ]);
  });
});
