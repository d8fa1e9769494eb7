import type { PodNetwork } from '../options';

/**
 * Which addresses and ports this playground uses.
 *
 * Follows from its port alone. There are 32 networks, so that two playgrounds whose ports are 32 apart want the same addresses, and where all pods share
 * one address every resolver wants the same ports for its routes: what is wanted is checked before the start.
 */
export interface NetworkPlan {
  readonly podRange: string;
  readonly serviceRange: string;
  readonly resolver: { readonly port: number; readonly proxyPort: number };
  /** The addresses that Services ask for, where Services have addresses. */
  readonly services?: ServiceAddresses;
  /** Where pods listen, whatever their address is: an address that none of them has, or the one that all have. */
  readonly anyPod: Pick<PlannedPort, 'host' | 'scope'>;
}

export interface ServiceAddresses {
  readonly operator: string;
  readonly resolver: string;
  demo(number: number): string;
}

/** A port that must be free for the playground to work. */
export interface PlannedPort {
  readonly host: string;
  readonly port: number;
  /** Who would listen on it. */
  readonly what: string;
  /** `everywhere`: on any address of this playground's, so that only somebody who listens on all addresses can have it. */
  readonly scope: 'everywhere' | 'address';
  readonly remedy: 'other-port' | 'other-network' | 'none';
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
  const ranges = { podRange: `${pods}.0.0/16`, serviceRange: `${services}.0.0/16` };
  if (network === 'ports') {
    return { ...ranges, resolver: { port: port + 1, proxyPort: port + 2 }, anyPod: { host: '127.0.0.1', scope: 'address' } };
  }
  return {
    ...ranges,
    resolver: { port: resolverPort, proxyPort: resolverProxyPort },
    services: { operator: `${services}.0.10`, resolver: `${services}.0.11`, demo: (number) => `${services}.1.${1 + number}` },
    anyPod: { host: `${services}.255.254`, scope: 'everywhere' },
  };
}
