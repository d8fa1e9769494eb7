import type { RouteRecord } from '@elasti/api';

/** The Service whose ports are routed. */
export interface RouteOwner {
  readonly namespace: string;
  readonly service: string;
}

/** A TCP port of a Service, whoever asks for it. */
export interface RouteKey extends RouteOwner {
  /** The Service's port number. */
  readonly port: number;
}

/** The resolvers listen on `resolverPort` for everything that is sent to the Service's port. */
export interface Route extends RouteKey {
  readonly resolverPort: number;
}

/** A port that a Service wants a resolver port for. */
export type WantedPort = Pick<RouteRecord, 'port' | 'speaksFirst'>;

/** What a Service has been given. Every wanted port is in exactly one of the three. */
export interface RouteGrant {
  readonly routes: readonly Route[];
  /** The range is used up: these work on the shared port only. */
  readonly without: readonly RouteKey[];
  /** Their resolver port is claimed by another Service too: neither is served on it until a person removes one of the claims. */
  readonly disputed: readonly RouteKey[];
}

/** No namespace or Service name contains a slash. */
export function formatOwner({ namespace, service }: RouteOwner): string {
  return `${namespace}/${service}`;
}

export function formatRouteKey(key: RouteKey): string {
  return `${formatOwner(key)}/${key.port}`;
}

export function sameRouteKey(a: RouteKey, b: RouteKey): boolean {
  return a.port === b.port && a.service === b.service && a.namespace === b.namespace;
}

export function isInUse({ freedAtMs }: Pick<RouteRecord, 'freedAtMs'>): boolean {
  return freedAtMs === undefined;
}
