/** A pattern that Go's regular expressions (RE2) do not have: look-around and back-references. */
const NOT_IN_GO = /\(\?(?:[=!]|<[=!])|\\[1-9]/;

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: '0-9A-Za-z',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\t\\n\\v\\f\\r ',
  punct: '!-\\/:-@\\[-`{-~',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** A Go regular expression as JavaScript knows it. Matching is unanchored, as Go's MatchString. */
export function compileGoRegExp(pattern: string): RegExp {
  if (NOT_IN_GO.test(pattern)) throw new SyntaxError('error parsing regexp: invalid or unsupported Perl syntax');
  const [, inline = '', body = ''] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(pattern) ?? [];
  const source = body
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replace(/\[:(\w+):\]/g, (whole, name: string) => POSIX_CLASSES[name] ?? whole)
    .replace(/\\p([A-Z])(?![a-z{])/g, '\\p{$1}');
  try {
    return new RegExp(source, `${inline}u`);
  } catch {
    // Go allows escapes that the strict grammar refuses, such as \- outside of a class.
    return new RegExp(source, inline);
  }
}
