import { ApiError } from './api.errors';
import { parseLabelSelector } from './label-selector';

const matches = (selector: string, labels: Record<string, string>): boolean => parseLabelSelector(selector).every((test) => test(labels));

describe('parseLabelSelector', () => {
  it.each([
    ['app=web', { app: 'web' }, true],
    ['app==web', { app: 'api' }, false],
    ['app!=web', {}, true],
    ['app', { app: '' }, true],
    ['!app', { app: 'web' }, false],
    ['app in (web, api)', { app: 'api' }, true],
    ['app in (web,)', { app: '' }, true],
    ['app notin (web,api)', {}, true],
    ['app notin (web)', { app: 'web' }, false],
    ['size>3', { size: '4' }, true],
    ['size<3', { size: '4' }, false],
    ['app=', { app: '' }, true],
    ['a=1,b in (2),!c', { a: '1', b: '2' }, true],
    ['example.com/app = web , tier', { 'example.com/app': 'web', tier: 'x' }, true],
    ['', {}, true],
  ])('reads %j against %j as %s', (selector, labels, expected) => {
    expect(matches(selector, labels as Record<string, string>)).toBe(expected);
  });

  it.each([
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a in b', "found 'b', expected: '('"],
    ['&', 'unable to parse requirement: <nil>: Invalid value: "&"'],
    ['a,', "found '', expected: identifier"],
  ])('refuses %j and says why', (selector, message) => {
    const parse = (): unknown => parseLabelSelector(selector);

    expect(parse).toThrow(ApiError);
    expect(parse).toThrow(message);
  });
});
