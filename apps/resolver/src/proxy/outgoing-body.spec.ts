import { BODY_FAULT, LengthFraming } from '../http1/body-framing';
import { ChunkedFraming } from '../http1/chunked-framing';
import type { Link } from './link';
import { OutgoingBody } from './outgoing-body';

function sentAgain(body: OutgoingBody): string {
  const pieces: string[] = [];
  const link = { writeBytes: (bytes: Buffer, start: number, end: number) => pieces.push(bytes.toString('latin1', start, end)) };
  body.sendAgain(link as unknown as Link);
  return pieces.join('');
}

describe('OutgoingBody', () => {
  it('ends where its framing says, and leaves what follows', () => {
    const body = new OutgoingBody(new LengthFraming(5), 'repeatable');
    const bytes = Buffer.from('helloGET /');

    expect(body.take(bytes, 0, 3, 'lasting')).toBe(3);
    expect(body.isOver).toBe(false);
    expect(body.take(bytes, 3, bytes.length, 'lasting')).toBe(5);
    expect(body.isOver).toBe(true);
    expect(sentAgain(body)).toBe('hello');
  });

  it('forgets a body that was sent whole when the request must not be repeated', () => {
    const body = new OutgoingBody(new LengthFraming(5), 'only unfinished');
    const bytes = Buffer.from('hello');

    body.take(bytes, 0, 3, 'lasting');
    expect(body.isReplayable).toBe(true);
    body.onGiven();
    expect(body.isReplayable).toBe(true);
    body.take(bytes, 3, 5, 'lasting');
    body.onGiven();

    expect(body.isReplayable).toBe(false);
    expect(sentAgain(body)).toBe('');
  });

  it('can be sent again, whatever the request, until the kernel was given all of it', () => {
    const body = new OutgoingBody(new LengthFraming(5), 'only unfinished');

    body.take(Buffer.from('hello'), 0, 5, 'lasting');

    expect(body.isReplayable).toBe(true);
    expect(sentAgain(body)).toBe('hello');
  });

  it('keeps nothing once the pod answers, and passes the rest on', () => {
    const body = new OutgoingBody(new LengthFraming(5), 'repeatable');
    const bytes = Buffer.from('hello');

    body.take(bytes, 0, 3, 'lasting');
    body.onAnswer();

    expect(body.take(bytes, 3, 5, 'lasting')).toBe(5);
    expect(body.isReplayable).toBe(false);
    expect(sentAgain(body)).toBe('');
  });

  it('says when the body breaks the rules of its framing', () => {
    const body = new OutgoingBody(new ChunkedFraming(), 'repeatable');

    expect(body.take(Buffer.from('zz\r\n'), 0, 4, 'lasting')).toBe(BODY_FAULT);
  });
});
