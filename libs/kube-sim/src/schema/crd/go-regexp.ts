import { RE2JS } from 're2js';

/**
 * A regular expression with Go's syntax, meaning and error messages; matching is unanchored, as Go's MatchString.
 *
 * @throws when it does not parse
 */
export function compileGoRegExp(pattern: string): RE2JS {
  return RE2JS.compile(pattern);
}

/** The parts of the text that match, in order. */
export function findAll(pattern: string, text: string): string[] {
  return Array.from(compileGoRegExp(pattern).matchAll(text), ([match]) => match);
}
