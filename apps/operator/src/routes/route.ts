/** A TCP port of a Service, whoever asks for it. */
export interface RouteKey {
  readonly namespace: string;
  readonly service: string;
  /** The Service's port number. */
  readonly port: number;
}

/** The resolvers listen on `resolverPort` for everything that is sent to the Service's port. */
export interface Route extends RouteKey {
  readonly resolverPort: number;
}

/** What is written about one resolver port. A freed one is kept, so that nobody else's traffic can reach a new owner by mistake. */
export interface PortRecord extends RouteKey {
  /** When its Service stopped using it; absent while in use. */
  readonly freedAtMs?: number;
}

/** No namespace, Service name or port contains a slash. */
export function formatRouteKey({ namespace, service, port }: RouteKey): string {
  return `${namespace}/${service}/${port}`;
}
