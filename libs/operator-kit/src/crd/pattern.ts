/** What a pattern in RE2 syntax asks for that cannot be had in both engines with one meaning. */
export class UnsupportedPatternError extends Error {
  override readonly name = 'UnsupportedPatternError';
}

const whitespace = '\\t\\n\\f\\r ';
const notWhitespace = '\\0-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}';
const maxRepeat = 1000;

const posixClasses: Record<string, string> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\0-\\x7f',
  blank: '\\t ',
  cntrl: '\\0-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/**
 * A JavaScript expression that matches exactly what Go's RE2 matches, since the API server is written in Go.
 *
 * The engines differ in what `.` and `\s` take and in their syntax for odd characters; those are rewritten.
 * @throws UnsupportedPatternError for what one of them does not have.
 */
export function compileRe2(pattern: string): RegExp {
  const translation = new Translation(pattern).run();
  try {
    return new RegExp(translation.source, translation.flags);
  } catch (error) {
    throw new UnsupportedPatternError(`pattern ${pattern} is not a regular expression`, { cause: error });
  }
}

class Translation {
  private at = 0;
  private readonly out: string[] = [];
  private flags = 'u';
  private dot = '[^\\n]';

  constructor(private readonly pattern: string) {}

  run(): { source: string; flags: string } {
    this.leadingFlags();
    while (this.at < this.pattern.length) this.out.push(this.next());
    return { source: this.out.join(''), flags: this.flags };
  }

  private leadingFlags(): void {
    const match = /^\(\?([is]+)\)/.exec(this.pattern);
    if (!match) return;
    this.at = match[0].length;
    if (match[1]?.includes('i')) this.flags = 'iu';
    if (match[1]?.includes('s')) this.dot = '[^]';
  }

  private next(): string {
    const char = this.take();
    switch (char) {
      case '\\':
        return this.escape();
      case '[':
        return this.characterClass();
      case '(':
        return this.group();
      case '{':
        return this.repetition();
      case '.':
        return this.dot;
      case '}':
      case ']':
      case '/':
        return `\\${char}`;
      default:
        return char;
    }
  }

  private take(): string {
    const char = String.fromCodePoint(this.pattern.codePointAt(this.at) ?? 0);
    this.at += char.length;
    return char;
  }

  private takeMatch(expression: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(expression, 'uy');
    sticky.lastIndex = this.at;
    const match = sticky.exec(this.pattern) ?? undefined;
    if (match) this.at = sticky.lastIndex;
    return match;
  }

  private group(): string {
    if (this.takeMatch(/\?P?<(?=[A-Za-z_])/)) return '(?<';
    if (this.takeMatch(/\?:/)) return '(?:';
    if (this.pattern[this.at] !== '?') return '(';
    if (/^\?<?[=!]/.test(this.pattern.slice(this.at))) this.refuse('lookahead and lookbehind are not in RE2; use a CEL rule instead');
    return this.refuse('flags are understood at the start only: (?i), (?s)');
  }

  private repetition(): string {
    const match = this.takeMatch(/(\d+)(,(\d*))?\}/);
    if (!match) return '\\{';
    for (const count of [match[1], match[3]]) {
      if (Number(count ?? 0) > maxRepeat) this.refuse(`RE2 repeats at most ${maxRepeat} times`);
    }
    return `{${match[0]}`;
  }

  private escape(): string {
    const quoted = this.takeMatch(/Q((?:(?!\\E)[^])*)(?:\\E)?/);
    if (quoted) return Array.from(quoted[1] ?? '', literal).join('');
    if (this.takeMatch(/A/)) return '^';
    if (this.takeMatch(/z/)) return '$';
    if (this.takeMatch(/b/)) return this.wordBoundary();
    if (this.takeMatch(/B/)) this.refuse('\\B has another meaning beside characters outside of the basic plane');
    if (this.takeMatch(/s/)) return `[${whitespace}]`;
    if (this.takeMatch(/S/)) return `[^${whitespace}]`;
    return this.setEscape() ?? this.singleEscape();
  }

  private wordBoundary(): string {
    return this.flags.includes('i') ? this.refuse('\\b has another meaning with (?i) in JavaScript') : '\\b';
  }

  /** An escape for many characters. */
  private setEscape(): string | undefined {
    const kept = this.takeMatch(/[dDwW]/);
    if (kept) return `\\${kept[0]}`;
    const property = this.takeMatch(/([pP])(?:([A-Z])|\{(\^?)([A-Za-z_]+)\})/);
    return property && unicodeProperty(property);
  }

  /** An escape for one character. */
  private singleEscape(): string {
    if (this.takeMatch(/a/)) return '\\x07';
    const kept = this.takeMatch(/[ftnrv]|x[0-9A-Fa-f]{2}/);
    if (kept) return `\\${kept[0]}`;
    const codePoint = this.takeMatch(/x\{([0-9A-Fa-f]{1,6})\}/);
    if (codePoint) return `\\u{${codePoint[1]}}`;
    if (this.takeMatch(/[1-9]/)) this.refuse('backreferences are not in RE2; use a CEL rule instead');
    const punctuation = this.takeMatch(/[ -/:-@[-`{-~]/);
    if (punctuation) return literal(punctuation[0]);
    return this.refuse(`the escape \\${this.pattern[this.at] ?? ''} is not understood`);
  }

  private characterClass(): string {
    let out = this.takeMatch(/\^/) ? '[^' : '[';
    do out += this.classItem();
    while (this.at < this.pattern.length && this.pattern[this.at] !== ']');
    if (!this.takeMatch(/\]/)) this.refuse('a [ is never closed');
    return `${out}]`;
  }

  private classItem(): string {
    const posix = this.takeMatch(/\[:(\^?)([a-z]+):\]/);
    if (posix) return this.posixClass(posix);
    if (this.takeMatch(/\\s/)) return whitespace;
    if (this.takeMatch(/\\S/)) return notWhitespace;
    const start = this.at;
    const set = this.takeMatch(/\\/) && this.setEscape();
    if (set) return set;
    this.at = start;
    const low = this.classCharacter();
    return this.takeMatch(/-(?!\])/) ? `${low}-${this.classCharacter()}` : low;
  }

  private classCharacter(): string {
    if (this.at >= this.pattern.length) this.refuse('a [ is never closed');
    return this.takeMatch(/\\/) ? this.singleEscape() : literal(this.take());
  }

  private posixClass(match: RegExpExecArray): string {
    const ranges = posixClasses[match[2] ?? ''];
    if (ranges === undefined || match[1]) return this.refuse(`the class ${match[0]} is not understood`);
    return ranges;
  }

  private refuse(problem: string): never {
    throw new UnsupportedPatternError(`pattern ${this.pattern}: ${problem}`);
  }
}

function literal(char: string): string {
  // A dash may not be escaped outside of a class, and must be inside of it.
  if (char === '-') return '\\x2d';
  return /[\^$\\.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

function unicodeProperty([, letter, short, negated, name]: RegExpExecArray): string {
  const property = short ?? name ?? '';
  const negative = (letter === 'P') !== (negated === '^');
  return `\\${negative ? 'P' : 'p'}{${property.length > 2 ? `Script=${property}` : property}}`;
}
