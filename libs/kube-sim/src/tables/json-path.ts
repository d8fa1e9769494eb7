import { get, isList, isObject } from '../schema';
import type { JsonValue } from '../schema';

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly value: JsonValue };

const TOKEN =
  /\.?\[\?\(\s*@([^)=!<>\s]*)\s*(==|!=|<=|>=|<|>)?\s*("[^"]*"|'[^']*'|[^)\s]*)\s*\)\]|\.?\[\s*(?:'([^']*)'|"([^"]*)"|(-?\d+)|(\*))\s*\]|\.((?:\\.|[^.[\]\\])+)/gy;

/** The values a printer column's path leads to: fields, indexes, `[*]` and `[?(@.type=="Ready")]`. A path that makes no sense finds nothing. */
export function findByPath(value: JsonValue, path: string): JsonValue[] {
  const steps = parse(path);
  return steps === undefined ? [] : follow([value], steps);
}

function parse(path: string): Step[] | undefined {
  const text = path.replace(/^\{|\}$/g, '').replace(/^\$/, '');
  const source = text.startsWith('.') || text.startsWith('[') ? text : `.${text}`;
  const steps: Step[] = [];
  let end = 0;
  for (const match of source.matchAll(TOKEN)) {
    end = match.index + match[0].length;
    steps.push(toStep(match));
  }
  return end === source.length ? steps : undefined;
}

function toStep(match: RegExpExecArray): Step {
  const [, filterPath, operator, operand, single, double, index, star, name] = match;
  if (filterPath !== undefined) {
    return {
      kind: 'filter',
      path: filterPath === '' ? [] : (parse(filterPath) ?? []),
      operator: operator ?? 'exists',
      value: literal(operand ?? ''),
    };
  }
  if (index !== undefined) return { kind: 'index', index: Number(index) };
  if (star !== undefined || name === '*') return { kind: 'all' };
  return { kind: 'field', name: single ?? double ?? (name ?? '').replace(/\\(.)/g, '$1') };
}

function literal(text: string): JsonValue {
  if (/^(["']).*\1$/.test(text)) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function follow(values: readonly JsonValue[], steps: readonly Step[]): JsonValue[] {
  return steps.reduce<readonly JsonValue[]>((current, step) => current.flatMap((value) => advance(value, step)), values).slice();
}

function advance(value: JsonValue, step: Step): JsonValue[] {
  switch (step.kind) {
    case 'field':
      return isObject(value) ? present(get(value, step.name)) : [];
    case 'index':
      return isList(value) ? present(value.at(step.index)) : [];
    case 'all':
      return isList(value) ? value : isObject(value) ? Object.values(value) : [];
    case 'filter':
      return isList(value) ? value.filter((item) => passes(item, step)) : [];
  }
}

function present(value: JsonValue | undefined): JsonValue[] {
  return value === undefined ? [] : [value];
}

function passes(item: JsonValue, { path, operator, value }: Step & { kind: 'filter' }): boolean {
  const [found] = follow([item], path);
  if (found === undefined) return false;
  switch (operator) {
    case 'exists':
      return true;
    case '==':
      return found === value;
    case '!=':
      return found !== value;
    default:
      return typeof found === 'number' && typeof value === 'number' && compareNumbers(found, operator, value);
  }
}

function compareNumbers(left: number, operator: string, right: number): boolean {
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}
