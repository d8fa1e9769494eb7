import { RE2JS } from 're2js';

/**
 * A regular expression with Go's syntax, meaning and error messages; matching is unanchored, as Go's MatchString.
 *
 * @throws when it does not parse
 */
export function compileGoRegExp(pattern: string): RE2JS {
  return RE2JS.compile(pattern);
}

/** Each schema's pattern is compiled once, as long as somebody has the schema: compiling takes longer than all other checks of an object. */
const compiled = new WeakMap<object, RE2JS>();

/** Whether the text matches the schema's pattern; without one, every text does. */
export function matchesPattern(schema: { readonly pattern?: string }, text: string): boolean {
  if (schema.pattern === undefined || schema.pattern === '') return true;
  const known = compiled.get(schema) ?? compileGoRegExp(schema.pattern);
  compiled.set(schema, known);
  return known.test(text);
}

/** The parts of the text that match, in order. */
export function findAll(pattern: string, text: string): string[] {
  return Array.from(compileGoRegExp(pattern).matchAll(text), ([match]) => match);
}

/** Patterns come from rules, which are few, and from objects, which are not. */
const rememberedPatterns = 256;

/** Tells whether a part of a text matches a pattern, and remembers the patterns of late. It throws when one does not parse. */
export function rememberingMatcher(): (pattern: string, text: string) => boolean {
  const remembered = new Map<string, RE2JS>();
  return (pattern, text) => {
    const known = remembered.get(pattern) ?? compileGoRegExp(pattern);
    if (remembered.size >= rememberedPatterns) remembered.clear();
    remembered.set(pattern, known);
    return known.test(text);
  };
}
