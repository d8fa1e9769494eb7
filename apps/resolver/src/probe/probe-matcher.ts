import type { ProbeResponse } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import { type ProbeRequest, splitTarget } from './probe-request';
import { StepBudget } from './step-budget';
import { matchExactly, matchPathPrefix, matchPattern, type ValueMatcher } from './value-matcher';

/** A request, cut up once for all matchers that look at it. */
export interface ProbeView {
  readonly request: ProbeRequest;
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly budget: StepBudget;
}

export type ProbeMatcher = (view: ProbeView) => boolean;

export function viewOf(request: ProbeRequest): ProbeView {
  const { path, query } = splitTarget(request.target);
  return { request, path, parameters: new URLSearchParams(query), budget: new StepBudget() };
}

/**
 * One `probeResponse` entry as Gateway API's HTTPRouteMatch means it: all that is said must match, and of several entries of one header or parameter name
 * only the first is looked at. Of a parameter given several times the first value counts. Paths are compared as they were sent, undecoded.
 * What takes no steps is looked at first.
 *
 * @throws PatternError
 */
export function compileProbe({ path, headers, queryParams, method }: Frozen<ProbeResponse>): ProbeMatcher {
  const looks: Look[] = [
    { at: (view) => view.path, matcher: pathMatcher(path) },
    ...firstOfEach(headers ?? [], (name) => name.toLowerCase()).map(([name, matcher]): Look => {
      return { at: ({ request }) => request.header(name), matcher };
    }),
    ...firstOfEach(queryParams ?? [], (name) => name).map(([name, matcher]): Look => {
      return { at: ({ parameters }) => parameters.get(name) ?? undefined, matcher };
    }),
  ];
  const cheapFirst = [
    ...looks.filter(({ matcher }) => matcher.by === 'comparison'),
    ...looks.filter(({ matcher }) => matcher.by === 'pattern'),
  ];
  return (view) => (method === undefined || view.request.method === method) && cheapFirst.every((look) => matchesIfThere(look, view));
}

/** One part of a request, and what it must be like. */
interface Look {
  readonly at: (view: ProbeView) => string | undefined;
  readonly matcher: ValueMatcher;
}

function pathMatcher({ type = 'PathPrefix', value = '/' }: Frozen<NonNullable<ProbeResponse['path']>> = {}): ValueMatcher {
  switch (type) {
    case 'Exact':
      return matchExactly(value);
    case 'PathPrefix':
      return matchPathPrefix(value);
    case 'RegularExpression':
      return matchPattern(value);
  }
}

type NamedMatch = Frozen<NonNullable<ProbeResponse['headers']>[number]>;

function firstOfEach(matches: readonly NamedMatch[], nameOf: (name: string) => string): [string, ValueMatcher][] {
  const byName = new Map<string, ValueMatcher>();
  for (const { name, type = 'Exact', value } of matches) {
    const key = nameOf(name);
    if (!byName.has(key)) byName.set(key, type === 'Exact' ? matchExactly(value) : matchPattern(value));
  }
  return [...byName];
}

function matchesIfThere({ at, matcher }: Look, view: ProbeView): boolean {
  const value = at(view);
  return value !== undefined && matcher.matches(value, view.budget);
}
