import { ReplayableBody } from './replayable-body';

describe('ReplayableBody', () => {
  it('keeps what was sent, in order, copying only what does not last', () => {
    const body = new ReplayableBody();
    const shared = Buffer.from('abcdef');
    const lasting = Buffer.from('xyz');

    body.keep(shared, 1, 3, 'shared');
    body.keep(lasting, 0, 2, 'lasting');
    shared.fill(0);

    expect(Buffer.concat(body.sent).toString()).toBe('bcxy');
    expect(body.sent[1]?.buffer).toBe(lasting.buffer);
  });

  it('lets go of all once it is more than a held request may keep, and stays lost', () => {
    const body = new ReplayableBody();
    const bytes = Buffer.alloc(40 * 1024);

    body.keep(bytes, 0, bytes.length, 'shared');
    expect(body.isWhole).toBe(true);
    body.keep(bytes, 0, bytes.length, 'shared');
    body.keep(bytes, 0, 1, 'shared');

    expect(body.isWhole).toBe(false);
    expect(body.sent).toEqual([]);
  });
});
