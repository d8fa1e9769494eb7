import type { ProbeResponse } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import { type ProbeRequest, splitTarget } from './probe-request';
import { matchExactly, matchPathPrefix, matchPattern, type ValueMatcher } from './value-matcher';

/** A request, cut up once for all matchers that look at it. */
export interface ProbeView {
  readonly request: ProbeRequest;
  readonly path: string;
  readonly parameters: URLSearchParams;
}

export type ProbeMatcher = (view: ProbeView) => boolean;

export function viewOf(request: ProbeRequest): ProbeView {
  const { path, query } = splitTarget(request.target);
  return { request, path, parameters: new URLSearchParams(query) };
}

/**
 * One `probeResponse` entry as Gateway API's HTTPRouteMatch means it: all that is said must match, and of several entries of one header or parameter name
 * only the first is looked at. Of a parameter given several times the first value counts. Paths are compared as they were sent, undecoded.
 *
 * @throws PatternError
 */
export function compileProbe({ path, headers, queryParams, method }: Frozen<ProbeResponse>): ProbeMatcher {
  const matchPath = pathMatcher(path);
  const matchHeaders = firstOfEach(headers ?? [], (name) => name.toLowerCase()).map(([name, matches]): ProbeMatcher => {
    return ({ request }) => matchesIfThere(request.header(name), matches);
  });
  const matchParameters = firstOfEach(queryParams ?? [], (name) => name).map(([name, matches]): ProbeMatcher => {
    return ({ parameters }) => matchesIfThere(parameters.get(name) ?? undefined, matches);
  });
  const matchers: ProbeMatcher[] = [
    ({ request }) => method === undefined || request.method === method,
    (view) => matchPath(view.path),
    ...matchHeaders,
    ...matchParameters,
  ];
  return (view) => matchers.every((matches) => matches(view));
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

function matchesIfThere(value: string | undefined, matches: ValueMatcher): boolean {
  return value !== undefined && matches(value);
}
