import { parseRouteLine } from '@elasti/api';
import type { ServicePort } from '../exchange';

/** Whom the connections of a port are for, and whether their servers speak first. */
export interface RouteIdentity {
  readonly target: ServicePort;
  readonly speaksFirst?: 'server';
}

/** What one line of a route ConfigMap claims. */
export interface RouteClaim extends RouteIdentity {
  readonly resolverPort: number;
  readonly use: 'in use' | 'freed';
  readonly place: 'home' | 'stray';
}

/** The claim, or what is wrong with the line. */
export function parseRouteClaim(configMap: string, key: string, text: string): RouteClaim | string {
  const line = parseRouteLine(configMap, key, text);
  if (line.kind === 'broken') return line.problem;
  const { resolverPort, record, place } = line;
  const { namespace, service, port, speaksFirst, freedAtMs } = record;
  return {
    resolverPort,
    target: { namespace, service, port },
    ...(speaksFirst && { speaksFirst }),
    use: freedAtMs === undefined ? 'in use' : 'freed',
    place,
  };
}

export function sameTarget(a: ServicePort, b: ServicePort): boolean {
  return a.port === b.port && a.service === b.service && a.namespace === b.namespace;
}
