import type { ServicePort } from '../exchange';

// The format is the operator's: a ConfigMap `elasti-routes-<n>` for every 2,500 ports from 20,000, a key for each port, and in it a line of JSON.
export const routesLabel = 'elasti.truefoundry.com/routes';
const firstPort = 20_000;
const lastPort = 29_999;
const portsPerShard = 2_500;

/** What one line of a route ConfigMap says. */
export interface RouteClaim {
  readonly resolverPort: number;
  readonly target: ServicePort;
  /** A freed port keeps its line, so that nobody else gets it too soon. */
  readonly use: 'in use' | 'freed';
  /** A claim in a ConfigMap that its port does not belong to is not served; it only disputes the port. */
  readonly place: 'home' | 'stray';
}

/** The claim, or what is wrong with the line. */
export function parseRouteClaim(configMap: string, key: string, text: string): RouteClaim | string {
  const resolverPort = /^\d{5}$/.test(key) ? Number(key) : Number.NaN;
  if (!(resolverPort >= firstPort && resolverPort <= lastPort)) return `the key must be a port from ${firstPort} to ${lastPort}`;
  const { namespace, service, port, freedAt } = parseObject(text);
  if (typeof namespace !== 'string' || typeof service !== 'string' || !isPort(port)) return 'namespace, service and port are needed';
  const home = `elasti-routes-${Math.floor((resolverPort - firstPort) / portsPerShard)}`;
  return {
    resolverPort,
    target: { namespace, service, port },
    use: freedAt === undefined ? 'in use' : 'freed',
    place: configMap === home ? 'home' : 'stray',
  };
}

export function sameTarget(a: ServicePort, b: ServicePort): boolean {
  return a.port === b.port && a.service === b.service && a.namespace === b.namespace;
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
