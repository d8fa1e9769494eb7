import { isLoop } from './marker';

describe('isLoop', () => {
  it('tells a request that comes back for the same service', () => {
    expect(isLoop('shop/web:80', 'shop/web:80')).toBe(true);
    expect(isLoop('shop/api:80, shop/web:80', 'shop/web:80')).toBe(true);
  });

  it('lets a pod pass its headers on to another sleeping service', () => {
    expect(isLoop('', 'shop/web:80')).toBe(false);
    expect(isLoop('shop/api:80', 'shop/web:80')).toBe(false);
    expect(isLoop('shop/web:8080', 'shop/web:80')).toBe(false);
  });

  it('ends a chain that only grows', () => {
    expect(isLoop(Array.from({ length: 8 }, (_, i) => `shop/s${i}:80`).join(', '), 'shop/web:80')).toBe(true);
  });
});
