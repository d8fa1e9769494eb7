import { BODY_GOES_ON, LengthFraming, UntilCloseFraming } from './body-framing';

const bytes = Buffer.alloc(10);

describe('LengthFraming', () => {
  it('finds the end across reads, and leaves what follows', () => {
    const framing = new LengthFraming(12);

    expect(framing.take(bytes, 0, 10)).toBe(BODY_GOES_ON);
    expect(framing.take(bytes, 3, 10)).toBe(5);
  });

  it('ends with the last byte, not after it', () => {
    expect(new LengthFraming(10).take(bytes, 0, 10)).toBe(10);
  });

  it('tells whether the rest fits', () => {
    const framing = new LengthFraming(12);
    framing.take(bytes, 0, 10);

    expect([framing.isWithin(2), framing.isWithin(1)]).toEqual([true, false]);
  });
});

describe('UntilCloseFraming', () => {
  it('never ends by itself', () => {
    expect(new UntilCloseFraming().take()).toBe(BODY_GOES_ON);
  });
});
