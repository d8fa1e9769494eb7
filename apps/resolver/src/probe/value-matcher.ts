import { RE2JS } from 're2js';
import type { StepBudget } from './step-budget';

export interface ValueMatcher {
  /** Patterns take steps; everything else is as good as free. */
  readonly by: 'comparison' | 'pattern';
  matches(value: string, budget: StepBudget): boolean;
}

/** A pattern that compiles to more is refused: `((a{100}){10}){...}` and the like. */
const maxProgramSize = 5_000;

export class PatternError extends Error {
  override readonly name = 'PatternError';
}

export function matchExactly(expected: string): ValueMatcher {
  return { by: 'comparison', matches: (value) => value === expected };
}

/**
 * Finds the pattern anywhere in a value, in time linear in its length. A value too long for the pattern's size and for what is left of the
 * request's steps does not match.
 *
 * @throws PatternError
 */
export function matchPattern(pattern: string): ValueMatcher {
  const compiled = compile(pattern);
  const size = compiled.programSize();
  if (size > maxProgramSize) throw new PatternError(`the regular expression is too large: ${size} instructions, at most ${maxProgramSize}`);
  return { by: 'pattern', matches: (value, budget) => budget.take((value.length + 1) * size) && compiled.test(value) };
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
  const matches = (path: string): boolean =>
    path.startsWith(trimmed) && (path.length === trimmed.length || path[trimmed.length] === '/' || trimmed === '');
  return { by: 'comparison', matches };
}
