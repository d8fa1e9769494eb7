import { Environment } from '@marcbachmann/cel-js';
import { findAll, rememberingMatcher } from './go-regexp';
import { compareQuantities, isQuantity } from './quantity';

/** CEL as Kubernetes extends it: the string, list, regular expression, URL and quantity functions that rules use. */
export function kubernetesCel(): Environment {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  const matches = rememberingMatcher();
  registerStrings(environment);
  registerLists(environment);
  registerQuantities(environment);
  return environment
    .registerFunction('string.matchesGo(string): bool', (text: string, pattern: string) => matches(pattern, text))
    .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text))
    .registerFunction('string.find(string): string', (text: string, pattern: string) => findAll(pattern, text)[0] ?? '')
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => findAll(pattern, text));
}

/** The library's own `matches`, which cannot be replaced, has JavaScript's regular expressions, where the API server has Go's. */
export function inGoTerms(rule: string): string {
  return rule.replace(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\.matches\(/g, (_, quoted?: string) => quoted ?? '.matchesGo(');
}

function registerStrings(environment: Environment): void {
  environment
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) => Array.from(text)[Number(index)] ?? '')
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => text.replaceAll(from, to))
    .registerFunction('string.replace(string, string, int): string', replaceSome)
    .registerFunction('string.reverse(): string', (text: string) => Array.from(text).reverse().join(''))
    .registerFunction('string.format(list): string', format);
}

function replaceSome(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return text.replaceAll(from, to);
  const pieces = text.split(from);
  const replaced = pieces.slice(0, Number(limit) + 1).join(to);
  const rest = pieces.slice(Number(limit) + 1);
  return rest.length === 0 ? replaced : [replaced, ...rest].join(from);
}

function format(template: string, values: readonly unknown[]): string {
  let next = 0;
  return template.replace(/%(?:%|(?:\.(\d+))?([sdfeboxX]))/g, (whole, digits: string | undefined, verb: string | undefined) => {
    if (verb === undefined) return whole === '%%' ? '%' : whole;
    const value = values[next];
    next += 1;
    if (verb === 'f') return Number(value).toFixed(digits === undefined ? 6 : Number(digits));
    return printValue(value);
  });
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? Number(inner) : inner));
}

type Ordered = bigint | number | string;

function registerLists(environment: Environment): void {
  environment
    .registerFunction('list.isSorted(): bool', (list: Ordered[]) =>
      list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item),
    )
    .registerFunction('list.sum(): dyn', (list: (bigint | number)[]) =>
      list.every((item) => typeof item === 'bigint')
        ? list.reduce((sum, item) => sum + item, 0n)
        : list.reduce<number>((sum, item) => sum + Number(item), 0),
    )
    .registerFunction('list.min(): dyn', (list: Ordered[]) => extreme(list, (item, best) => item < best))
    .registerFunction('list.max(): dyn', (list: Ordered[]) => extreme(list, (item, best) => item > best))
    .registerFunction('list.indexOf(dyn): int', (list: unknown[], item: unknown) => BigInt(list.indexOf(item)))
    .registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], item: unknown) => BigInt(list.lastIndexOf(item)));
}

function extreme(list: readonly Ordered[], isBetter: (item: Ordered, best: Ordered) => boolean): Ordered {
  const [first] = list;
  if (first === undefined) throw new Error('min/max called on empty list');
  return list.reduce((best, item) => (isBetter(item, best) ? item : best), first);
}

/** A parsed `1.5Gi`; its own class so that rules cannot mix it up with a string. */
class CelQuantity {
  constructor(readonly text: string) {}
}

function registerQuantities(environment: Environment): void {
  const order = (left: CelQuantity, right: CelQuantity): number => compareQuantities(left.text, right.text);
  environment
    .registerType('Quantity', { ctor: CelQuantity, fields: { text: 'string' } })
    .registerFunction('isQuantity(string): bool', isQuantity)
    .registerFunction('quantity(string): Quantity', (text: string) => {
      if (!isQuantity(text)) throw new Error(`quantities must match the regular expression: ${text}`);
      return new CelQuantity(text);
    })
    .registerFunction('Quantity.compareTo(Quantity): int', (left: CelQuantity, right: CelQuantity) => BigInt(order(left, right)))
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (left: CelQuantity, right: CelQuantity) => order(left, right) > 0)
    .registerFunction('Quantity.isLessThan(Quantity): bool', (left: CelQuantity, right: CelQuantity) => order(left, right) < 0);
}
