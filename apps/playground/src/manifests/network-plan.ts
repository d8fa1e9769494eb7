import type { PodNetwork } from '../options';

/**
 * Which addresses and ports this playground uses.
 *
 * Follows from its port alone, so that two playgrounds with different ports leave each other alone (but for the route ports of the resolvers where
 * all pods share one address).
 */
export interface NetworkPlan {
  readonly podRange: string;
  readonly serviceRange: string;
  readonly resolver: { readonly port: number; readonly proxyPort: number };
  /** On which address each fixed port must be free for the playground to work. */
  readonly needed: readonly { readonly host: string; readonly port: number; readonly what: string }[];
  /** The address that the numbered Service asks for, where Services have addresses. */
  serviceAddress(number: number): string | undefined;
}

/** Below the ephemeral ports and above those that need permission; not one that developers' own servers are fond of. */
export const demoPort = 6480;
export const operatorPort = 8013;
export const operatorProbePort = 8081;
const resolverPort = 8013;
const resolverProxyPort = 8012;
const networks = 32;

export function planNetwork(port: number, network: PodNetwork): NetworkPlan {
  const pods = `127.${64 + (port % networks)}`;
  const services = `127.${96 + (port % networks)}`;
  const common = { podRange: `${pods}.0.0/16`, serviceRange: `${services}.0.0/16` };
  if (network === 'addresses') {
    const host = `${services}.255.254`;
    const ports = new Map([
      [demoPort, 'the services'],
      [operatorPort, 'operator and resolver'],
      [resolverProxyPort, 'the resolver'],
      [operatorProbePort, "the operator's probes"],
    ]);
    return {
      ...common,
      resolver: { port: resolverPort, proxyPort: resolverProxyPort },
      needed: [...ports].map(([needed, what]) => ({ host, port: needed, what })),
      serviceAddress: (number) => `${services}.1.${1 + number}`,
    };
  }
  const resolver = { port: port + 1, proxyPort: port + 2 };
  return {
    ...common,
    resolver,
    needed: Object.values(resolver).map((needed) => ({ host: '127.0.0.1', port: needed, what: 'the resolver' })),
    serviceAddress: () => undefined,
  };
}
