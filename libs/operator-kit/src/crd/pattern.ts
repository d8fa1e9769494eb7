import { RE2JS, RE2JSException } from 're2js';

/** A pattern that the API server, whose expressions are RE2, does not take. */
export class UnsupportedPatternError extends Error {
  override readonly name = 'UnsupportedPatternError';
}

/**
 * The expression as the API server reads it: RE2 syntax and meaning, matching in time linear to the text.
 *
 * JavaScript's own expressions differ in what `.`, `\s` and `\b` take and in which escapes they know, so they would not agree with it.
 * @throws UnsupportedPatternError
 */
export function compileRe2(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new UnsupportedPatternError(
      `${error.message}; patterns are RE2: what needs lookaround or a backreference needs a CEL rule instead`,
      {
        cause: error,
      },
    );
  }
}
