import { Distribution } from './distribution';

describe('Distribution', () => {
  it('counts a value in the first bound that is not below it, and in all above', () => {
    const distribution = new Distribution([1, 5]);

    for (const value of [0.5, 1, 3, 9]) distribution.observe(value);

    expect(distribution.cumulative()).toEqual([
      { bound: 1, count: 2 },
      { bound: 5, count: 3 },
      { bound: '+Inf', count: 4 },
    ]);
    expect(distribution.sum).toBe(13.5);
  });
});
