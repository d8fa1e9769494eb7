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
  const foreign = NOT_IN_GO.exec(pattern);
  if (foreign !== null) throw new SyntaxError(`error parsing regexp: invalid or unsupported Perl syntax: \`${foreign[0]}\``);
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
    return compileLeniently(source, inline, pattern);
  }
}

/** Go allows escapes that the strict grammar refuses, such as \- outside of a class. */
function compileLeniently(source: string, flags: string, pattern: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(': ').at(-1) ?? '') : String(error);
    const words = reason === 'Unterminated group' ? 'missing closing )' : reason;
    throw new SyntaxError(`error parsing regexp: ${words}: \`${pattern}\``, { cause: error });
  }
}
