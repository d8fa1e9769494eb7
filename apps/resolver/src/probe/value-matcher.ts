import { RE2JS } from 're2js';

export type ValueMatcher = (value: string) => boolean;

/** A pattern that compiles to more is refused: `((a{100}){10}){...}` and the like. */
const maxProgramSize = 5_000;
/** The steps that matching may take at most, so that a long value cannot keep the process busy. */
const maxSteps = 2_000_000;

export class PatternError extends Error {
  override readonly name = 'PatternError';
}

export function matchExactly(expected: string): ValueMatcher {
  return (value) => value === expected;
}

/**
 * Finds the pattern anywhere in a value, in time linear in its length. A value too long for the pattern's size does not match.
 *
 * @throws PatternError
 */
export function matchPattern(pattern: string): ValueMatcher {
  const compiled = compile(pattern);
  const size = compiled.programSize();
  if (size > maxProgramSize) throw new PatternError(`the regular expression is too large: ${size} instructions, at most ${maxProgramSize}`);
  return (value) => value.length * size <= maxSteps && compiled.test(value);
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new PatternError('the regular expression is not in RE2 syntax', { cause: error });
  }
}

/** Whole elements of a path: `/a` takes `/a`, `/a/` and `/a/b`, not `/ab`. A slash at the prefix's end says nothing. */
export function matchPathPrefix(prefix: string): ValueMatcher {
  const trimmed = prefix.replace(/\/+$/, '');
  return (path) => path.startsWith(trimmed) && (path.length === trimmed.length || path[trimmed.length] === '/' || trimmed === '');
}
