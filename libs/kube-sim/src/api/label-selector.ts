import { labelValue, qualifiedName } from '../schema';
import { badRequest } from './api.errors';

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

const TOKEN = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)/gy;
const SYMBOLS = new Set(['==', '!=', '=', '!', '<', '>', '(', ')', ',']);

/** Reads a label selector of equality and set requirements. @throws ApiError 400 when it cannot be read. */
export function parseLabelSelector(selector: string): LabelTest[] {
  const tokens = tokensOf(selector);
  return tokens.length === 0 ? [] : new SelectorReader(tokens).requirements();
}

function tokensOf(selector: string): string[] {
  return [...selector.trimEnd().matchAll(TOKEN)].map((match) => match[1] ?? '');
}

class SelectorReader {
  private position = 0;

  constructor(private readonly tokens: readonly string[]) {}

  requirements(): LabelTest[] {
    if (this.peek() !== '!' && !this.isWord()) throw badRequest(`found '${this.peek()}', expected: !, identifier, or 'end of string'`);
    const tests = [this.requirement()];
    while (this.peek() !== '') {
      if (this.peek() !== ',') throw badRequest(`found '${this.peek()}', expected: ',' or 'end of string'`);
      this.position++;
      if (this.peek() !== '!' && !this.isWord()) throw badRequest(`found '${this.peek()}', expected: identifier after ','`);
      tests.push(this.requirement());
    }
    return tests;
  }

  private requirement(): LabelTest {
    if (this.peek() === '!') {
      this.position++;
      const absent = this.key();
      return (labels) => labels[absent] === undefined;
    }
    const key = this.key();
    if (this.peek() === '' || this.peek() === ',') return (labels) => labels[key] !== undefined;
    const operator = this.expect(['=', '==', '!=', 'in', 'notin', '<', '>'], 'in, notin, =, ==, !=, gt, lt');
    switch (operator) {
      case 'in':
      case 'notin': {
        const values = new Set(this.values(key));
        if (operator === 'in') return (labels) => labels[key] !== undefined && values.has(labels[key]);
        return (labels) => labels[key] === undefined || !values.has(labels[key]);
      }
      case '<':
      case '>': {
        const value = this.value(key);
        if (!/^-?\d+$/.test(value))
          throw badRequest(
            `unable to parse requirement: values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
          );
        const bound = Number(value);
        return (labels) => {
          const number = Number(labels[key] ?? NaN);
          return operator === '<' ? number < bound : number > bound;
        };
      }
      default: {
        const value = this.value(key);
        return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
      }
    }
  }

  private expect(allowed: readonly string[], wording: string): string {
    const token = this.peek();
    if (!allowed.includes(token)) throw badRequest(`unable to parse requirement: found '${token}', expected: ${wording}`);
    this.position++;
    return token;
  }

  private isWord(): boolean {
    return this.peek() !== '' && !SYMBOLS.has(this.peek());
  }

  private peek(): string {
    return this.tokens[this.position] ?? '';
  }

  private key(): string {
    const token = this.peek();
    if (!this.isWord()) throw badRequest(`unable to parse requirement: found '${token}', expected: identifier`);
    const [problem] = qualifiedName(token);
    if (problem !== undefined) throw badRequest(`unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(token)}: ${problem}`);
    this.position++;
    return token;
  }

  /** A value may be missing: `a=` asks for the empty value. */
  private value(key: string): string {
    const token = this.peek();
    if (token === '' || token === ',') return '';
    if (!this.isWord()) throw badRequest(`unable to parse requirement: found '${token}', expected: identifier`);
    const [problem] = labelValue(token);
    if (problem !== undefined)
      throw badRequest(`unable to parse requirement: values[0][${key}]: Invalid value: ${JSON.stringify(token)}: ${problem}`);
    this.position++;
    return token;
  }

  private values(key: string): string[] {
    this.expect(['('], "'('");
    const values = [this.peek() === ')' ? '' : this.value(key)];
    while (this.peek() === ',') {
      this.position++;
      values.push(this.peek() === ')' ? '' : this.value(key));
    }
    this.expect([')'], "',' or ')'");
    return values;
  }
}
