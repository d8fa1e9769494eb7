import { writePlainAnswer } from './plain-answer';

describe('writePlainAnswer', () => {
  it('is a line of plain text', () => {
    const text = writePlainAnswer({ status: 503, text: 'näh', retryAfterSeconds: 5 }, 'GET', 'keep-alive');

    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\nDate: [^\r]+\r\nRetry-After: 5\r\nConnection: keep-alive\r\n/);
    expect(text).toMatch(/Content-Type: text\/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\n/);
    expect(Buffer.from(text, 'latin1').toString()).toMatch(/\r\n\r\nnäh\n$/);
  });

  it('is just the body that was given with a type of its own, with the headers that were given', () => {
    const answer = { status: 200, text: '{}', contentType: 'application/json', headers: { 'Cache-Control': 'no-store' } };

    expect(writePlainAnswer(answer, 'GET', 'close')).toMatch(
      /\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Type: application\/json\r\nContent-Length: 2\r\n\r\n\{\}$/,
    );
  });

  it('has no body for HEAD, and says how long it would be', () => {
    expect(writePlainAnswer({ status: 200, text: 'ok' }, 'HEAD', 'close')).toMatch(/Content-Length: 3\r\n\r\n$/);
  });

  it.each([204, 304])('has neither a body nor a length with %d', (status) => {
    const text = writePlainAnswer({ status, text: '' }, 'GET', 'keep-alive');

    expect(text).toMatch(/Connection: keep-alive\r\n\r\n$/);
    expect(text).not.toMatch(/Content-/);
  });
});
