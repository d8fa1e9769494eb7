import type { NetworkPlan } from './manifests';
import { defaultPort, type PodNetwork } from './options';
import type { NeededPort } from './system';

/** Everything that must be free before the start, each with what to do when it is not. */
export function listNeededPorts(port: number, network: PodNetwork, { needed }: NetworkPlan): NeededPort[] {
  const otherPort = `choose another with \`npm start -- --port ${port < 1_024 ? defaultPort : port + 10}\``;
  const wayOut = network === 'addresses' ? '`npm start -- --network ports` finds free ones' : otherPort;
  const api = { host: '127.0.0.1', port, what: 'the simulated API server', wayOut: otherPort };
  return [api, ...needed.map((other) => ({ ...other, wayOut }))];
}
