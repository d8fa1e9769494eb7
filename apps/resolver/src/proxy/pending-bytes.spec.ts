import { PendingBytes } from './pending-bytes';

describe('PendingBytes', () => {
  it('keeps a copy of what is added, in order', () => {
    const pending = new PendingBytes();
    const shared = Buffer.from('abcd');

    pending.add(shared, 1, 3);
    shared.fill(0);
    pending.add(Buffer.from('ef'), 0, 2);

    expect(pending.take()?.toString()).toBe('bcef');
    expect(pending.take()).toBeUndefined();
  });

  it('puts what was not used in front of what came meanwhile', () => {
    const pending = new PendingBytes();
    pending.add(Buffer.from('later'), 0, 5);

    pending.putBack(Buffer.from('used-not used '), 5);

    expect(pending.take()?.toString()).toBe('not used later');
  });

  it('is empty again when all was used', () => {
    const pending = new PendingBytes();

    pending.putBack(Buffer.from('used'), 4);

    expect(pending.length).toBe(0);
  });
});
