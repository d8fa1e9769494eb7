import { UnsupportedPatternError, compileRe2 } from './pattern';

describe('compileRe2', () => {
  it.each<[string, string, boolean]>([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^.$', '\r', true],
    ['^.$', '\n', false],
    ['(?s)^.$', '\n', true],
    ['^.$', '😀', true],
    ['^\\s$', '\u00a0', false],
    ['^\\s$', '\v', false],
    ['^\\s$', '\t', true],
    ['^[\\S]$', '\u00a0', true],
    ['^[^\\S]$', '\t', true],
    ['\\Aa\\z', 'a', true],
    ['a$', 'a\n', false],
    ['^\\-\\@\\_$', '-@_', true],
    ['^[a\\-z]$', 'm', false],
    ['^[\\w-]$', '-', true],
    ['^[]a]$', ']', true],
    ['^[[:alpha:]-]+$', 'a-b', true],
    ['^\\Qa.b\\E$', 'axb', false],
    ['^a{$', 'a{', true],
    ['^\\pL\\p{Greek}$', 'aλ', true],
    ['^\\x{1F600}$', '😀', true],
    ['(?i)^ABC$', 'abc', true],
    ['^(?P<first>a)(?:b)$', 'ab', true],
    ['^.$', '\u2028', true],
    ['^[[:^alpha:]]$', '1', true],
  ])('%s on %j is %s, as in RE2', (pattern, text, expected) => {
    expect(compileRe2(pattern).test(text)).toBe(expected);
  });

  it.each(['a(?=b)', 'a(?!b)', '(?<=a)b', '(?<!a)b', '(a)\\1', 'a{1001}', '[a', 'a**', '(', '\\Z', '\\u0041'])('refuses %s', (pattern) => {
    expect(() => compileRe2(pattern)).toThrow(UnsupportedPatternError);
  });
});
