import { covers } from './covers';

describe('covers', () => {
  it('ignores what only the live object has', () => {
    const live = { spec: { replicas: 2, paused: false }, status: { replicas: 2 } };

    expect(covers(live, { spec: { replicas: 2 } })).toBe(true);
  });

  it('sees a changed value however deep it lies', () => {
    const live = { spec: { template: { spec: { containers: [{ name: 'app', image: 'web:1' }] } } } };

    expect(covers(live, { spec: { template: { spec: { containers: [{ name: 'app', image: 'web:2' }] } } } })).toBe(false);
  });

  it('matches named elements by name, whatever their order', () => {
    const live = [
      { name: 'b', port: 2 },
      { name: 'a', port: 1, protocol: 'TCP' },
    ];

    expect(
      covers(live, [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ]),
    ).toBe(true);
  });

  it('sees an element too many, an element missing and a changed order of plain values', () => {
    expect(covers(['x', 'y'], ['x'])).toBe(false);
    expect(covers(['x'], ['x', 'y'])).toBe(false);
    expect(covers(['y', 'x'], ['x', 'y'])).toBe(false);
  });

  it('asks for nothing where the desired object says undefined', () => {
    expect(covers({}, { metadata: undefined })).toBe(true);
    expect(covers({ metadata: {} }, { metadata: { labels: undefined } })).toBe(true);
  });

  it('takes an absent list for an empty one, which the API server does not keep', () => {
    expect(covers({}, { args: [] })).toBe(true);
    expect(covers({ args: ['x'] }, { args: [] })).toBe(false);
    expect(covers({}, { args: ['x'] })).toBe(false);
  });

  it('tells null, an empty map and an absent field apart', () => {
    expect(covers({ a: null }, { a: {} })).toBe(false);
    expect(covers({}, { a: null })).toBe(false);
    expect(covers({ a: {} }, { a: {} })).toBe(true);
  });
});
