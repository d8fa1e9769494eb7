import { prefersHtml } from './prefers-html';

describe('prefersHtml', () => {
  it.each([
    ['Firefox', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['Chrome', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'],
    ['a browser that asks for XHTML', 'application/xhtml+xml, text/html;q=0.9'],
    ['one that weighs it most', 'application/json;q=0.5, text/html;q=0.7'],
    ['one that writes in capitals', 'Text/HTML; Q=1'],
  ])('is true of %s', (_name, accept) => {
    expect(prefersHtml(accept)).toBe(true);
  });

  it.each([
    ['curl', '*/*'],
    ['one that says nothing', undefined],
    ['an empty header', ''],
    ['an API client', 'application/json'],
    ['an API client that takes all', 'application/json, text/plain, */*'],
    ['one that names JSON first', 'application/json, text/html'],
    ['one that weighs JSON more', 'text/html;q=0.5, application/json'],
    ['any text', 'text/*'],
    ['one that refuses HTML', 'text/html;q=0'],
    ['one that weighs it with nonsense', 'text/html;q=x'],
  ])('is false of %s', (_name, accept) => {
    expect(prefersHtml(accept)).toBe(false);
  });
});
