import { amountOf } from './quantities';

describe('amountOf', () => {
  it.each([
    ['50m', 0.05],
    ['0.5', 0.5],
    [2, 2],
    ['128Mi', 134_217_728],
    ['1Gi', 1_073_741_824],
    ['1G', 1e9],
    ['1e3', 1000],
    ['2E', 2e18],
    ['a lot', NaN],
  ])('of %j is %d', (quantity, amount) => {
    expect(amountOf(quantity)).toBe(amount);
  });
});
